import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { boolean, object } from '../../api/declare/words.ts'
import { type SnapshotServices, snapshotId } from './snapshot-store.ts'

export const deleteSnapshot = endpoint({
  name: 'deleteSnapshot',
  route: 'DELETE /operator/snapshots/:snapshot_id',
  section: '§6',
  summary: 'Delete a snapshot.',
  description: 'Development only.',
  auth: operator,
  params: { snapshot_id: snapshotId },
  answer: object({ data: object({ deleted: boolean() }) }),
  problems: ['not-found'],
  handle: ({ params: { snapshot_id } }, { snapshots, inTurn }: SnapshotServices) =>
    inTurn(async () => {
      await snapshots.remove(snapshot_id)
      return { data: { deleted: true } }
    }),
})
