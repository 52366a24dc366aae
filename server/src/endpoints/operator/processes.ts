import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { boolean, integer, iso, listOf, nullable, object, oneOf, text, timestamp } from '../../api/declare/words.ts'
import { brokerStates } from '../../delivery/broker/broker-state.ts'
import type { Answered, ProcessReport } from '../../delivery/fleet/reports.ts'
import { roleNames } from '../../storage/roles.ts'
import type { SharingProcess } from '../../storage/sizes.ts'
import type { ServerFacts } from './get-server.ts'

interface Services {
  processes: () => Promise<SharingProcess[]>
  /** How the processes do that answer, this one among them. */
  processReports: () => Promise<(ProcessReport & Partial<Answered>)[]>
  server: ServerFacts
}

const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms))

const roundedOrNull = (ms: number | undefined) => (ms === undefined ? null : Math.round(ms))

export const listProcesses = endpoint({
  name: 'listProcesses',
  route: 'GET /operator/processes',
  section: '§6',
  summary: 'List the processes that share the database, by their worker numbers.',
  description:
    'On PostgreSQL those whose session holds a worker number. There are at most 64. SQLite has one process. Each is asked how it does, over the database; what one did not answer within a second is null. Dates of sessions are those of the clock of the database.',
  auth: operator,
  params: {},
  answer: object({
    data: listOf(
      object({
        worker: integer({ min: 0 }),
        answers: boolean({ description: 'Whether it is the process that answers.' }),
        version: nullable(text({ description: 'Null behind a pooler that does not pass on the name of a session.' })),
        roles: nullable(
          listOf(oneOf(roleNames), { description: 'What it does. Null behind a pooler that does not pass on the name of a session.' }),
        ),
        host: nullable(text({ description: 'The name of its machine.' })),
        pid: nullable(integer({ min: 1, description: 'The id of the process there.' })),
        started_at: nullable(timestamp()),
        session_since: nullable(timestamp({ description: 'When its session with the database began; null on SQLite.' })),
        session_used_at: nullable(timestamp({ description: 'When that session was last used. An idle process uses it seldom.' })),
        feed_lag_ms: nullable(
          integer({
            min: 0,
            description:
              'How long a message takes from its commit until it is seen: of the process that answers, until it heard its own question; of another one, until its answer was here, which is there and back. Null on SQLite.',
          }),
        ),
        event_loop_delay_ms: nullable(
          integer({ min: 0, description: 'The longest delay of its event loop in the 200 ms for which it was watched.' }),
        ),
        in_flight: nullable(integer({ min: 0, description: 'Attempts in flight.' })),
        waiting: nullable(integer({ min: 0, description: 'Deliveries that wait in its memory.' })),
        logs_away: nullable(
          listOf(integer({ min: 1 }), {
            description: 'Of several event logs those that it cannot use. Null where there is one.',
          }),
        ),
        broker: nullable(
          oneOf(brokerStates, {
            description:
              'Of one that takes events from a broker (`POSTERN_EVENTS_FROM`). `away`: the broker cannot be used. `paused`: nothing is taken, because no event can be accepted or this is a held copy. Null where it takes none.',
          }),
        ),
        frozen: boolean({ description: 'It does not renew its lease: others have taken over its deliveries.' }),
      }),
    ),
  }),
  async handle(_, { processes, processReports, server }: Services) {
    const reports = new Map((await processReports()).map((report) => [report.worker, report]))
    // Later than the answers: then a session that was used for one says so.
    const found = await processes()
    return {
      data: found.map(({ worker, version, roles, host, pid, sessionSinceMs, heardMs, isFrozen }) => {
        const answers = worker === server.worker
        const report = reports.get(worker)
        return {
          worker,
          answers,
          version: report?.version ?? version,
          roles: roles && [...roles],
          host,
          pid,
          started_at: answers ? iso(server.startedAtMs) : isoOrNull(report?.startedAtMs ?? null),
          session_since: isoOrNull(sessionSinceMs),
          session_used_at: isoOrNull(heardMs),
          feed_lag_ms: roundedOrNull(report?.afterMs),
          event_loop_delay_ms: roundedOrNull(report?.loopDelayMs),
          in_flight: report?.inFlight ?? null,
          waiting: report?.waiting ?? null,
          broker: report?.broker ?? null,
          logs_away: report?.logsAway ? [...report.logsAway] : null,
          frozen: isFrozen,
        }
      }),
    }
  },
})
