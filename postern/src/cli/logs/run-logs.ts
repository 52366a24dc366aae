import type { RunCommand } from '../command.ts'
import { EXIT, wrongUsage } from '../failure.ts'
import { tableLines } from '../output.ts'
import type { Json } from '../server.ts'

const rowOf = ({ log, database, state, slots, leaving, events, oldest_event_at, away_since }: Json): string[] => [
  String(log),
  away_since === null ? state : `away since ${away_since}`,
  String(slots),
  String(leaving),
  String(events ?? '–'),
  oldest_event_at ?? '–',
  database,
]

/** Lists the event logs. */
export const runListLogs: RunCommand = async (_, { out, server }) => {
  const { data } = await server.operator('GET', '/operator/logs')
  out.show({ data }, () => tableLines(['log', 'state', 'slots', 'leaving', 'events', 'oldest', 'database'], data.map(rowOf)))
  return EXIT.done
}

const run =
  (action: 'add' | 'drain', says: (log: number, data: Json) => string): RunCommand =>
  async ({ positionals: [given], options: { lost } }, { out, server }) => {
    if (!/^[1-9]\d{0,5}$/.test(given!)) throw wrongUsage(`<log> is the number of an event log, and not ${given}.`)
    const log = Number(given)
    const { data } = await server.operator('POST', `/operator/logs/${log}/${action}`, lost ? { json: { lost } } : {})
    out.show({ data }, () => [says(log, data)])
    return EXIT.done
  }

/** Gives a log its part of the slots. */
export const runAddLog = run('add', (log, { moved }) =>
  moved === 0 ? `Event log ${log} has its part of the slots.` : `${moved} slots are appended to event log ${log} from now on.`,
)

/** Takes all slots from a log. */
export const runDrainLog = run('drain', (log, { moved, lost_before }) =>
  lost_before === null
    ? `${moved} slots were moved from event log ${log} to others. Once \`postern logs list\` says unused, take its URL out of POSTERN_LOG_URLS.`
    : `${moved} slots were moved from event log ${log} to others. What was accepted for them before ${lost_before} and was not sent is lost, and cannot be replayed. Take its URL out of POSTERN_LOG_URLS, and restart the processes one by one.`,
)
