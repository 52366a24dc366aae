import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { integer, iso, object, oneOf, text, timestamp } from '../../api/declare/words.ts'

/** What this process is. */
export interface ServerFacts {
  pid: number
  worker: number
  profile: 'development' | 'production'
  version: string
  /** Without credentials. */
  database: string
  startedAtMs: number
}

export const getServer = endpoint({
  name: 'getServer',
  route: 'GET /operator/server',
  section: '§6',
  summary: 'Say which process answers, and on which database.',
  auth: operator,
  params: {},
  answer: object({
    data: object({
      pid: integer({ min: 1 }),
      worker: integer({ min: 0, description: 'Its number among the processes that share the database.' }),
      profile: oneOf(['development', 'production']),
      version: text(),
      database: text({ description: 'The SQLite file, or the host and the name of the PostgreSQL database.' }),
      started_at: timestamp(),
    }),
  }),
  handle: async (_, { server: { startedAtMs, ...facts } }: { server: ServerFacts }) => ({
    data: { ...facts, started_at: iso(startedAtMs) },
  }),
})
