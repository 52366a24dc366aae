import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { Problem } from '../../api/declare/problem.ts'
import { id, object } from '../../api/declare/words.ts'
import type { ReplayJobStore } from '../../storage/replay-jobs.ts'
import { replaySchema, replayView } from './replay-view.ts'

export const getReplay = endpoint({
  name: 'getReplay',
  route: 'GET /operator/replays/:job_id',
  section: '§2.2',
  summary: 'Get the progress of a replay job.',
  auth: operator,
  params: { job_id: id() },
  answer: object({ data: replaySchema }),
  problems: ['not-found'],
  async handle({ params: { job_id } }, { replayJobs }: { replayJobs: ReplayJobStore }) {
    const job = await replayJobs.byId(job_id)
    if (!job) throw new Problem('not-found', { detail: `There is no replay job ${job_id}.` })
    return { data: replayView(job) }
  },
})
