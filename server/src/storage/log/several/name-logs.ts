import type { Clock } from '../../../lib/clock.ts'
import { randomUrlText } from '../../../lib/crypto.ts'
import { VERSION } from '../../../lib/version.ts'
import { divideEvenly, isOfMap, type LogEntry, type LogMap } from '../../log-map.ts'
import { createOutage } from '../../outage.ts'
import { placeOf } from '../../postgres/place.ts'
import { type LogDatabase, type PreparedLog, prepareLogDatabase } from '../../sql/postgres/prepare-log-database.ts'
import type { Storage } from '../../storage.ts'
import type { StorageLog } from '../../storage-log.ts'
import { asUnavailable, isUnavailable } from '../../unavailable.ts'

/** SQLSTATE `invalid_catalog_name`. */
const NO_SUCH_DATABASE = '3D000'

export const newMap = (): LogMap => ({ state: randomUrlText(9), epoch: 0, logs: [], assignments: [] })

/** Decides which log a database is. Throws if it is none of this state. */
export const identifier = (map: LogMap, url: string) => (database: LogDatabase) => {
  const { identity, state, isState } = database
  const foreign = `POSTERN_LOG_URLS names ${placeOf(url)}`
  if (isState && state !== map.state)
    throw new Error(`${foreign}, which is the database of another Postern: name an empty one, or one of this server's`)
  if (identity !== undefined && !isOfMap(map, identity))
    throw new Error(`${foreign}, which is an event log of another Postern: name an empty database, or one of this server's`)
  return identity ?? `${map.state} ${randomUrlText(9)}`
}

/** A log whose database could be asked, or one that is known by its place alone, because it is away. */
export interface Found {
  url: string
  identity: string | undefined
  isCopy: boolean
}

/** Asks the database of a log who it is. Its identity is undefined while it cannot be reached. */
export async function findLog(map: LogMap, url: string, { clock, logger }: { clock: Clock; logger: StorageLog }): Promise<Found> {
  const outage = createOutage(clock, undefined)
  try {
    const { identity, isCopy } = await prepareLogDatabase({ url, outage, log: logger, identify: identifier(map, url) })
    return { url, identity, isCopy }
  } catch (error) {
    if ((error as { code?: unknown }).code === NO_SUCH_DATABASE)
      throw new Error(
        `POSTERN_LOG_URLS names ${placeOf(url)}, which cannot be used: ${(error as Error).message}. Create it, or correct the URL.`,
        { cause: error },
      )
    if (!isUnavailable(asUnavailable(error))) throw error
    if (map.logs.some(({ place }) => place === placeOf(url))) return { url, identity: undefined, isCopy: false }
    throw new Error(
      `POSTERN_LOG_URLS names ${placeOf(url)}, which cannot be reached and is no event log of this database yet: start it, or correct the URL`,
      { cause: error },
    )
  }
}

/** The map with all logs that were found. A log may have moved to another place. */
export function register(map: LogMap, found: readonly Found[], stateIdentity: string | undefined): LogMap {
  const logs = map.logs.map((entry) => ({ ...entry }))
  let isChanged = false
  for (const { url, identity } of found) {
    if (identity === undefined) continue
    const known = logs.find((entry) => entry.identity === identity)
    const place = placeOf(url)
    if (known?.place === place) continue
    isChanged = true
    if (known) known.place = place
    else logs.push({ log: 1 + Math.max(0, ...logs.map(({ log }) => log)), identity, place, isOfState: identity === stateIdentity })
  }
  return isChanged ? { ...map, epoch: map.epoch + 1, logs } : map
}

export const entryOf = (map: LogMap, { url, identity }: Found): LogEntry =>
  map.logs.find((entry) => (identity === undefined ? entry.place === placeOf(url) : entry.identity === identity))!

/** Throws if two URLs lead to one database. */
export function assertDifferent(map: LogMap, found: readonly Found[]) {
  const seen = new Map<number, string>()
  for (const one of found) {
    const { log } = entryOf(map, one)
    const other = seen.get(log)
    if (other !== undefined)
      throw new Error(`POSTERN_LOG_URLS names one database twice, as ${other} and as ${placeOf(one.url)}: name it once`)
    seen.set(log, placeOf(one.url))
  }
}

/** Throws if a restored copy, which may run beside the original, would use a log of that. */
export function assertCopies({ heldSince }: Storage, found: readonly Found[]) {
  const original = heldSince ? found.find(({ identity, isCopy }) => identity !== undefined && !isCopy) : undefined
  if (original === undefined) return
  throw new Error(
    `POSTERN_LOG_URLS names ${placeOf(original.url)}, which is no restored copy, but this database is one: restore the event log with --as-copy too, and name that`,
  )
}

/** Throws if the log of the state has events and is not named, before anybody has slots. */
export function assertStateNamed({ assignments }: LogMap, found: readonly Found[], state: PreparedLog) {
  if (assignments.length > 0 || !state.hasEvents || found.some(({ identity }) => identity === state.identity)) return
  throw new Error(
    'POSTERN_LOG_URLS lacks POSTERN_DATABASE_URL, whose event log has events: name it too, and drain it with `postern logs drain`',
  )
}

/** Who has the slots when nobody has them yet: the log of the state, if it has events. */
export function firstAssignment(logs: readonly LogEntry[], stateHasEvents: boolean): Map<number, number> {
  const own = stateHasEvents ? logs.filter(({ isOfState }) => isOfState) : logs
  return divideEvenly(own.map(({ log }) => log))
}

/** Throws if processes of a release that knows one log use the database: they would append all events to it. */
export async function assertOneRelease(storage: Storage) {
  const others = (await storage.processes()).filter((other) => other.version !== null && other.version !== VERSION)
  if (others.length === 0) return
  throw new Error(
    `POSTERN_LOG_URLS divides the event log, which processes of another version on this database know nothing of (${others.map((other) => other.version).join(', ')}): stop them first`,
  )
}
