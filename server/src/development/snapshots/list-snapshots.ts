import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { listOf, object } from '../../api/declare/words.ts'
import { type SnapshotServices, snapshotSchema, snapshotView } from './snapshot-store.ts'

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
