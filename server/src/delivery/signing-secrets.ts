import { type App, previousSecretOf } from '../storage/apps.ts'
import type { Webhook } from '../storage/webhooks.ts'
import type { ChallengeSecrets } from './challenge/challenger.ts'

/** The secrets with which a callback may sign a challenge response: the current one, and the previous one while it is valid. */
export function challengeSecrets(app: App, nowMs: number): ChallengeSecrets {
  const previous = previousSecretOf(app, nowMs)
  return previous === null ? [app.consumerSecret] : [app.consumerSecret, previous]
}

/** The secret for signing a webhook's events, and until when it is used. */
export interface DeliverySecret {
  secret: string
  untilMs: number
}

/**
 * Events are signed with the current secret. After a rotation, during the overlap, they are signed with the previous one until the callback
 * has answered a challenge with the current one. So a receiver that has only one of the two can verify them, whichever it is.
 */
export function deliverySecret(app: App, webhook: Webhook, nowMs: number): DeliverySecret {
  const previous = previousSecretOf(app, nowMs)
  if (previous === null || webhook.provenSecretVersion >= app.secretVersion)
    return { secret: app.consumerSecret, untilMs: Number.POSITIVE_INFINITY }
  return { secret: previous, untilMs: app.previousSecretUntilMs! }
}
