import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { boolean, listOf, object } from '../../api/declare/words.ts'
import { type SnapshotServices, snapshotId, snapshotSchema, snapshotView } from './snapshot-store.ts'

export const reset = endpoint({
  name: 'reset',
  route: 'POST /operator/reset',
  section: '§6',
  summary: 'Reset to the seed: delete everything else and reset the clock.',
  description:
    'Development only. What is under way ends first. Calls of clients are not held back: one that is under way may see or change either state.',
  auth: operator,
  params: {},
  answer: object({ data: object({ reset: boolean() }) }),
  async handle(_call, { backToSeed }: { backToSeed: () => Promise<unknown> }) {
    await backToSeed()
    return { data: { reset: true } }
  },
})

export const createSnapshot = endpoint({
  name: 'createSnapshot',
  route: 'POST /operator/snapshots',
  section: '§6',
  summary: 'Take a snapshot of everything.',
  description:
    'Development only. It has all data, the event log, uploaded media, rate-limit windows and the time. What is under way ends first. At most 10 snapshots and 512 MB are kept, until the process ends; `POST /operator/reset` leaves them.',
  auth: operator,
  params: {},
  success: 201,
  answer: object({ data: snapshotSchema }),
  problems: ['conflict'],
  handle: (_call, { snapshots, inTurn }: SnapshotServices) => inTurn(async () => ({ data: snapshotView(await snapshots.create()) })),
})

export const listSnapshots = endpoint({
  name: 'listSnapshots',
  route: 'GET /operator/snapshots',
  section: '§6',
  summary: 'List the snapshots, oldest first.',
  description: 'Development only.',
  auth: operator,
  params: {},
  answer: object({ data: listOf(snapshotSchema) }),
  async handle(_call, { snapshots }: Pick<SnapshotServices, 'snapshots'>) {
    return { data: snapshots.list().map(snapshotView) }
  },
})

export const restoreSnapshot = endpoint({
  name: 'restoreSnapshot',
  route: 'POST /operator/snapshots/:snapshot_id/restore',
  section: '§6',
  summary: 'Go back to a snapshot.',
  description:
    'Development only. Every read answers as it did then; what was pending then is sent again. Ids that were made since are not used again. Streams are disconnected. Faults that were added since end. Calls of clients are not held back: one that is under way may see or change either state. The snapshot stays, so that tests can go back to it again. Other processes on the same PostgreSQL should be idle.',
  auth: operator,
  params: { snapshot_id: snapshotId },
  answer: object({ data: snapshotSchema }),
  problems: ['not-found'],
  handle: ({ params: { snapshot_id } }, { snapshots, inTurn }: SnapshotServices) =>
    inTurn(async () => ({ data: snapshotView(await snapshots.restore(snapshot_id)) })),
})

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
