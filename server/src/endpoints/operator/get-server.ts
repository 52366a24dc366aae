import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { integer, iso, listOf, nullable, object, oneOf, text, timestamp } from '../../api/declare/words.ts'
import type { Hold } from '../../delivery/hold.ts'
import { type Role, roleNames } from '../../storage/roles.ts'

/** What this process is. */
export interface ServerFacts {
  pid: number
  worker: number
  profile: 'development' | 'production'
  version: string
  roles: readonly Role[]
  /** Without credentials. */
  database: string
  startedAtMs: number
}

export const heldSince = nullable(
  timestamp({
    description: 'Since when the database is a restored copy that sends nothing; null unless it is. `POST /operator/release` ends it.',
  }),
)

export function heldSinceOf(hold: Pick<Hold, 'since'>) {
  const since = hold.since()
  return since === undefined ? null : iso(Date.parse(since))
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
      roles: listOf(oneOf(roleNames), { description: 'What it does, of the processes that share the database.' }),
      database: text({ description: 'The SQLite file, or the host and the name of the PostgreSQL database.' }),
      started_at: timestamp(),
      held_since: heldSince,
    }),
  }),
  handle: async (_, { server: { startedAtMs, roles, ...facts }, hold }: { server: ServerFacts; hold: Pick<Hold, 'since'> }) => ({
    data: { ...facts, roles: [...roles], started_at: iso(startedAtMs), held_since: heldSinceOf(hold) },
  }),
})
