import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import type { AppStore } from '../storage/apps.ts'
import type { Webhook, WebhookStore } from '../storage/webhooks.ts'
import { challengeSecrets } from './app-secrets.ts'
import type { ChallengeResult } from './challenge/challenge-result.ts'
import type { Challenger } from './challenge/challenger.ts'
import { nextChallengeAtMs } from './challenge-slot.ts'

/** Challenges a webhook and records the outcome; `gone` when it was deleted meanwhile, `put off` while its app is suspended. */
export type Revalidate = (webhook: Webhook) => Promise<ChallengeResult | 'gone' | 'put off'>

/**
 * valid or invalid → (challenge passes) valid, challenged again within the hour
 * valid or invalid → (challenge fails) invalid: events stop, and only a PUT brings it back (§3)
 * its app is suspended → as it was, to be challenged within the hour
 */
export function createRevalidate(webhooks: WebhookStore, apps: AppStore, challenger: Challenger, clock: Clock, logger: Logger): Revalidate {
  const putOff = async ({ id, valid }: Webhook) => {
    logger.info({ webhook_id: id }, 'challenge put off')
    const recorded = await webhooks.setValid(id, valid, nextChallengeAtMs(id, clock.now()))
    return recorded ? 'put off' : 'gone'
  }

  return async (webhook) => {
    const app = await apps.byId(webhook.appId)
    if (!app) return 'gone'
    if (app.suspended) return putOff(webhook)
    const result = await challenger.challenge({ url: webhook.normalUrl, secrets: challengeSecrets(app, clock.now()) })
    const nextMs = result.passed ? nextChallengeAtMs(webhook.id, clock.now()) : null
    const proven = result.passed ? app.secretVersion - result.secret : undefined
    const recorded = await webhooks.setValid(webhook.id, result.passed, nextMs, proven)
    logger.info(
      { webhook_id: webhook.id, app_id: app.id, passed: result.passed, ...(!result.passed && { reason: result.details }) },
      'challenge',
    )
    return recorded ? result : 'gone'
  }
}
