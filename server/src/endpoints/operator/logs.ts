import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { Problem } from '../../api/declare/problem.ts'
import { boolean, integer, iso, listOf, nullable, object, oneOf, optional, text, timestamp } from '../../api/declare/words.ts'
import type { ProcessReport } from '../../delivery/fleet/reports.ts'
import type { EventLog } from '../../storage/event-log.ts'
import { SLOTS } from '../../storage/log-map.ts'
import type { LogStatus, MoveRefusal, SeveralLogs } from '../../storage/several-logs.ts'
import { MAX_COUNTED, type SharingProcess } from '../../storage/sizes.ts'
import type { ServerFacts } from './get-server.ts'

interface ListServices {
  severalLogs: SeveralLogs | undefined
  eventLog: Pick<EventLog, 'extent'>
  server: ServerFacts
}

interface MoveServices extends ListServices {
  processes: () => Promise<SharingProcess[]>
  processReports: () => Promise<ProcessReport[]>
}

const logNumber = integer({ min: 1, example: 2, description: 'The number of an event log.' })

const logSchema = object({
  log: logNumber,
  database: text({ description: 'The SQLite file, or the host and the name of the PostgreSQL database.' }),
  state: oneOf(['used', 'draining', 'unused'], {
    description: '`used`: slots are appended to it. `draining`: none is, and it has events. `unused`: it has none, and may be taken out.',
  }),
  slots: integer({ min: 0, description: `How many of the ${SLOTS} slots are appended to it.` }),
  leaving: integer({ min: 0, description: 'How many slots were moved away from it, of which it still has events.' }),
  events: nullable(integer({ min: 0, description: `Counted up to ${MAX_COUNTED}. Null while it is away.` })),
  oldest_event_at: nullable(timestamp({ description: 'When the oldest was accepted; null without any, and while it is away.' })),
  away_since: nullable(timestamp({ description: 'Since when the process that answers cannot use it; null while it can.' })),
})

const stateOf = ({ slots, leaving }: LogStatus): 'used' | 'draining' | 'unused' =>
  slots > 0 ? 'used' : leaving > 0 ? 'draining' : 'unused'

const isoOrNull = (ms: number | undefined) => (ms === undefined ? null : iso(ms))

export const listLogs = endpoint({
  name: 'listLogs',
  route: 'GET /operator/logs',
  section: '§6',
  summary: 'List the event logs: which part of the events each has, and whether it is there.',
  description:
    'One, unless `POSTERN_LOG_URLS` names several. A webhook has a slot, and a slot is appended to one log. A slot that was moved has its former events where they were, until they have left the retention.',
  auth: operator,
  params: {},
  answer: object({ data: listOf(logSchema) }),
  async handle(_, { severalLogs, eventLog, server: { database } }: ListServices) {
    if (!severalLogs) {
      const { events, oldestMs } = await eventLog.extent(MAX_COUNTED)
      const only = { log: 1, database, state: 'used' as const, slots: SLOTS, leaving: 0, away_since: null }
      return { data: [{ ...only, events, oldest_event_at: isoOrNull(oldestMs) }] }
    }
    const data = severalLogs.status().map(async (status) => {
      const content = await severalLogs.content(status.log, MAX_COUNTED)
      const { log, place, slots, leaving, awaySinceMs } = status
      return {
        log,
        database: place,
        state: stateOf(status),
        slots,
        leaving,
        events: content?.events ?? null,
        oldest_event_at: isoOrNull(content?.oldestMs),
        away_since: isoOrNull(awaySinceMs),
      }
    })
    return { data: await Promise.all(data) }
  },
})

const conflict = (detail: string) => new Problem('conflict', { detail })

/** The logs, one of which this is. Throws where there is one. */
function logsWith(log: number, { severalLogs }: ListServices): SeveralLogs {
  if (!severalLogs) throw conflict('There is one event log: name several in POSTERN_LOG_URLS, and restart the processes.')
  if (!severalLogs.status().some((status) => status.log === log))
    throw new Problem('not-found', {
      detail: `There is no event log ${log}: add the URL of its database to POSTERN_LOG_URLS, and restart the processes. GET /operator/logs lists them.`,
    })
  return severalLogs
}

const refusals: Record<MoveRefusal, string> = {
  unknown: 'This process does not know the event log any more.',
  away: 'An event log that would get slots is away: retry when it is back.',
  there: 'The event log answers: drain it without `lost`, so that what it has is sent.',
  only: 'No other event log has slots: add one before, or slots would be left without a log.',
  changed: 'Slots were moved by another call at the same time: retry.',
}

function moved(result: number | MoveRefusal): number {
  if (typeof result !== 'number') throw conflict(refusals[result])
  return result
}

const movedSlots = integer({ min: 0, description: 'How many slots were moved.' })

/** Calls `check` with what each process that works tells of the logs. Throws if one does not. */
async function askProcesses(log: number, { processes, processReports }: MoveServices, check: (report: ProcessReport) => void) {
  const reports = new Map((await processReports()).map((report) => [report.worker, report]))
  for (const { worker, isFrozen } of await processes()) {
    if (isFrozen) continue
    const report = reports.get(worker)
    if (!report) throw conflict(`The process ${worker} did not answer whether it reaches event log ${log}: retry, or stop it.`)
    check(report)
  }
}

/** Throws if a process that works would not know where to append. */
const assertKnown = (log: number, services: MoveServices) =>
  askProcesses(log, services, ({ worker, logs, logsAway }) => {
    if (!logs?.includes(log))
      throw conflict(
        `The process ${worker} does not know event log ${log}: add its URL to POSTERN_LOG_URLS there, and restart the process.`,
      )
    if (logsAway?.includes(log)) throw conflict(`The process ${worker} cannot reach event log ${log}.`)
  })

/** Throws if a process that works can use a log that is said to be lost. */
const assertLost = (log: number, services: MoveServices) =>
  askProcesses(log, services, ({ worker, logs, logsAway }) => {
    if (logs?.includes(log) && !logsAway?.includes(log))
      throw conflict(`The event log ${log} answers the process ${worker}: drain it without \`lost\`, so that what it has is sent.`)
  })

export const addLog = endpoint({
  name: 'addLog',
  route: 'POST /operator/logs/:log/add',
  section: '§6',
  summary: 'Give an event log as many slots as the others have.',
  description:
    'From then on it has its part of the new events. Nothing is copied: earlier events stay where they are, are sent and replayed from there, and leave with the retention. Every process must know the log and reach it. A log that has its part already is left as it is.',
  auth: operator,
  params: { log: logNumber },
  answer: object({ data: object({ moved: movedSlots }) }),
  problems: ['not-found', 'conflict'],
  async handle({ params: { log } }, services: MoveServices) {
    const logs = logsWith(log, services)
    await assertKnown(log, services)
    return { data: { moved: moved(await logs.add(log)) } }
  },
})

export const drainLog = endpoint({
  name: 'drainLog',
  route: 'POST /operator/logs/:log/drain',
  section: '§6',
  summary: 'Take all slots from an event log, so that it can be taken out of service once its events have left the retention.',
  description:
    'Its slots go to the logs that have the fewest. It gets no new events; what it has is sent and replayed until it has left the retention. Then `GET /operator/logs` says `unused`, and its URL can be taken out of `POSTERN_LOG_URLS`. `POST /operator/logs/:log/add` gives it slots again. Refused for the only log with slots. With `lost` a log whose database is lost for good is given up: nobody asks it any more, and its URL can be taken out at once.',
  auth: operator,
  params: {
    log: logNumber,
    lost: optional(
      boolean({
        description:
          'Whether its database is lost for good. What it alone had is lost: deliveries that were not sent yet, and replays and reports of the others. Refused while a process can use it.',
      }),
    ),
  },
  answer: object({
    data: object({
      moved: movedSlots,
      lost_before: nullable(
        timestamp({
          description:
            'With `lost`: since when the log is away. What was accepted before, for the webhooks and streams of its slots, and was not sent is lost, and cannot be replayed. Null without.',
        }),
      ),
    }),
  }),
  problems: ['not-found', 'conflict'],
  async handle({ params: { log, lost = false } }, services: MoveServices) {
    const logs = logsWith(log, services)
    if (!lost) return { data: { moved: moved(await logs.drain(log)), lost_before: null } }
    await assertLost(log, services)
    const awaySinceMs = logs.status().find((status) => status.log === log)?.awaySinceMs
    return { data: { moved: moved(await logs.abandon(log)), lost_before: isoOrNull(awaySinceMs) } }
  },
})
