import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import type { App, AppStore } from '../storage/apps.ts'
import type { BegunChallenge, WebhookStore } from '../storage/webhooks.ts'
import type { ChallengeResult, Challenger } from './challenge/challenger.ts'
import { nextChallengeAtMs } from './challenge-slot.ts'

/** The secrets that an app's callbacks may sign with now: the current one, and the previous one while it holds. */
export function signingSecrets(app: App, nowMs: number): readonly [string, ...string[]] {
  const previous = app.previousConsumerSecret
  return previous !== null && (app.previousSecretUntilMs ?? 0) > nowMs ? [app.consumerSecret, previous] : [app.consumerSecret]
}

/**
 * Challenges a webhook and records the outcome; `gone` when there is no such webhook, or none any more. Only `byPut` does a
 * challenge that passes re-enable.
 */
export type Revalidate = (webhookId: string, asked: 'byPut' | 'byItself') => Promise<ChallengeResult | 'gone'>

/**
 * valid or invalid → (challenge fails) invalid: events stop, and only a PUT brings it back (§3)
 * valid or invalid → (challenge of a PUT passes) valid, challenged again within the hour
 * valid            → (another challenge passes) valid, challenged again within the hour
 *
 * Challenges of one webhook may overlap, in several processes: what the one that began last decides stands, whichever ends last.
 */
export function createRevalidate(webhooks: WebhookStore, apps: AppStore, challenger: Challenger, clock: Clock, logger: Logger): Revalidate {
  const record = async ({ webhook: { id }, number }: BegunChallenge, passed: boolean, asked: 'byPut' | 'byItself') => {
    if (!passed) return webhooks.decide(id, number, false, null)
    const nextMs = nextChallengeAtMs(id, clock.now())
    if (asked === 'byPut') return webhooks.decide(id, number, true, nextMs)
    await webhooks.putOff(id, nextMs)
    return true
  }

  return async (webhookId, asked) => {
    const begun = await webhooks.beginChallenge(webhookId)
    const app = begun && (await apps.byId(begun.webhook.appId))
    if (!begun || !app) return 'gone'
    const result = await challenger.challenge({ url: begun.webhook.normalUrl, secrets: signingSecrets(app, clock.now()) })
    const stands = await record(begun, result.passed, asked)
    logger.info(
      { webhook_id: webhookId, app_id: app.id, passed: result.passed, ...(!result.passed && { reason: result.reason }) },
      'challenge',
    )
    return stands ? result : 'gone'
  }
}
