import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { id } from '../../api/declare/words.ts'
import type { ReplayJobStore } from '../../storage/replay-jobs.ts'
import { operatorPage } from './operator-page.ts'
import { replaySchema, replayView } from './replay-view.ts'

const page = operatorPage('before', id, replaySchema)

export const listReplays = endpoint({
  name: 'listReplays',
  route: 'GET /operator/replays',
  section: '§2.2',
  summary: 'List the replay jobs of all apps, newest first.',
  auth: operator,
  params: page.params,
  answer: page.answer,
  handle: ({ params: { before, max_results } }, { replayJobs }: { replayJobs: ReplayJobStore }) =>
    page.read(max_results, {
      rows: (limit) => replayJobs.list(before ?? null, limit),
      view: replayView,
      placeOf: (job) => job.id,
    }),
})
