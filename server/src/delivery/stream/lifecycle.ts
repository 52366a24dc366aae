import type { Logger } from 'pino'
import type { Clock, Timer } from '../../lib/clock.ts'
import { type Ids, momentOf } from '../../lib/ids.ts'
import { createSemaphore } from '../../lib/mutex.ts'
import { MINUTE_MS, SECOND_MS } from '../../lib/time.ts'
import type { Changes } from '../../storage/changes.ts'
import type { EventLog } from '../../storage/event-log.ts'
import type { StreamConnection, StreamConnections } from '../../storage/stream-connections.ts'
import type { SubscriptionStore } from '../../storage/subscriptions.ts'
import { isUnavailable, logUnlessUnavailable } from '../../storage/unavailable.ts'
import type { WorkLease } from '../../storage/work-lease.ts'
import { RETRY_DELAY_MS } from '../due-retries.ts'
import { catchUp, type MayReceive } from './catch-up.ts'
import { type Connection, changeState, type Disconnect, type DisconnectType, disconnects, isOpen, writeLastLine } from './connection.ts'
import { isAwaited } from './feed.ts'
import { createFeeds, type IsDoubtful } from './feeds.ts'

/** Told of what happens, for metrics. */
interface StreamCounts {
  connected(): void
  disconnected(type: DisconnectType | 'client'): void
  sent(events: number): void
}

export interface HubOptions {
  log: Pick<EventLog, 'readStream' | 'onStream' | 'watchStreams'>
  connections: StreamConnections
  subscriptions: Pick<SubscriptionStore, 'count'>
  changes: Changes
  lease: WorkLease
  ids: Pick<Ids, 'next'>
  clock: Clock
  logger: Logger
  counts: StreamCounts
  mayReceive: MayReceive
}

interface SlotOptions {
  connections: StreamConnections
  lease: WorkLease
  clock: Clock
  logger: Logger
}

/**
 * The connections that this process has among those of all processes. While it has any it holds a lease, so that a frozen process does not
 * keep clients from connecting to another one.
 */
export function createConnectionSlots({ connections, lease, clock, logger }: SlotOptions) {
  let released: string[] = []
  /** The removal that was begun last, and the one that begins after it. Neither rejects. */
  let removing: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  let again: Timer | undefined

  const remove = async () => {
    removing = next!
    next = undefined
    const ids = released
    released = []
    try {
      await connections.close(ids)
    } catch (error) {
      released = ids.concat(released)
      logUnlessUnavailable(logger, error, 'could not remove connections to streams')
      again ??= clock.after(RETRY_DELAY_MS, () => {
        again = undefined
        void removeReleased()
      })
    }
  }

  /**
   * Resolves once what was released is removed, or that has failed. What is released while others are being removed is removed after them,
   * all at once.
   */
  const removeReleased = (): Promise<void> => {
    if (released.length > 0) next ??= removing.then(remove)
    return next ?? removing
  }

  return {
    /** Takes a slot. One that was released is free by then. */
    async open(connection: StreamConnection, limit: number): Promise<'opened' | 'limit' | 'no-app'> {
      await removeReleased()
      await lease.begin()
      const ended = () => lease.end()
      const opened = await connections.open(connection, limit).catch((error) => {
        // It may have been committed nevertheless.
        released.push(connection.id)
        ended()
        void removeReleased()
        throw error
      })
      if (opened !== 'opened') ended()
      return opened
    },
    /** Never rejects. */
    release(id: string): Promise<void> {
      released.push(id)
      lease.end()
      return removeReleased()
    },
    stop: () => again?.cancel(),
  }
}

/** An event that was accepted before a date is in the log so long after it. A recovery ends within two seconds of `end_time`, unless an event before it cannot be read. */
const LATE_MS = 1.5 * SECOND_MS

/** A recovery whose last events are awaited is looked at so often, and ends without them after so long. */
const AWAITED_EVERY_MS = 100
const MOST_AWAITED_MS = MINUTE_MS

/** How many pages are read from the log at the same time, for all connections together. */
const PAGES_AT_ONCE = 4

/** What ends connections, and lets others catch up. */
export function createLifecycle(options: HubOptions & { isDoubtful: IsDoubtful }) {
  const { log, isDoubtful, clock, logger, counts, mayReceive } = options
  const slots = createConnectionSlots(options)
  const inTurn = createSemaphore(PAGES_AT_ONCE, Number.POSITIVE_INFINITY)
  const feeds = createFeeds({ log, isDoubtful, clock, logger, mayReceive, handed: counts.sent, behind: beginCatchUp })

  /** The connection gets nothing any more, and does not count any more. */
  const detach = (connection: Connection): Promise<void> => {
    feeds.remove(connection)
    connection.recovery?.cancel()
    connection.wake?.()
    return slots.release(connection.id)
  }

  /** Ends a connection. It stops to count before its client knows: who reconnects at once is let in. */
  const end = (connection: Connection, reason: Disconnect) => {
    if (!isOpen(connection)) return
    changeState(connection, 'ending')
    counts.disconnected(disconnects[reason].type)
    void detach(connection).then(() => connection.state === 'ending' && writeLastLine(connection, reason))
  }

  /** Ends a recovery that has caught up, once every event before its end is in the log, and none that was told of is still to be read. */
  const endOnceRecovered = (connection: Connection) => {
    if (connection.before === Number.MAX_SAFE_INTEGER || connection.state !== 'live') return
    const endsMs = momentOf(connection.before) + LATE_MS
    const isDue = clock.now() >= endsMs
    const feed = feeds.get(connection.appId)
    if (isDue && !(feed && isAwaited(feed, connection.before))) return end(connection, 'recovered')
    if (isDue) connection.awaitedSinceMs ??= clock.elapsed()
    if (clock.elapsed() - (connection.awaitedSinceMs ?? clock.elapsed()) > MOST_AWAITED_MS) return end(connection, 'broken')
    connection.recovery?.cancel()
    const again = () => endOnceRecovered(connection)
    connection.recovery = isDue ? clock.after(AWAITED_EVERY_MS, again) : clock.at(endsMs, again)
  }

  const failed = (connection: Connection, error: unknown) => {
    if (isUnavailable(error)) {
      // That it stays behind is not the client's doing.
      connection.hasFallenBehind = false
      clock.after(RETRY_DELAY_MS, () => beginCatchUp(connection))
      return
    }
    logger.error({ err: error, app_id: connection.appId }, 'could not read the events of a stream')
    end(connection, 'broken')
  }

  function beginCatchUp(connection: Connection) {
    catchUp(connection, { log, mayReceive }, inTurn).then(
      () => endOnceRecovered(connection),
      (error) => failed(connection, error),
    )
  }

  return {
    slots,
    feeds,
    beginCatchUp,
    end,
    /** The client has left, or has its last line. */
    closed(connection: Connection) {
      const hasLeft = isOpen(connection)
      changeState(connection, 'closed')
      if (!hasLeft) return
      counts.disconnected('client')
      void detach(connection)
    },
  }
}
