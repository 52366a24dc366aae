import { STREAM_PAGE_BYTES, type StreamEntry } from '../../storage/event-log.ts'
import type { LogParts } from './catch-up.ts'
import { type Connection, hand } from './connection.ts'
import { sharedLines } from './lines.ts'

/** A generation ends after this time, or when it is full. */
const GENERATION_MS = 60_000
const MOST = 50_000

/**
 * Remembers the sequence numbers of the last minute or two, unless there are too many. Only what is read from the log can repeat one: until it
 * is read, numbers are merely listed.
 */
export function createRecentSequences(elapsed: () => number) {
  let current: number[] = []
  let former: number[] = []
  let beganMs = elapsed()
  /** The numbers of both lists, while something read from the log may repeat them. */
  let compared: Set<number> | undefined
  let comparedUntilMs = 0

  const endGeneration = (nowMs: number) => {
    former = current
    current = []
    beganMs = nowMs
    compared = nowMs < comparedUntilMs ? new Set(former) : undefined
  }

  return {
    /** Call it before the log is read. */
    compare() {
      comparedUntilMs = elapsed() + 2 * GENERATION_MS
      compared ??= new Set(former.concat(current))
    },
    /** Whether the number is new; it is remembered then. */
    add(sequence: number): boolean {
      if (compared?.has(sequence)) return false
      const nowMs = elapsed()
      if (nowMs - beganMs > GENERATION_MS || current.length >= MOST) endGeneration(nowMs)
      current.push(sequence)
      compared?.add(sequence)
      return true
    },
  }
}
type RecentSequences = ReturnType<typeof createRecentSequences>

/** How many events are read from the log at once. */
const PAGE = 200

/** One of several event logs by its number; undefined: all of them, or the only one. */
export type LogNumber = number | undefined

/** The sequence numbers between which there may be events that another process appended. */
interface Wanted {
  after: number
  before: number
}

/** The stream of an app in this process: who is connected, and which events were handed over lately. */
export interface Feed {
  appId: string
  openedMs: number
  connections: Set<Connection>
  recent: RecentSequences
  /** By log, so that events of the others do not wait for one that is away. */
  wanted: Map<LogNumber, Wanted>
  /** What is being read. */
  reading: Map<LogNumber, Wanted>
  /** The logs that are read again a while after they could not be read, with all that is wanted by then. */
  delayed: Set<LogNumber>
  /** Events of this process that wait until it is known whether the app may still have them. */
  unchecked: readonly StreamEntry[]
  /** Those that are being asked about; undefined if none. */
  checking: readonly StreamEntry[] | undefined
}

export const createFeed = (appId: string, openedMs: number, elapsed: () => number): Feed => ({
  appId,
  openedMs,
  connections: new Set(),
  recent: createRecentSequences(elapsed),
  wanted: new Map(),
  reading: new Map(),
  delayed: new Set(),
  unchecked: [],
  checking: undefined,
})

/** Hands events over to all connections. `behind` is called with each that has to catch up from now on. */
export function handOver(feed: Feed, entries: readonly StreamEntry[], behind: (connection: Connection) => void) {
  const fresh = entries.filter(({ sequence }) => feed.recent.add(sequence))
  if (fresh.length === 0) return
  const lines = sharedLines(fresh)
  for (const connection of feed.connections) if (hand(connection, fresh, lines)) behind(connection)
}

/** There may be events in this range besides those that were handed over. */
export function want({ wanted }: Feed, after: number, before: number, log?: LogNumber) {
  const { after: first, before: last } = wanted.get(log) ?? { after, before }
  wanted.set(log, { after: Math.min(first, after), before: Math.max(last, before) })
}

/** Whether an event with a sequence number below this, of which the feed has heard, is still to be handed over. */
export function isAwaited({ wanted, reading, unchecked, checking = [] }: Feed, before: number): boolean {
  const ranges = [...wanted.values(), ...reading.values()]
  return ranges.some(({ after }) => after + 1 < before) || [...unchecked, ...checking].some(({ sequence }) => sequence < before)
}

const mayHaveMore = (page: readonly StreamEntry[]) =>
  page.length === PAGE || page.reduce((bytes, { content }) => bytes + content.length, 0) >= STREAM_PAGE_BYTES

/** Reads what is wanted from one log, or from all, unless that is being done, and hands it over. Rejects if it cannot be read; then it is still wanted. */
export async function readWanted(
  feed: Feed,
  { log, mayReceive }: LogParts,
  handed: (entries: readonly StreamEntry[]) => void,
  inLog?: LogNumber,
) {
  if (feed.reading.has(inLog)) return
  for (let wanted = feed.wanted.get(inLog); wanted; wanted = feed.wanted.get(inLog)) {
    const { after, before } = wanted
    feed.wanted.delete(inLog)
    feed.reading.set(inLog, wanted)
    feed.recent.compare()
    try {
      const page = await log.readStream({ appId: feed.appId, after, before, limit: PAGE, ...(inLog !== undefined && { log: inLog }) })
      if (page.length === 0) continue
      handed(await mayReceive(feed.appId, page))
      if (mayHaveMore(page)) want(feed, page.at(-1)!.sequence, before, inLog)
    } catch (error) {
      want(feed, after, before, inLog)
      throw error
    } finally {
      feed.reading.delete(inLog)
    }
  }
}
