import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { object } from '../../api/declare/words.ts'
import { type SnapshotServices, snapshotSchema, snapshotView } from './snapshot-store.ts'

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
