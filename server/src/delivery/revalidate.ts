import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import type { App, AppStore } from '../storage/apps.ts'
import type { BegunChallenge, WebhookStore } from '../storage/webhooks.ts'
import type { ChallengeResult, Challenger } from './challenge/challenger.ts'
import { nextChallengeAtMs } from './challenge-slot.ts'
import { challengeSecrets } from './signing-secrets.ts'

/** Who asks for a challenge: only of a PUT does one that passes re-enable. */
type Asker = 'byPut' | 'byItself'

/**
 * Challenges a webhook and records the outcome; `gone` when there is no such webhook, or none any more, `put off` while its app
 * is suspended.
 */
export type Revalidate = (webhookId: string, asked: Asker) => Promise<ChallengeResult | 'gone' | 'put off'>

/**
 * valid or invalid → (challenge fails) invalid: events stop, and only a PUT brings it back (§3)
 * valid or invalid → (challenge of a PUT passes) valid, challenged again within the hour
 * valid            → (another challenge passes) valid, challenged again within the hour
 * its app is suspended → as it was, to be challenged within the hour
 *
 * Challenges of one webhook may overlap, in several processes: what the one that began last decides stands, whichever ends last.
 */
export function createRevalidate(webhooks: WebhookStore, apps: AppStore, challenger: Challenger, clock: Clock, logger: Logger): Revalidate {
  const record = async ({ webhook, number }: BegunChallenge, app: App, result: ChallengeResult, asked: Asker) => {
    const { id, provenSecretVersion: proven } = webhook
    const atMs = clock.now()
    if (!result.passed) return webhooks.decide(id, number, { valid: false, atMs, nextChallengeAtMs: null, failure: result.details })
    const nextMs = nextChallengeAtMs(id, atMs)
    const provenSecretVersion = app.secretVersion - result.secret
    if (asked === 'byPut') return webhooks.decide(id, number, { valid: true, atMs, nextChallengeAtMs: nextMs, provenSecretVersion })
    await webhooks.putOff(id, nextMs, { atMs, ...(provenSecretVersion !== proven && { provenSecretVersion }) })
    return true
  }

  const challenge = async (begun: BegunChallenge, app: App, asked: Asker) => {
    const { id, normalUrl } = begun.webhook
    const result = await challenger.challenge({ url: normalUrl, secrets: challengeSecrets(app, clock.now()) })
    const stands = await record(begun, app, result, asked)
    const about = { webhook_id: id, app_id: app.id, passed: result.passed, ...(!result.passed && { reason: result.details }) }
    logger.info(about, 'challenge')
    return stands ? result : 'gone'
  }

  return async (webhookId, asked) => {
    const begun = await webhooks.beginChallenge(webhookId)
    const app = begun && (await apps.byId(begun.webhook.appId))
    if (!begun || !app) return 'gone'
    if (!app.suspended) return challenge(begun, app, asked)
    await webhooks.putOff(webhookId, nextChallengeAtMs(webhookId, clock.now()))
    logger.info({ webhook_id: webhookId, app_id: app.id }, 'challenge put off')
    return 'put off'
  }
}
