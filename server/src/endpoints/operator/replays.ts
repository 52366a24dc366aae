import { operatorOrPortal } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { Problem } from '../../api/declare/problem.ts'
import { boolean, id, integer, iso, nullable, object, oneOf, timestamp } from '../../api/declare/words.ts'
import { momentOf } from '../../lib/ids.ts'
import type { ReplayJob, ReplayJobStore } from '../../storage/replay-jobs.ts'
import { type ReplayServices, replayDates, replayJobCreated, replayWindow, startReplay } from '../webhooks/start-replay.ts'
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

export const createReplay = endpoint({
  name: 'createReplay',
  route: 'POST /operator/replays',
  section: '§2.2',
  summary: "Replay a webhook's events from the past 24 hours on behalf of its app.",
  description: 'The same job, after the same checks, as `POST /2/webhooks/replay` creates. The webhook of a suspended app is refused.',
  auth: operatorOrPortal({ webhook_id: 'webhook', from_date: 'any', to_date: 'any' }),
  params: { webhook_id: id(), ...replayDates },
  answer: object({ data: object(replayJobCreated) }),
  problems: ['not-found', 'CrcValidationFailed', 'conflict'],
  async handle({ params: { webhook_id, from_date, to_date }, caller }, services: ReplayServices & WebhookServices) {
    const window = replayWindow(from_date, to_date, services.now())
    const { app, webhook } = await webhookOfApp(services, webhook_id)
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
    const job = await replayJobs.byId(job_id)
    if (!job) throw new Problem('not-found', { detail: `There is no replay job ${job_id}.` })
    return { data: replayView(job) }
  },
})
