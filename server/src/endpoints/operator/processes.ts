import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { boolean, integer, iso, listOf, nullable, object, text, timestamp } from '../../api/declare/words.ts'
import type { SharingProcess } from '../../storage/sizes.ts'
import type { ServerFacts } from './get-server.ts'

interface Services {
  processes: () => Promise<SharingProcess[]>
  server: ServerFacts
}

const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms))

export const listProcesses = endpoint({
  name: 'listProcesses',
  route: 'GET /operator/processes',
  section: '§6',
  summary: 'List the processes that share the database, by their worker numbers.',
  description:
    'On PostgreSQL those whose session holds a worker number. There are at most 64. SQLite has one process. Dates of sessions are those of the clock of the database.',
  auth: operator,
  params: {},
  answer: object({
    data: listOf(
      object({
        worker: integer({ min: 0 }),
        answers: boolean({ description: 'Whether it is the process that answers.' }),
        version: nullable(text({ description: 'Null behind a pooler that does not pass on the name of a session.' })),
        started_at: nullable(timestamp({ description: 'Known of the process that answers.' })),
        session_since: nullable(timestamp({ description: 'When its session with the database began; null on SQLite.' })),
        session_used_at: nullable(timestamp({ description: 'When that session was last used. An idle process uses it seldom.' })),
        frozen: boolean({ description: 'It does not renew its lease: others have taken over its deliveries.' }),
      }),
    ),
  }),
  async handle(_, { processes, server }: Services) {
    const found = await processes()
    return {
      data: found.map(({ worker, version, sessionSinceMs, heardMs, isFrozen }) => {
        const answers = worker === server.worker
        return {
          worker,
          answers,
          version: answers ? server.version : version,
          started_at: answers ? iso(server.startedAtMs) : null,
          session_since: isoOrNull(sessionSinceMs),
          session_used_at: isoOrNull(heardMs),
          frozen: isFrozen,
        }
      }),
    }
  },
})
