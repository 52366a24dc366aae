import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import type { App, AppStore } from '../storage/apps.ts'
import { logUnlessUnavailable } from '../storage/unavailable.ts'
import type { BegunChallenge, WebhookStore } from '../storage/webhooks.ts'
import type { ChallengeResult, Challenger } from './challenge/challenger.ts'
import { nextChallengeAtMs } from './challenge-slot.ts'
import { challengeSecrets } from './signing-secrets.ts'

/** What started a challenge: a PUT, or Postern itself. Only a PUT can enable an invalid webhook again. */
type Trigger = 'put' | 'automatic'

/**
 * Challenges a webhook and records the outcome. `inSteps`: the result tells each step. `deleted`: there is no such webhook (any more). `postponed`: its app is suspended.
 */
export type Revalidate = (webhookId: string, trigger: Trigger, inSteps?: boolean) => Promise<ChallengeResult | 'deleted' | 'postponed'>

/**
 * valid or invalid → (challenge fails) invalid: events stop, and only a PUT enables it again (§3)
 * valid or invalid → (challenge of a PUT passes) valid, challenged again within the hour
 * valid            → (another challenge passes) valid, challenged again within the hour
 * app suspended    → unchanged, challenged within the hour
 *
 * Challenges of one webhook may overlap, also in several processes. The outcome of the one that began last counts, whichever ends last.
 */
export function createRevalidate(webhooks: WebhookStore, apps: AppStore, challenger: Challenger, clock: Clock, logger: Logger): Revalidate {
  const record = async ({ webhook, number }: BegunChallenge, app: App, result: ChallengeResult, trigger: Trigger) => {
    const { id, provenSecretVersion: proven } = webhook
    const atMs = clock.now()
    if (!result.passed) return webhooks.decide(id, number, { valid: false, atMs, nextChallengeAtMs: null, failure: result.details })
    const nextMs = nextChallengeAtMs(id, atMs)
    const provenSecretVersion = app.secretVersion - result.secret
    if (trigger === 'put') return webhooks.decide(id, number, { valid: true, atMs, nextChallengeAtMs: nextMs, provenSecretVersion })
    await webhooks.postpone(id, nextMs, { atMs, ...(provenSecretVersion !== proven && { provenSecretVersion }) })
    return true
  }

  const challenge = async (begun: BegunChallenge, app: App, trigger: Trigger, inSteps: boolean) => {
    const { id, normalUrl } = begun.webhook
    const secrets = challengeSecrets(app, clock.now())
    const result = await challenger.challenge({ url: normalUrl, secrets, appId: app.id, webhookId: id, inSteps })
    const exists = await record(begun, app, result, trigger)
    const about = { webhook_id: id, app_id: app.id, passed: result.passed, ...(!result.passed && { reason: result.details }) }
    logger[result.passed ? 'info' : 'warn'](about, 'challenge')
    return exists ? result : 'deleted'
  }

  return async (webhookId, trigger, inSteps = false) => {
    const begun = await webhooks.beginChallenge(webhookId)
    const app = begun && (await apps.byId(begun.webhook.appId))
    if (!begun || !app) return 'deleted'
    if (!app.suspended) return challenge(begun, app, trigger, inSteps)
    await webhooks.postpone(webhookId, nextChallengeAtMs(webhookId, clock.now()))
    logger.info({ webhook_id: webhookId, app_id: app.id }, 'challenge postponed')
    return 'postponed'
  }
}

/** Handles a callback that answered 410 Gone: its webhook is challenged at once, and becomes invalid if that fails. One challenge at a time for each webhook. */
export function createOnGone(webhooks: WebhookStore, revalidate: Revalidate, logger: Logger): (webhookId: string) => void {
  const running = new Set<string>()

  const challenge = async (webhookId: string) => {
    const webhook = await webhooks.byId(webhookId)
    if (webhook?.valid) await revalidate(webhookId, 'automatic')
  }

  return (webhookId) => {
    if (running.has(webhookId)) return
    running.add(webhookId)
    challenge(webhookId)
      .catch((error) => logUnlessUnavailable(logger, error, 'could not record a challenge', { webhook_id: webhookId }))
      .finally(() => running.delete(webhookId))
  }
}
