import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { object } from '../../api/declare/words.ts'
import { type SnapshotServices, snapshotId, snapshotSchema, snapshotView } from './snapshot-store.ts'

export const restoreSnapshot = endpoint({
  name: 'restoreSnapshot',
  route: 'POST /operator/snapshots/:snapshot_id/restore',
  section: '§6',
  summary: 'Go back to a snapshot.',
  description:
    'Development only. Every read answers as it did then; what was pending then is sent again. Ids that were made since are not used again. Streams are disconnected. Calls of clients are not held back: one that is under way may see or change either state. The snapshot stays, so that tests can go back to it again. Other processes on the same PostgreSQL should be idle.',
  auth: operator,
  params: { snapshot_id: snapshotId },
  answer: object({ data: snapshotSchema }),
  problems: ['not-found'],
  handle: ({ params: { snapshot_id } }, { snapshots, inTurn }: SnapshotServices) =>
    inTurn(async () => ({ data: snapshotView(await snapshots.restore(snapshot_id)) })),
})
