import { operator, operatorOrPortal } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { Problem } from '../../api/declare/problem.ts'
import { boolean, id, integer, iso, nullable, object, oneOf, optional, optionals, timestamp } from '../../api/declare/words.ts'
import { momentOf } from '../../lib/ids.ts'
import type { EventLog } from '../../storage/event-log.ts'
import type { ReplayJob, ReplayJobStore } from '../../storage/replay-jobs.ts'
import { assertReceives, type ReplayServices, replayDates, replayJobCreated, replayWindow, startReplay } from '../webhooks/start-replay.ts'
import { operatorPage } from './operator-page.ts'
import { type WebhookServices, webhookOfApp } from './webhooks.ts'

/** A replay job as operators see it. */
const replaySchema = object({
  job_id: id(),
  app_id: id(),
  webhook_id: id(),
  created_by: oneOf(['app', 'operator'], { description: 'Who created it: the app, or an operator on behalf of the app.' }),
  from: timestamp(),
  to: timestamp(),
  state: oneOf(['running', 'complete', 'incomplete', 'cancelled']),
  position: integer({ description: 'The sequence number up to which every event was tried.' }),
  tried_to: nullable(
    timestamp({ description: 'When the event of `position` was accepted: how far the job has come. Null before the first.' }),
  ),
  delivered: integer(),
  failed: integer(),
  reported: boolean({ description: 'Whether the `replay_job_status` event was sent.' }),
  created_at: timestamp(),
  finished_at: nullable(timestamp()),
})

const replayView = (job: ReplayJob) => ({
  job_id: job.id,
  app_id: job.appId,
  webhook_id: job.webhookId,
  created_by: job.createdBy,
  from: iso(job.fromMs),
  to: iso(job.toMs),
  state: job.state,
  position: job.position,
  tried_to: job.position === 0 ? null : iso(momentOf(job.position)),
  delivered: job.delivered,
  failed: job.failed,
  reported: job.reported,
  created_at: iso(job.createdAtMs),
  finished_at: job.finishedAtMs === null ? null : iso(job.finishedAtMs),
})

/** A dry run counts so far. */
const MAX_COUNTED = 100_000

export const createReplay = endpoint({
  name: 'createReplay',
  route: 'POST /operator/replays',
  section: '§2.2',
  summary: "Replay a webhook's events from the past 24 hours on behalf of its app.",
  description:
    'The same job, after the same checks, as `POST /2/webhooks/replay` creates. The webhook of a suspended app is refused. `dry_run` says how many events it would send, and sends nothing, not even a challenge.',
  auth: operatorOrPortal({ webhook_id: 'webhook', from_date: 'any', to_date: 'any', dry_run: 'any' }),
  params: {
    webhook_id: id(),
    ...replayDates,
    dry_run: optional(boolean({ description: 'Count, and send nothing.' })),
  },
  answer: object({
    data: object({
      ...optionals(replayJobCreated),
      would_replay: optional(
        integer({
          min: 0,
          description: `Of a dry run: how many events, each with one delivery. Counted up to ${MAX_COUNTED}; those whose user has revoked the consent are left out later.`,
        }),
      ),
    }),
  }),
  problems: ['not-found', 'CrcValidationFailed', 'conflict', 'usage-capped'],
  async handle(
    { params: { webhook_id, from_date, to_date, dry_run }, caller },
    services: ReplayServices & WebhookServices & { eventLog: EventLog },
  ) {
    const window = replayWindow(from_date, to_date, services.now())
    const { app, webhook } = await webhookOfApp(services, webhook_id)
    if (dry_run) {
      assertReceives(webhook)
      return { data: { would_replay: await services.eventLog.countRange(webhook_id, window.fromMs, window.toMs, MAX_COUNTED) } }
    }
    return { data: await startReplay({ app, webhook, createdBy: caller.app ? 'app' : 'operator', window }, services) }
  },
})

const page = operatorPage('before', id, replaySchema)

export const listReplays = endpoint({
  name: 'listReplays',
  route: 'GET /operator/replays',
  section: '§2.2',
  summary: 'List the replay jobs of all apps, newest first.',
  auth: operatorOrPortal({ before: 'any', max_results: 'any' }),
  params: page.params,
  answer: page.answer,
  handle: ({ params: { before, max_results }, caller }, { replayJobs }: { replayJobs: ReplayJobStore }) =>
    page.read(max_results, {
      rows: (limit) => replayJobs.list(before ?? null, limit, caller.app?.id),
      view: replayView,
      placeOf: (job) => job.id,
    }),
})

async function jobOf(replayJobs: ReplayJobStore, id: string): Promise<ReplayJob> {
  const job = await replayJobs.byId(id)
  if (!job) throw new Problem('not-found', { detail: `There is no replay job ${id}.` })
  return job
}

export const getReplay = endpoint({
  name: 'getReplay',
  route: 'GET /operator/replays/:job_id',
  section: '§2.2',
  summary: 'Get the progress of a replay job.',
  auth: operatorOrPortal({ job_id: 'replay' }),
  params: { job_id: id() },
  answer: object({ data: replaySchema }),
  problems: ['not-found'],
  async handle({ params: { job_id } }, { replayJobs }: { replayJobs: ReplayJobStore }) {
    return { data: replayView(await jobOf(replayJobs, job_id)) }
  },
})

export const cancelReplay = endpoint({
  name: 'cancelReplay',
  route: 'DELETE /operator/replays/:job_id',
  section: '§2.2',
  summary: 'Cancel a replay job that is running.',
  description:
    'It ends after the page of at most 100 events that is being sent. What was sent stays sent; no `replay_job_status` event follows. A job that has ended is answered as it is.',
  auth: operator,
  params: { job_id: id() },
  answer: object({ data: replaySchema }),
  problems: ['not-found'],
  async handle({ params: { job_id } }, { replayJobs, now }: { replayJobs: ReplayJobStore; now: () => number }) {
    await replayJobs.cancel(job_id, now())
    return { data: replayView(await jobOf(replayJobs, job_id)) }
  },
})
