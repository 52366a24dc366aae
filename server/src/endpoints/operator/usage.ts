import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { defaulting, id, integer, iso, listOf, nullable, object, oneOf, optional, timestamp } from '../../api/declare/words.ts'
import type { FleetLoad } from '../../delivery/fleet/fleet-load.ts'
import { HOUR_MS, monthOf } from '../../lib/time.ts'
import { addRows, type LoadMeasure, type LoadRows, loadMeasures, REST } from '../../metrics/app-load.ts'
import { type AppLoads, MAX_ROWS_COUNTED } from '../../storage/app-loads.ts'
import type { AppUsage } from '../../storage/apps.ts'
import type { EventLog } from '../../storage/event-log.ts'
import { windowOf, windowTime } from './time-window.ts'

interface Services {
  readLoad: FleetLoad['read']
  /** The rows of every app, counted at most once a minute. */
  countAllRows: () => Promise<Map<string, number>>
  appLoads: Pick<AppLoads, 'countRows' | 'webhooksOf'>
  eventLog: Pick<EventLog, 'countOpen'>
  usage: AppUsage
  now: () => number
}

const MOST = 100
/** A backlog is looked for at the webhooks of so many apps, those with the most deliveries. */
const MAX_APPS = 500
const MAX_WEBHOOKS = 2_000
const WEBHOOKS_AT_ONCE = 100
/** The open deliveries of a webhook are counted so far. */
const MAX_OPEN = 10_000

/** What is not counted while it happens, but looked at. */
const lookedAt = ['backlog', 'backlog_age_ms', 'rows'] as const
type Measure = LoadMeasure | (typeof lookedAt)[number]

const about: Record<LoadMeasure, string> = {
  calls: 'Calls of the API by the app or its users that were answered. What operators and portals do is not counted.',
  refusals: 'Of these, answers of 400 and above. A call whose credentials are wrong is no call of an app.',
  events: 'Events that matched a subscription of the app, each once.',
  deliveries: 'Deliveries of these events to its webhooks, those that are kept back included.',
  attempts: 'Attempts to deliver, retries and replays included.',
  failed_attempts: 'Of these, those that failed.',
  bytes: 'Bytes of the bodies that were sent to its callbacks.',
  callback_ms: 'How long its callbacks took, all attempts together: from name resolution to the last byte of the answer, in milliseconds.',
}
const counted = Object.fromEntries(loadMeasures.map((name) => [name, integer({ min: 0, description: about[name] })])) as Record<
  LoadMeasure,
  ReturnType<typeof integer>
>

const monthly = (what: string) => `${what} in the calendar month (UTC), counted while it has a cap or a quota of the month.`

const viewOf = (row: ArrayLike<number>) =>
  Object.fromEntries(loadMeasures.map((name, column) => [name, Math.round(row[column]!)])) as Record<LoadMeasure, number>

const zeros = () => new Float64Array(loadMeasures.length)

/** The ids of the apps that have the most of a measure. */
const heaviest = (rows: LoadRows, measure: LoadMeasure, most: number): string[] => {
  const column = loadMeasures.indexOf(measure)
  return [...rows]
    .filter(([appId]) => appId !== REST)
    .sort(([, one], [, other]) => other[column]! - one[column]!)
    .slice(0, most)
    .map(([appId]) => appId)
}

const topOf = (values: ReadonlyMap<string, number>, most: number): string[] =>
  [...values]
    .filter(([, value]) => value > 0)
    .sort(([, one], [, other]) => other - one)
    .slice(0, most)
    .map(([appId]) => appId)

/** The open deliveries of apps, and when the oldest of them began to wait. */
async function readBacklogs(appIds: readonly string[], { appLoads, eventLog }: Services) {
  const webhooks = await appLoads.webhooksOf(appIds, MAX_WEBHOOKS)
  const backlogs = new Map<string, { count: number; sinceMs: number }>()
  for (let place = 0; place < webhooks.length; place += WEBHOOKS_AT_ONCE) {
    const some = webhooks.slice(place, place + WEBHOOKS_AT_ONCE)
    const ids = some.map(({ webhookId }) => webhookId)
    const open = await eventLog.countOpen(ids, MAX_OPEN)
    for (const { appId, webhookId } of some) {
      // Of a log that is away it is not known.
      const { count, sinceMs } = open.get(webhookId) ?? { count: 0, sinceMs: undefined }
      if (sinceMs === undefined) continue
      const known = backlogs.get(appId) ?? { count: 0, sinceMs }
      backlogs.set(appId, { count: known.count + count, sinceMs: Math.min(known.sinceMs, sinceMs) })
    }
  }
  return backlogs
}

/** The heaviest apps by a measure. */
async function chooseApps(by: Measure, most: number, rows: LoadRows, services: Services): Promise<string[]> {
  if (by === 'rows') return topOf(await services.countAllRows(), most)
  if (by !== 'backlog' && by !== 'backlog_age_ms') {
    const column = loadMeasures.indexOf(by)
    return heaviest(rows, by, most).filter((appId) => rows.get(appId)![column]! > 0)
  }
  const nowMs = services.now()
  // Whatever is open was published while the load is kept.
  const { rows: kept } = await services.readLoad(0, nowMs)
  const backlogs = await readBacklogs(heaviest(kept, 'deliveries', MAX_APPS), services)
  return topOf(new Map([...backlogs].map(([appId, { count, sinceMs }]) => [appId, by === 'backlog' ? count : nowMs - sinceMs])), most)
}

export const getUsage = endpoint({
  name: 'getUsage',
  route: 'GET /operator/usage',
  section: '§6',
  summary: 'Say which apps load the server most.',
  description: [
    'The load by app in a window, heaviest first, of all processes that share the database. The default is the last hour. It is kept for a day: by minute for two hours, then by hour; `meta` says which window the answer covers. A process that was killed loses what it counted in its last minute.',
    'With `app_id` it is that of one app, also where it did nothing.',
    `However many apps there are, the 64 heaviest by each measure are counted by themselves in each minute of each process; others may be in \`meta.others\` instead. \`backlog\`, \`backlog_age_ms\` and \`rows\` are of now: open deliveries are counted up to ${MAX_OPEN} a webhook, at the ${MAX_APPS} apps with the most deliveries; rows up to ${MAX_ROWS_COUNTED} of each kind, and for \`by=rows\` at most once a minute.`,
  ].join('\n\n'),
  auth: operator,
  params: {
    from: optional(windowTime('When the window begins, inclusive. Default: an hour before `to`.')),
    to: optional(windowTime('When it ends, exclusive. Default: now.')),
    app_id: optional(id({ description: 'Only this app.' })),
    by: defaulting(oneOf([...loadMeasures, ...lookedAt], { description: 'What to sort by.' }), 'deliveries'),
    max_results: defaulting(integer({ min: 1, max: MOST }), 20),
  },
  answer: object({
    data: listOf(
      object({
        app_id: id({ description: 'It may have been deleted since.' }),
        ...counted,
        backlog: integer({ min: 0, description: 'Deliveries that are pending, in flight or retrying.' }),
        backlog_age_ms: nullable(integer({ min: 0, description: 'How long ago the event of the oldest was accepted; null without any.' })),
        rows: integer({ min: 0, description: 'Webhooks, subscriptions, tokens of users and OAuth 2.0 grants.' }),
        month_events: integer({ min: 0, description: monthly('Events that were sent to it') }),
        month_deliveries: integer({ min: 0, description: monthly('Deliveries to it') }),
      }),
    ),
    meta: object({
      from: timestamp(),
      to: timestamp(),
      result_count: integer({ min: 0 }),
      others: object(counted, { description: 'What all apps together did that are not listed.' }),
    }),
  }),
  async handle({ params: { from, to, app_id, by, max_results } }, services: Services) {
    const nowMs = services.now()
    const toMs = to === undefined ? nowMs : Date.parse(to)
    const window = windowOf(from ?? new Date(toMs - HOUR_MS).toISOString(), new Date(toMs).toISOString())
    const load = await services.readLoad(window.fromMs, window.toMs)
    const appIds = app_id === undefined ? await chooseApps(by, max_results, load.rows, services) : [app_id]
    const [backlogs, rows, month] = await Promise.all([
      readBacklogs(appIds, services),
      services.appLoads.countRows(appIds),
      services.usage.of(appIds, monthOf(nowMs)),
    ])
    const data = appIds.map((appId) => {
      const backlog = backlogs.get(appId)
      return {
        app_id: appId,
        ...viewOf(load.rows.get(appId) ?? zeros()),
        backlog: backlog?.count ?? 0,
        backlog_age_ms: backlog ? Math.max(0, nowMs - backlog.sinceMs) : null,
        rows: rows.get(appId) ?? 0,
        month_events: month.get(appId)?.events ?? 0,
        month_deliveries: month.get(appId)?.deliveries ?? 0,
      }
    })
    const unlisted = [...load.rows].filter(([appId]) => !appIds.includes(appId)).map(([, row]) => [REST, row] as const)
    const others = addRows(new Map([[REST, zeros()]]), unlisted).get(REST)!
    return {
      data,
      meta: { from: iso(load.fromMs), to: iso(load.toMs), result_count: data.length, others: viewOf(others) },
    }
  },
})
