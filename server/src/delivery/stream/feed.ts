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

/** The stream of an app in this process: who is connected, and which events were handed over lately. */
export interface Feed {
  appId: string
  openedMs: number
  connections: Set<Connection>
  recent: RecentSequences
  /** The sequence numbers between which there may be events that another process appended, to this one of several logs or to any. */
  wanted: { after: number; before: number; log: number | undefined } | undefined
  isReading: boolean
  /** Events of this process that wait until it is known whether the app may still have them. */
  unchecked: StreamEntry[]
  isChecking: boolean
}

export const createFeed = (appId: string, openedMs: number, elapsed: () => number): Feed => ({
  appId,
  openedMs,
  connections: new Set(),
  recent: createRecentSequences(elapsed),
  wanted: undefined,
  isReading: false,
  unchecked: [],
  isChecking: false,
})

/** Hands events over to all connections. `behind` is called with each that has to catch up from now on. */
export function handOver(feed: Feed, entries: readonly StreamEntry[], behind: (connection: Connection) => void) {
  const fresh = entries.filter(({ sequence }) => feed.recent.add(sequence))
  if (fresh.length === 0) return
  const lines = sharedLines(fresh)
  for (const connection of feed.connections) if (hand(connection, fresh, lines)) behind(connection)
}

/** There may be events in this range besides those that were handed over. */
export function want(feed: Feed, after: number, before: number, log?: number) {
  const { wanted = { after, before, log } } = feed
  feed.wanted = {
    after: Math.min(wanted.after, after),
    before: Math.max(wanted.before, before),
    log: wanted.log === log ? log : undefined,
  }
}

const mayHaveMore = (page: readonly StreamEntry[]) =>
  page.length === PAGE || page.reduce((bytes, { content }) => bytes + content.length, 0) >= STREAM_PAGE_BYTES

/** Reads what is wanted from the log and hands it over. Rejects if the log cannot be read; then it is still wanted. */
export async function readWanted(feed: Feed, { log, mayReceive }: LogParts, handed: (entries: readonly StreamEntry[]) => void) {
  while (feed.wanted) {
    const { after, before, log: only } = feed.wanted
    feed.wanted = undefined
    feed.recent.compare()
    try {
      const page = await log.readStream({ appId: feed.appId, after, before, limit: PAGE, ...(only !== undefined && { log: only }) })
      if (page.length === 0) continue
      handed(await mayReceive(feed.appId, page))
      if (mayHaveMore(page)) want(feed, page.at(-1)!.sequence, before, only)
    } catch (error) {
      want(feed, after, before, only)
      throw error
    }
  }
}
