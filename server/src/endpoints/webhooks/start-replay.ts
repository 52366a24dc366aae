import { Problem, webhookProblem } from '../../api/declare/problem.ts'
import { id, iso, matching, timestamp } from '../../api/declare/words.ts'
import type { ReplayRunner } from '../../delivery/replay/replay-runner.ts'
import type { Ids } from '../../lib/ids.ts'
import type { App } from '../../storage/apps.ts'
import type { ReplayCreator, ReplayJobStore } from '../../storage/replay-jobs.ts'
import type { Webhook } from '../../storage/webhooks.ts'
import { assertChallenge, type ChallengeServices } from './assert-challenge.ts'
import { webhookIdInvalid } from './own-webhook.ts'

export interface ReplayServices extends ChallengeServices {
  replayJobs: ReplayJobStore
  replayRunner: ReplayRunner
  ids: Ids
}

const minute = (description: string) =>
  matching('^[0-9]{12}$', { description, example: '202603011200', mustBe: 'a UTC minute like 202603011200 (yyyymmddhhmm)' })

/** The window of a replay, as its parameters. */
export const replayDates = {
  from_date: minute('UTC, yyyymmddhhmm, inclusive.'),
  to_date: minute('UTC, yyyymmddhhmm, exclusive.'),
}

/** What the creation of a replay job answers (§2.2). */
export const replayJobCreated = { job_id: id(), created_at: timestamp() }

export interface NewReplay {
  app: App
  webhook: Webhook
  createdBy: ReplayCreator
  /** What `replayWindow` made of the dates. */
  window: { fromMs: number; toMs: number }
}

const invalidWebhook = (id: string) =>
  webhookProblem('CrcValidationFailed', `webhook ${id} is invalid and receives nothing; validate it first with PUT /2/webhooks/${id}`)

/**
 * Starts a replay job of a webhook for its app or an operator (§2.2, §3). An invalid webhook receives nothing (§2.1), so its replay is
 * rejected without a challenge.
 * @throws `CrcValidationFailed`, `conflict` while another job of the webhook runs, `WebhookIdInvalid` if the webhook was deleted meanwhile.
 */
export async function startReplay(
  { app, webhook, createdBy, window }: NewReplay,
  services: ReplayServices,
): Promise<{ job_id: string; created_at: string }> {
  const { replayJobs, replayRunner, ids, now } = services
  if (!webhook.valid) throw invalidWebhook(webhook.id)
  await assertChallenge({ refused: 'replay', app, url: webhook.normalUrl }, services)
  const about = { id: ids.next(), appId: app.id, webhookId: webhook.id, ...window, createdBy, createdAtMs: now() }
  const fresh = { state: 'running' as const, position: 0, delivered: 0, failed: 0, finishedAtMs: null, reported: false }
  const job = { ...about, ...fresh }
  const created = await replayJobs.create(job)
  if (created === 'no-webhook') throw webhookIdInvalid()
  if (created === 'conflict')
    throw new Problem('conflict', {
      detail: 'A replay job of this webhook is in progress; a new one cannot be created until it has ended.',
    })
  await replayRunner.wake()
  return { job_id: job.id, created_at: iso(job.createdAtMs) }
}
