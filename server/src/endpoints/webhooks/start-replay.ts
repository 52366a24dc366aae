import { Problem, webhookProblem } from '../../api/declare/problem.ts'
import type { Challenger } from '../../delivery/challenge/challenger.ts'
import type { ReplayRunner } from '../../delivery/replay/replay-runner.ts'
import { challengeSecrets } from '../../delivery/signing-secrets.ts'
import type { Ids } from '../../lib/ids.ts'
import type { App } from '../../storage/apps.ts'
import type { ReplayJob, ReplayJobStore } from '../../storage/replay-jobs.ts'
import type { Webhook } from '../../storage/webhooks.ts'
import { webhookIdInvalid } from './own-webhook.ts'

export interface ReplayServices {
  replayJobs: ReplayJobStore
  replayRunner: ReplayRunner
  challenger: Challenger
  ids: Ids
  now: () => number
}

export interface NewReplay {
  app: App
  webhook: Webhook
  /** What `replayWindow` made of the dates. */
  window: { fromMs: number; toMs: number }
}

const invalidWebhook = (id: string) =>
  webhookProblem('CrcValidationFailed', `webhook ${id} is invalid and receives nothing; validate it first with PUT /2/webhooks/${id}`)

/**
 * Starts a replay job of a webhook, whoever asks for it (§2.2, §3). An invalid webhook receives nothing (§2.1), so its replay is
 * refused without a challenge. Throws `CrcValidationFailed`, `conflict` while another job runs, `WebhookIdInvalid` when the webhook
 * was deleted meanwhile.
 */
export async function startReplay({ app, webhook, window }: NewReplay, services: ReplayServices): Promise<ReplayJob> {
  const { replayJobs, replayRunner, challenger, ids, now } = services
  if (!webhook.valid) throw invalidWebhook(webhook.id)
  const result = await challenger.challenge({ url: webhook.normalUrl, secrets: challengeSecrets(app, now()) })
  if (!result.passed) throw webhookProblem('CrcValidationFailed', result.reason)
  const about = { id: ids.next(), appId: app.id, webhookId: webhook.id, ...window, createdAtMs: now() }
  const fresh = { state: 'running' as const, position: 0, delivered: 0, failed: 0, finishedAtMs: null, reported: false }
  const job = { ...about, ...fresh }
  const created = await replayJobs.create(job)
  if (created === 'no-webhook') throw webhookIdInvalid()
  if (created === 'conflict')
    throw new Problem('conflict', {
      detail: 'A replay job of this webhook is in progress; a new one cannot be created until it has ended.',
    })
  await replayRunner.wake()
  return job
}
