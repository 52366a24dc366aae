import type { Clock } from '../../lib/clock.ts'
import type { Semaphore } from '../../lib/mutex.ts'
import type { Consents } from '../../storage/consents.ts'
import type { EventLog, StreamEntry } from '../../storage/event-log.ts'
import { mayReceive, needsConsent } from '../consent.ts'
import { userOfMatch } from '../envelope.ts'
import { beginPage, type Connection, changeState, goBackTo, writeEntries } from './connection.ts'

/** How many events are read from the log at once. */
const PAGE = 200

/** Those of the events that an app may have now: consent may have been taken back since they were accepted. */
export type MayReceive = (appId: string, entries: readonly StreamEntry[]) => Promise<readonly StreamEntry[]>

/** What reads the events of an app from the log, those that it may have now. */
export interface LogParts {
  log: Pick<EventLog, 'readStream'>
  mayReceive: MayReceive
}

/** Resolves once the client has read what was written, or has left. */
const drained = (connection: Connection): Promise<void> =>
  connection.outlet.isFull()
    ? new Promise((resolve) => {
        connection.wake = resolve
      })
    : Promise.resolve()

/** Asks anew: the state changes while the caller waits. */
const isCatchingUp = ({ state }: Connection) => state === 'catching up'

/** The events that were handed over while a page was read, and are neither in it nor in a later one. */
function missing(connection: Connection, page: readonly StreamEntry[], isLast: boolean): StreamEntry[] {
  const inPage = new Set(page.map(({ sequence }) => sequence))
  const { entries } = connection.handed!
  return entries.filter(({ sequence }) => !inPage.has(sequence) && (isLast || sequence <= connection.position))
}

/** Reads the next page of what the app may have. */
async function readPage({ appId, position: after, before }: Connection, { log, mayReceive }: LogParts) {
  const page = await log.readStream({ appId, after, before, limit: PAGE })
  return { page, allowed: page.length === 0 ? page : await mayReceive(appId, page) }
}

/** There is nothing more to read. What is handed over from now on is written. */
function goLive(connection: Connection) {
  connection.hasFallenBehind = false
  changeState(connection, 'live')
}

/** Reads a page and writes it. Returns true if the connection has caught up: then it was made live. */
async function nextPage(connection: Connection, parts: LogParts): Promise<boolean> {
  const handed = beginPage(connection)
  try {
    const { page, allowed } = await readPage(connection, parts)
    if (!isCatchingUp(connection)) return false
    const isLast = page.length === 0 && handed.droppedFrom === Number.MAX_SAFE_INTEGER
    writeEntries(connection, allowed)
    connection.position = Math.max(connection.position, page.at(-1)?.sequence ?? 0)
    writeEntries(connection, missing(connection, page, isLast))
    goBackTo(connection, handed.droppedFrom)
    // Before nothing is kept any more: what is handed over between the two would be lost.
    if (isLast) goLive(connection)
    return isLast
  } catch (error) {
    for (const { sequence } of handed.entries) goBackTo(connection, sequence)
    goBackTo(connection, handed.droppedFrom)
    throw error
  } finally {
    connection.handed = undefined
  }
}

/**
 * Reads the events after the position of a connection from the log, page by page, each once the client has read the one before, until there
 * are no more. Then the connection is live. No event is missed between the two: while a page is being read, what is handed over is kept,
 * and what is handed over before is in the page. Connections take turns, so that few pages are in memory when all catch up at once.
 */
export async function catchUp(connection: Connection, parts: LogParts, inTurn: Semaphore): Promise<void> {
  while (isCatchingUp(connection)) {
    await drained(connection)
    const hasCaughtUp = await inTurn(async () => isCatchingUp(connection) && (await nextPage(connection, parts)))
    // It may have fallen behind again by now, and then reads pages anew already.
    if (hasCaughtUp) return
  }
}

/** The user whose consent an event needs now; undefined if it needs none. A private event without a user is nobody's: '' has no consent. */
const consentingUser = ({ eventType, match }: StreamEntry): string | undefined =>
  needsConsent(eventType) ? (userOfMatch(match) ?? '') : undefined

/** Returns a function that answers those of an app's events which it may still have: consent may have been revoked since they were accepted. */
export const createStillConsented =
  (consents: Consents, clock: Pick<Clock, 'now'>): MayReceive =>
  async (appId, entries) => {
    const userIds = [...new Set(entries.flatMap((entry) => consentingUser(entry) || []))]
    const found = userIds.length === 0 ? [] : await consents.of(appId, userIds)
    const consentOf = new Map(userIds.map((userId, place) => [userId, found[place]!]))
    const isConsented = (entry: StreamEntry) => {
      const userId = consentingUser(entry)
      return userId === undefined || mayReceive(entry.eventType, consentOf.get(userId) ?? null, clock.now())
    }
    return entries.filter(isConsented)
  }
