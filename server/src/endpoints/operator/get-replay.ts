import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { Problem } from '../../api/declare/problem.ts'
import { boolean, id, integer, iso, nullable, object, oneOf, timestamp } from '../../api/declare/words.ts'
import type { ReplayJobStore } from '../../storage/replay-jobs.ts'

export const getReplay = endpoint({
  name: 'getReplay',
  route: 'GET /operator/replays/:job_id',
  section: '§2.2',
  summary: 'Get the progress of a replay job.',
  auth: operator,
  params: { job_id: id() },
  answer: object({
    data: object({
      job_id: id(),
      webhook_id: id(),
      from: timestamp(),
      to: timestamp(),
      state: oneOf(['running', 'complete', 'incomplete', 'cancelled']),
      position: integer({ description: 'The sequence number up to which every event was tried.' }),
      delivered: integer(),
      failed: integer(),
      reported: boolean({ description: 'Whether the `replay_job_status` event was sent.' }),
      created_at: timestamp(),
      finished_at: nullable(timestamp()),
    }),
  }),
  problems: ['not-found'],
  async handle({ params: { job_id } }, { replayJobs }: { replayJobs: ReplayJobStore }) {
    const job = await replayJobs.byId(job_id)
    if (!job) throw new Problem('not-found', { detail: `There is no replay job ${job_id}.` })
    const { webhookId, fromMs, toMs, state, position, delivered, failed, reported, createdAtMs, finishedAtMs } = job
    return {
      data: {
        job_id,
        webhook_id: webhookId,
        from: iso(fromMs),
        to: iso(toMs),
        state,
        position,
        delivered,
        failed,
        reported,
        created_at: iso(createdAtMs),
        finished_at: finishedAtMs === null ? null : iso(finishedAtMs),
      },
    }
  },
})
