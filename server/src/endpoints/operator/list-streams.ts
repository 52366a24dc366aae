import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { id, integer, iso, object, optional, timestamp } from '../../api/declare/words.ts'
import type { StreamConnections } from '../../storage/stream-connections.ts'
import { operatorPage } from './operator-page.ts'

const streamSchema = object({
  id: id(),
  app_id: id(),
  connected_at: timestamp(),
  worker: integer({ min: 0, description: 'The number of the process that has the connection.' }),
})

const page = operatorPage('after', id, streamSchema)

export const listStreams = endpoint({
  name: 'listStreams',
  route: 'GET /operator/streams',
  section: '§6',
  summary: 'List the open connections to streams in all processes, in the order of their ids.',
  auth: operator,
  params: { app_id: optional(id()), ...page.params },
  answer: page.answer,
  handle: ({ params: { app_id, after, max_results } }, { streamConnections }: { streamConnections: StreamConnections }) =>
    page.read(max_results, {
      rows: (limit) => streamConnections.list({ appId: app_id, after: after ?? null, limit }),
      view: ({ id, appId, createdAtMs, worker }) => ({ id, app_id: appId, connected_at: iso(createdAtMs), worker }),
      placeOf: (connection) => connection.id,
    }),
})
