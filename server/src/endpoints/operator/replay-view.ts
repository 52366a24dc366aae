import { boolean, id, integer, iso, nullable, object, oneOf, timestamp } from '../../api/declare/words.ts'
import type { ReplayJob } from '../../storage/replay-jobs.ts'

/** A replay job as operators see it. */
export const replaySchema = object({
  job_id: id(),
  app_id: id(),
  webhook_id: id(),
  created_by: oneOf(['app', 'operator'], { description: 'Who created it: the app, or an operator on behalf of the app.' }),
  from: timestamp(),
  to: timestamp(),
  state: oneOf(['running', 'complete', 'incomplete', 'cancelled']),
  position: integer({ description: 'The sequence number up to which every event was tried.' }),
  delivered: integer(),
  failed: integer(),
  reported: boolean({ description: 'Whether the `replay_job_status` event was sent.' }),
  created_at: timestamp(),
  finished_at: nullable(timestamp()),
})

export const replayView = (job: ReplayJob) => ({
  job_id: job.id,
  app_id: job.appId,
  webhook_id: job.webhookId,
  created_by: job.createdBy,
  from: iso(job.fromMs),
  to: iso(job.toMs),
  state: job.state,
  position: job.position,
  delivered: job.delivered,
  failed: job.failed,
  reported: job.reported,
  created_at: iso(job.createdAtMs),
  finished_at: job.finishedAtMs === null ? null : iso(job.finishedAtMs),
})
