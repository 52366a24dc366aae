import { type ErrorDetail, invalidRequest, Problem, webhookProblem } from '../../api/declare/problem.ts'
import { id, iso, matching, timestamp } from '../../api/declare/words.ts'
import type { JobRunner } from '../../delivery/job-runner.ts'
import type { Ids } from '../../lib/ids.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/time.ts'
import type { App } from '../../storage/apps.ts'
import type { ReplayCreator, ReplayJobStore } from '../../storage/replay-jobs.ts'
import type { Webhook } from '../../storage/webhooks.ts'
import { assertChallenge, type ChallengeServices } from './assert-challenge.ts'
import { assertQuotas, type QuotaServices } from './assert-quota.ts'
import { webhookIdInvalid } from './own-webhook.ts'

const REPLAY_WINDOW_MS = 24 * HOUR_MS

/** A minute in UTC, `yyyymmddhhmm` (§2.2), as milliseconds since 1970; undefined when no calendar has it. */
export function parseMinute(text: string): number | undefined {
  const [year, month, day, hour, minute] = [text.slice(0, 4), text.slice(4, 6), text.slice(6, 8), text.slice(8, 10), text.slice(10, 12)]
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:00.000Z`)
  return Number.isNaN(ms) || formatMinute(ms) !== text ? undefined : ms
}

export const formatMinute = (ms: number) => new Date(ms).toISOString().replace(/[-T:]/g, '').slice(0, 12)

/**
 * The window of a replay: `from_date` inclusive, `to_date` exclusive, both in the past 24 hours, but `to_date` may be the next
 * full minute so that the running one can be replayed. Throws with every rule that is broken, by name.
 */
export function replayWindow(from_date: string, to_date: string, nowMs: number): { fromMs: number; toMs: number } {
  const thisMinuteMs = nowMs - (nowMs % MINUTE_MS)
  const earliestMs = thisMinuteMs - REPLAY_WINDOW_MS
  const latestMs = thisMinuteMs + MINUTE_MS
  const mistakes: ErrorDetail[] = []
  const refuse = (name: string, value: string, rule: string) =>
    mistakes.push({ message: `$.${name}: ${rule}`, parameters: { [name]: [value] } })

  const check = (name: string, value: string): number => {
    const ms = parseMinute(value)
    if (ms === undefined) refuse(name, value, 'must be a valid minute in UTC, written yyyymmddhhmm')
    else if (ms < earliestMs) refuse(name, value, `must be within the past 24 hours: at the earliest ${formatMinute(earliestMs)}`)
    else if (ms > latestMs) refuse(name, value, `must not be in the future: at the latest ${formatMinute(latestMs)}, the next full minute`)
    return ms ?? Number.NaN
  }

  const fromMs = check('from_date', from_date)
  const toMs = check('to_date', to_date)
  if (mistakes.length === 0 && fromMs >= toMs) refuse('from_date', from_date, 'must be before to_date, which is exclusive')
  if (mistakes.length > 0) throw invalidRequest(mistakes)
  return { fromMs, toMs }
}

export interface ReplayServices extends ChallengeServices, QuotaServices {
  replayJobs: ReplayJobStore
  replayRunner: Pick<JobRunner, 'wake'>
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

interface NewReplay {
  app: App
  webhook: Webhook
  createdBy: ReplayCreator
  /** What `replayWindow` made of the dates. */
  window: { fromMs: number; toMs: number }
}

/** Throws `CrcValidationFailed` for an invalid webhook. */
export function assertReceives({ id, valid }: Webhook) {
  if (valid) return
  throw webhookProblem('CrcValidationFailed', `webhook ${id} is invalid and receives nothing; validate it first with PUT /2/webhooks/${id}`)
}

/**
 * Starts a replay job of a webhook for its app or an operator (§2.2, §3). An invalid webhook receives nothing (§2.1), so its replay is
 * rejected without a challenge.
 * @throws `CrcValidationFailed`, `usage-capped` to an app that has used up a quota, `conflict` while another job of the webhook runs, `WebhookIdInvalid` if the webhook was deleted meanwhile.
 */
export async function startReplay(
  { app, webhook, createdBy, window }: NewReplay,
  services: ReplayServices,
): Promise<{ job_id: string; created_at: string }> {
  const { replayJobs, replayRunner, ids, now } = services
  assertReceives(webhook)
  if (createdBy === 'app') await assertQuotas(app, services)
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
