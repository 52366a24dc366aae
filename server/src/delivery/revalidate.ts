import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import type { App, AppStore } from '../storage/apps.ts'
import type { Webhook, WebhookStore } from '../storage/webhooks.ts'
import type { ChallengeResult, Challenger } from './challenge/challenger.ts'
import { nextChallengeAtMs } from './challenge-slot.ts'

/** The secrets that an app's callbacks may sign with now: the current one, and the previous one while it holds. */
export function signingSecrets(app: App, nowMs: number): readonly [string, ...string[]] {
  const previous = app.previousConsumerSecret
  return previous !== null && (app.previousSecretUntilMs ?? 0) > nowMs ? [app.consumerSecret, previous] : [app.consumerSecret]
}

/** Challenges a webhook and records the outcome; `gone` when it was deleted meanwhile. */
export type Revalidate = (webhook: Webhook) => Promise<ChallengeResult | 'gone'>

/**
 * valid or invalid → (challenge passes) valid, challenged again within the hour
 * valid or invalid → (challenge fails) invalid: events stop, and only a PUT brings it back (§3)
 */
export function createRevalidate(webhooks: WebhookStore, apps: AppStore, challenger: Challenger, clock: Clock, logger: Logger): Revalidate {
  return async (webhook) => {
    const app = await apps.byId(webhook.appId)
    if (!app) return 'gone'
    const result = await challenger.challenge({ url: webhook.normalUrl, secrets: signingSecrets(app, clock.now()) })
    const nextMs = result.passed ? nextChallengeAtMs(webhook.id, clock.now()) : null
    const recorded = await webhooks.setValid(webhook.id, result.passed, nextMs)
    logger.info(
      { webhook_id: webhook.id, app_id: app.id, passed: result.passed, ...(!result.passed && { reason: result.details }) },
      'challenge',
    )
    return recorded ? result : 'gone'
  }
}
