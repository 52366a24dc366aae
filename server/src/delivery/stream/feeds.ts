import type { Logger } from 'pino'
import type { Clock } from '../../lib/clock.ts'
import { sequenceAt } from '../../lib/ids.ts'
import { SECOND_MS } from '../../lib/time.ts'
import type { EventLog, StreamEntry } from '../../storage/event-log.ts'
import { logUnlessUnavailable } from '../../storage/unavailable.ts'
import { needsConsent } from '../consent.ts'
import { RETRY_DELAY_MS } from '../due-retries.ts'
import type { MayReceive } from './catch-up.ts'
import type { Connection } from './connection.ts'
import { createFeed, type Feed, handOver, type LogNumber, readWanted, want } from './feed.ts'
import { contentBytes } from './lines.ts'

/** Bytes of commits that wait for the consent of their users behind others; more are read from the log. */
const MOST_UNCHECKED_BYTES = 1 << 20

/** Whether the connections of an app must be checked before they get an event; `MayReceive` does that. */
export type IsDoubtful = (appId: string) => boolean

interface CommittedHandlerOptions {
  isDoubtful: IsDoubtful
  mayReceive: MayReceive
  logger: Logger
  hand(feed: Feed, entries: readonly StreamEntry[]): void
  /** Reads events from the log instead: there they are asked about as well. */
  readAgain(feed: Feed, entries: readonly StreamEntry[]): void
}

/** Returns a function that hands over events which this process has committed. */
function createCommittedHandler({ isDoubtful, mayReceive, logger, hand, readAgain }: CommittedHandlerOptions) {
  /** Hands over what the app may still have: consent may have been revoked while the events were committed. */
  const check = async (feed: Feed) => {
    if (feed.checking) return
    while (feed.unchecked.length > 0) {
      const entries = feed.unchecked
      feed.unchecked = []
      feed.checking = entries
      try {
        hand(feed, await mayReceive(feed.appId, entries))
      } catch (error) {
        logUnlessUnavailable(logger, error, 'could not ask for the consent of events')
        readAgain(feed, entries)
      }
    }
    feed.checking = undefined
  }

  return (feed: Feed, entries: readonly StreamEntry[]) => {
    const isAsked = isDoubtful(feed.appId) || entries.some(({ eventType }) => needsConsent(eventType))
    // Public events wait only for private ones before them, and for a check that is due.
    if (!feed.checking && !isAsked) return hand(feed, entries)
    if (feed.unchecked.length > 0 && contentBytes(feed.unchecked) + contentBytes(entries) > MOST_UNCHECKED_BYTES)
      return readAgain(feed, entries)
    feed.unchecked = feed.unchecked.concat(entries)
    void check(feed)
  }
}

/** Clocks of processes differ, and so do the sequence numbers that they make at the same time. */
const OVERLAP_MS = 30 * SECOND_MS

export interface FeedsOptions {
  log: Pick<EventLog, 'readStream' | 'onStream'>
  isDoubtful: IsDoubtful
  clock: Clock
  logger: Logger
  mayReceive: MayReceive
  /** Called with how many events are handed to the connections of an app. */
  handed(events: number): void
  /** Called with a connection that has to catch up from now on. */
  behind(connection: Connection): void
}

/** The feeds of the apps that have a connection in this process. */
export interface Feeds {
  get(appId: string): Feed | undefined
  has(appId: string): boolean
  appIds(): string[]
  isEmpty(): boolean
  /** From now on the connection is handed the events of its app. */
  add(connection: Connection): void
  remove(connection: Connection): void
}

/** Hands events to connections: those of this process from memory, those of others from the log. */
export function createFeeds({ log, isDoubtful, clock, logger, mayReceive, handed, behind }: FeedsOptions): Feeds {
  const feeds = new Map<string, Feed>()

  const hand = (feed: Feed, entries: readonly StreamEntry[]) => {
    // The last connection may have ended meanwhile.
    if (feed.connections.size === 0) return
    handed(entries.length)
    handOver(feed, entries, behind)
  }

  const read = async (feed: Feed, inLog: LogNumber) => {
    try {
      await readWanted(feed, { log, mayReceive }, (entries) => hand(feed, entries), inLog)
    } catch (error) {
      logUnlessUnavailable(logger, error, 'could not read events of streams')
      feed.delayed.add(inLog)
      clock.after(RETRY_DELAY_MS, () => {
        feed.delayed.delete(inLog)
        if (feeds.get(feed.appId) === feed) void read(feed, inLog)
      })
    }
  }

  const readRange = (feed: Feed, after: number, before: number, inLog?: LogNumber) => {
    want(feed, after, before, inLog)
    if (!feed.delayed.has(inLog)) void read(feed, inLog)
  }

  const readAgain = (feed: Feed, entries: readonly StreamEntry[]) => {
    let [least, most] = [Number.MAX_SAFE_INTEGER, 0]
    for (const { sequence } of entries) [least, most] = [Math.min(least, sequence), Math.max(most, sequence)]
    readRange(feed, least - 1, most + 1)
  }

  const handCommitted = createCommittedHandler({ isDoubtful, mayReceive, logger, hand, readAgain })

  log.onStream({
    committed(entries) {
      if (feeds.size === 0) return
      for (const [appId, ofApp] of Map.groupBy(entries, (entry) => entry.appId)) {
        const feed = feeds.get(appId)
        if (feed) handCommitted(feed, ofApp)
      }
    },
    mayHave({ from, to, appIds = feeds.keys(), log: inLog }) {
      for (const appId of appIds) {
        const feed = feeds.get(appId)
        if (feed) readRange(feed, from - 1, to + 1, inLog)
      }
    },
    missed(sinceMs, inLog) {
      for (const feed of feeds.values())
        readRange(feed, sequenceAt(Math.max(sinceMs, feed.openedMs) - OVERLAP_MS) - 1, Number.MAX_SAFE_INTEGER, inLog)
    },
  })

  return {
    get: (appId) => feeds.get(appId),
    has: (appId) => feeds.has(appId),
    appIds: () => [...feeds.keys()],
    isEmpty: () => feeds.size === 0,
    add(connection) {
      const { appId } = connection
      const feed = feeds.get(appId) ?? createFeed(appId, clock.now(), clock.elapsed)
      feeds.set(appId, feed)
      feed.connections.add(connection)
    },
    remove(connection) {
      const feed = feeds.get(connection.appId)
      feed?.connections.delete(connection)
      if (feed?.connections.size === 0) feeds.delete(connection.appId)
    },
  }
}
