/** The secrets that are compared if no app has the consumer key, so that the response takes as long. */
export const NO_APP = { consumerSecret: 'no app has this secret', previousConsumerSecret: null, previousSecretUntilMs: null }
