import type { Logger } from 'pino'
import type { Clock } from '../../../lib/clock.ts'
import { withTimeout } from '../../../lib/with-timeout.ts'
import type { EventLog } from '../../event-log.ts'
import { assertComplete, assign, type LogEntry, type LogMap, slotsOf } from '../../log-map.ts'
import { mapErrors } from '../../map-errors.ts'
import { createOutage, type Outage } from '../../outage.ts'
import { LIFT_LIMITS } from '../../postgres/connection.ts'
import { LOG_CHANNEL, type LogHeard, type LogListener } from '../../postgres/log-listener.ts'
import { openReconnectingClient } from '../../postgres/reconnecting-client.ts'
import type { SeveralLogs } from '../../several-logs.ts'
import { prepareLogDatabase } from '../../sql/postgres/prepare-log-database.ts'
import type { Storage } from '../../storage.ts'
import { asUnavailable } from '../../unavailable.ts'
import {
  createNumbering,
  type Numbering,
  openPostgresLog,
  type PostgresLog,
  type PostgresLogOptions,
} from '../postgres/open-postgres-log.ts'
import { type JoinedLogs, joinLogs } from './join-logs.ts'
import { createMember, type Member, meansAway } from './member.ts'
import { changeMap, createSlots, type Slots } from './move-slots.ts'
import {
  assertCopies,
  assertDifferent,
  assertOneRelease,
  assertStateNamed,
  entryOf,
  findLog,
  firstAssignment,
  identifier,
  newMap,
  register,
} from './name-logs.ts'

export interface SeveralLogsOptions extends Pick<PostgresLogOptions, 'waits' | 'unheld' | 'handsOver'> {
  /** The database of the state. */
  stateUrl: string
  /** Those of the logs. */
  urls: readonly string[]
  storage: Storage
  clock: Clock
  logger: Logger
}

/** `lost` is called when the connection is: an idle process would not notice otherwise that the log is away. */
async function listenTo(url: string, clock: Clock, outage: Outage, unheld: boolean | undefined, lost: () => void) {
  let heard: LogHeard | undefined
  const connection = await openReconnectingClient({
    url,
    name: 'postern-log',
    clock,
    outage,
    unheld,
    prepare: (client) => client.query(`${LIFT_LIMITS}; listen ${LOG_CHANNEL}`),
    notified: (payload = '') => heard?.notified(payload),
    restored: () => heard?.restored(),
    lost,
  })
  const listener: LogListener = {
    ...connection,
    listen: (given) => {
      heard = given
    },
  }
  return { listener, close: () => connection.close() }
}

/** `acknowledge` returns the same promise for all attempts of a commit. */
const NOT_MAPPED = ['acknowledge'] as const

interface OpenOptions {
  options: SeveralLogsOptions
  numbering: Numbering
}

/** Opens one of the logs, with a connection that listens on its database. */
async function openLog(
  { url, map, entry, outage }: { url: string; map: LogMap; entry: LogEntry; outage: Outage },
  { options, numbering }: OpenOptions,
  lost: (error: unknown) => void,
): Promise<PostgresLog> {
  const { storage, clock, logger, unheld, waits, handsOver } = options
  const { identity } = await prepareLogDatabase({ url, outage, log: logger, identify: identifier(map, url) })
  if (identity !== entry.identity)
    throw new Error(`the database at ${entry.place} is not the event log ${entry.log} any more: it was replaced by another one`)
  let opened: PostgresLog | undefined
  const { listener, close } = await listenTo(url, clock, outage, unheld, () => void opened?.probe().catch(() => {}))
  const { worker, livingWorkers, workerSession, assertWorker, lease, changes: departures } = storage
  const own = { worker, livingWorkers, workerSession, assertWorker, lease, departures, listener, numbering }
  try {
    const log = await openPostgresLog({ url, clock, ...own, log: logger, outage, unheld, waits, handsOver })
    const mapError = (error: unknown) => {
      const mapped = asUnavailable(error)
      if (mapped === error) return error
      outage.report(error)
      if (meansAway(error)) lost(error)
      return mapped
    }
    opened = mapErrors(log, mapError, { notMapped: NOT_MAPPED })
    return { ...opened, close: () => log.close().finally(close) }
  } catch (error) {
    await close()
    throw error
  }
}

export interface OpenedLogs {
  eventLog: EventLog
  logs: SeveralLogs
}

/** The members of the logs that were named, by number. */
function createMembers(slots: Slots, urls: ReadonlyMap<number, string>, joined: JoinedLogs, own: OpenOptions): Map<number, Member> {
  const { clock, logger } = own.options
  const memberOf = ([log, url]: [number, string]): [number, Member] => {
    const entry = slots.map().logs.find((one) => one.log === log)!
    const outage = createOutage(clock, logger, { message: 'an event log cannot be used', database: entry.place })
    const open = async (lost: (error: unknown) => void) => {
      const opened = await openLog({ url, map: slots.map(), entry, outage }, own, lost)
      joined.listenTo(log, opened)
      return opened
    }
    const returned = (sinceMs: number) => joined.returned(log, sinceMs)
    return [log, createMember({ log, place: entry.place, open, clock, logger, returned })]
  }
  return new Map([...urls].sort(([one], [other]) => one - other).map(memberOf))
}

/** Divides the slots, if nobody has. */
async function assignFirst(
  slots: Slots,
  members: ReadonlyMap<number, Member>,
  stateHasEvents: boolean,
  { storage, clock }: SeveralLogsOptions,
) {
  const { logs, assignments } = slots.map()
  if (assignments.length > 0) return
  const away = [...members.values()].find((member) => member.isAway())
  if (away) throw new Error(`POSTERN_LOG_URLS names ${away.place}, which cannot be reached: the first start needs every log`)
  const moves = firstAssignment(
    logs.filter(({ log }) => members.has(log)),
    stateHasEvents,
  )
  const assigned = await changeMap(storage, (former) => (former!.assignments.length > 0 ? undefined : assign(former!, moves, clock.now())))
  slots.set(assigned!)
}

const viewOf = (members: ReadonlyMap<number, Member>, { places, add, drain, abandon }: Slots, clock: Clock): SeveralLogs => ({
  status: () =>
    [...members.values()].map((member) => ({
      log: member.log,
      place: member.place,
      slots: slotsOf(places(), member.log).length,
      leaving: places().filter((place) => place.log !== member.log && place.former.some(({ log }) => log === member.log)).length,
      awaySinceMs: member.awaySinceMs(),
    })),
  async content(log, limit) {
    const member = members.get(log)
    return !member || member.isAway() ? undefined : await withTimeout(clock, member.use().extent(limit))
  },
  add,
  drain,
  abandon,
})

/** Finds out which logs the URLs lead to, and registers those that are new. Returns the URLs by number. */
async function nameLogs(options: SeveralLogsOptions) {
  const { storage, stateUrl, urls, clock } = options
  const first = (storage.logMapAtStart ?? (await changeMap(storage, (former) => former ?? newMap())))!
  if (first.assignments.length === 0) await assertOneRelease(storage)
  const identify = identifier(first, stateUrl)
  const state = await prepareLogDatabase({ url: stateUrl, outage: createOutage(clock), log: undefined, identify })
  const found = await Promise.all(urls.map((url) => findLog(first, url, options)))
  assertStateNamed(first, found, state)
  const map = (await changeMap(storage, (former) => register(former!, found, state.identity)))!
  assertDifferent(map, found)
  assertCopies(storage, found)
  return { map, urls: new Map(found.map((one) => [entryOf(map, one).log, one.url])), stateHasEvents: state.hasEvents }
}

/**
 * Opens the event logs that `POSTERN_LOG_URLS` names. The first start on a database without events divides the slots between them; on one
 * with events its own log keeps all slots. A log that is away is opened once it is there.
 * @throws if a URL leads to a database of another Postern, a log with events is not named, or a log that is not known cannot be reached.
 */
export async function openSeveralLogs(options: SeveralLogsOptions): Promise<OpenedLogs> {
  const { storage, clock, logger } = options
  const { map, urls, stateHasEvents } = await nameLogs(options)
  const numbering = createNumbering(clock, storage.worker)
  const members = new Map<number, Member>()
  const slots = createSlots(map, { storage, members, clock, logger })
  const { assertWorker } = storage
  const joined = joinLogs({ members, places: slots.places, numbering, assertWorker, trimmed: slots.forgetOld, logger })
  for (const [log, member] of createMembers(slots, urls, joined, { options, numbering })) members.set(log, member)
  const eventLog: EventLog = {
    ...joined.port,
    close() {
      slots.stop()
      return joined.port.close()
    },
  }
  try {
    await Promise.all([...members.values()].map((member) => member.start()))
    await assignFirst(slots, members, stateHasEvents, options)
    assertComplete(slots.map(), new Set(members.keys()))
    await storage.logMap.keepFormerOut()
  } catch (error) {
    await eventLog.close().catch(() => {})
    throw error
  }
  return { eventLog, logs: viewOf(members, slots, clock) }
}
