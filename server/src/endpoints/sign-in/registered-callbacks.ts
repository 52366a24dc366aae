import { cutText } from '../../lib/text.ts'

const MAX_QUOTE_LENGTH = 200

export const notRegistered = (parameter: string, sent: string): string =>
  `${parameter} is ${cutText(sent, MAX_QUOTE_LENGTH)}, which is not registered for this app.`

export const sayRegistered = (registered: readonly string[]): string =>
  registered.length === 0
    ? 'It has no callback URL.'
    : `Registered, and compared byte by byte, ${registered.length === 1 ? 'is' : 'are'}: ${registered.join(', ')}.`

/** The call that adds a callback to those of an app. */
export const howToAdd = (appId: string, registered: readonly string[], sent: string): string =>
  `To add it: PATCH /operator/apps/${appId} with ${JSON.stringify({ callback_urls: [...registered, cutText(sent, MAX_QUOTE_LENGTH)] })}.`
