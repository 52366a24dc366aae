import { operator } from '../../access/operator.ts'
import type { DialectName } from '../../api/declare/dialect.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { integer, iso, listOf, nullable, object, oneOf, text, timestamp } from '../../api/declare/words.ts'
import type { Hold } from '../../delivery/hold.ts'
import { type Role, roleNames } from '../../storage/roles.ts'

/** What this process is. */
export interface ServerFacts {
  pid: number
  worker: number
  profile: 'development' | 'production'
  dialect: DialectName
  version: string
  roles: readonly Role[]
  /** Without credentials. */
  database: string
  startedAtMs: number
  /** Empty until the hosts listen. */
  origins: { ads_sandbox_base_url: string }
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
      dialect: oneOf(['spec', 'x'], { description: 'How names are spelled on the wire: `x` says tweet and twitter.' }),
      version: text(),
      roles: listOf(oneOf(roleNames), { description: 'What it does, of the processes that share the database.' }),
      database: text({ description: 'The SQLite file, or the host and the name of the PostgreSQL database.' }),
      ads_sandbox_base_url: text({ min: 0, description: 'Where the sandbox of the advertising API is. Empty where that is not known.' }),
      started_at: timestamp(),
      held_since: heldSince,
    }),
  }),
  async handle(_, { server, hold }: { server: ServerFacts; hold: Pick<Hold, 'since'> }) {
    const { startedAtMs, roles, origins, ...facts } = server
    const { ads_sandbox_base_url } = origins
    return { data: { ...facts, roles: [...roles], ads_sandbox_base_url, started_at: iso(startedAtMs), held_since: heldSinceOf(hold) } }
  },
})
