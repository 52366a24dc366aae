import type { RunCommand } from '../command.ts'
import { timesOf } from '../deliveries/delivery.ts'
import { EXIT, wrongUsage } from '../failure.ts'
import { tableLines } from '../output.ts'
import { wholeNumber } from '../read-values.ts'
import type { Json } from '../server.ts'

/** What is shown of an app, and what it is called. */
const COLUMNS = {
  calls: 'calls',
  refusals: 'refused',
  events: 'events',
  deliveries: 'deliveries',
  attempts: 'attempts',
  failed_attempts: 'failed',
  bytes: 'bytes',
  callback_ms: 'callback ms',
  backlog: 'backlog',
  backlog_age_ms: 'oldest ms',
  rows: 'rows',
} as const

const rowOf = (app: string, counts: Json) => [app, ...Object.keys(COLUMNS).map((name) => String(counts[name] ?? '–'))]

/** Says which apps load the server most. */
export const runAppUsage: RunCommand = async ({ options }, { out, server }) => {
  const { by, from, to } = options as Record<string, string | undefined>
  const most = wholeNumber('max-results', options['max-results'] as string, 1, 100)
  if (options.day && (from !== undefined || to !== undefined)) throw wrongUsage('--day and --from or --to exclude each other.')
  const times = await timesOf(server, { from: options.day ? '1d' : from, to })
  const query = { by, ...times, max_results: String(most) }
  const { data, meta } = await server.operator('GET', '/operator/usage', { query })
  out.show({ data, meta }, () => [
    `From ${meta.from} to ${meta.to}, by ${by}:`,
    ...(data.length === 0
      ? ['No app has any.']
      : tableLines(['app', ...Object.values(COLUMNS)], [...data.map((one: Json) => rowOf(one.app_id, one)), rowOf('others', meta.others)])),
  ])
  return EXIT.done
}
