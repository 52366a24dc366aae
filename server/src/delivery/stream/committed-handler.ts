import type { Logger } from 'pino'
import type { StreamEntry } from '../../storage/event-log.ts'
import { logUnlessUnavailable } from '../../storage/unavailable.ts'
import { needsConsent } from '../consent.ts'
import type { MayReceive } from './catch-up.ts'
import type { Feed } from './feed.ts'
import { contentBytes } from './lines.ts'

/** Bytes of commits that wait for the consent of their users behind others; more are read from the log. */
const MOST_UNCHECKED_BYTES = 1 << 20

export interface CommittedHandlerOptions {
  mayReceive: MayReceive
  logger: Logger
  hand(feed: Feed, entries: readonly StreamEntry[]): void
  /** Reads events from the log instead: there they are asked about as well. */
  readAgain(feed: Feed, entries: readonly StreamEntry[]): void
}

/** Returns a function that hands over events which this process has committed. */
export function createCommittedHandler({ mayReceive, logger, hand, readAgain }: CommittedHandlerOptions) {
  /** Hands over what the app may still have: consent may have been revoked while the events were committed. */
  const check = async (feed: Feed) => {
    if (feed.isChecking) return
    feed.isChecking = true
    while (feed.unchecked.length > 0) {
      const entries = feed.unchecked
      feed.unchecked = []
      try {
        hand(feed, await mayReceive(feed.appId, entries))
      } catch (error) {
        logUnlessUnavailable(logger, error, 'could not ask for the consent of events')
        readAgain(feed, entries)
      }
    }
    feed.isChecking = false
  }

  return (feed: Feed, entries: readonly StreamEntry[]) => {
    // Public events wait only for private ones before them.
    if (!feed.isChecking && !entries.some(({ eventType }) => needsConsent(eventType))) return hand(feed, entries)
    if (feed.unchecked.length > 0 && contentBytes(feed.unchecked) + contentBytes(entries) > MOST_UNCHECKED_BYTES)
      return readAgain(feed, entries)
    feed.unchecked = feed.unchecked.concat(entries)
    void check(feed)
  }
}
