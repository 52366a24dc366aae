import { type App, previousSecretOf } from '../storage/apps.ts'
import type { Webhook } from '../storage/webhooks.ts'
import type { ChallengeSecrets } from './challenge/challenger.ts'

/** The secrets that an app's callbacks may answer a challenge with: the current one, and the previous one while it holds. */
export function challengeSecrets(app: App, nowMs: number): ChallengeSecrets {
  const previous = previousSecretOf(app, nowMs)
  return previous === null ? [app.consumerSecret] : [app.consumerSecret, previous]
}

/** The secret that a webhook's events are signed with, and until when. */
export interface DeliverySecret {
  secret: string
  untilMs: number
}

/**
 * Events are signed with the current secret. In the overlap after a rotation they are signed with the previous one until the
 * callback has answered a challenge with the current one: so a receiver that knows only one of the two verifies them, whichever it is.
 */
export function deliverySecret(app: App, webhook: Webhook, nowMs: number): DeliverySecret {
  const previous = previousSecretOf(app, nowMs)
  if (previous === null || webhook.provenSecretVersion >= app.secretVersion)
    return { secret: app.consumerSecret, untilMs: Number.POSITIVE_INFINITY }
  return { secret: previous, untilMs: app.previousSecretUntilMs! }
}
