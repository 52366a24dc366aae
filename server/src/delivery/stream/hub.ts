import type { Logger } from 'pino'
import type { Outlet, OutletListener } from '../../api/declare/endless-answer.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Ids, momentOf } from '../../lib/ids.ts'
import { MINUTE_MS, SECOND_MS } from '../../lib/time.ts'
import type { Changes } from '../../storage/changes.ts'
import type { EventLog } from '../../storage/event-log.ts'
import type { StreamConnections } from '../../storage/stream-connections.ts'
import type { SubscriptionStore } from '../../storage/subscriptions.ts'
import { isUnavailable, logUnlessUnavailable } from '../../storage/unavailable.ts'
import type { WorkLease } from '../../storage/work-lease.ts'
import { RETRY_DELAY_MS } from '../due-retries.ts'
import { catchUp, type MayReceive } from './catch-up.ts'
import { createChecks } from './checks.ts'
import { type Connection, changeState, createConnection, isOpen, type StreamRequest, writeLastLine } from './connection.ts'
import { createConnectionSlots } from './connection-slots.ts'
import { type Disconnect, type DisconnectType, disconnects } from './disconnects.ts'
import { createFeeds } from './feeds.ts'
import { createKeepAlive, MOST_STALLED_VISITS, visit } from './keep-alive.ts'

/** Connections that an app may have at the same time, in all processes together (public practice). */
export const MOST_CONNECTIONS = 2

/** A client that does not read as fast as events come may be so far behind. */
const MOST_BEHIND_MS = 5 * MINUTE_MS

/** An event that was accepted before a date is in the log so long after it. */
const LATE_MS = 2 * SECOND_MS

/** The use of a stream is noted so often. */
const NOTED_EVERY_MS = 60 * MINUTE_MS

/** For the last line to reach the clients when this process stops. */
const STOP_MS = 3 * SECOND_MS

/** A connection that counts. It must be attached, or counts until this process ends. */
export interface OpenStream {
  attach(outlet: Outlet, problemBaseUrl: string): OutletListener
}

/** Told of what happens, for metrics. */
export interface StreamCounts {
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
  mayReceive?: MayReceive
}

export interface StreamHub {
  /** Takes one of the connections of an app. `stopping`: this process takes no more. */
  open(request: StreamRequest): Promise<OpenStream | 'limit' | 'no-app' | 'stopping'>
  /** Ends all connections, because the log is wiped. */
  clear(): void
  /** Ends all connections, and takes no more. Resolves once the clients have their last lines, or that takes too long. */
  stop(): Promise<void>
}

const everything: MayReceive = async (_appId, entries) => entries

/** The connections of this process, whether they are open or ending. */
function createConnectionSet() {
  const all = new Set<Connection>()
  let emptied = () => {}
  return {
    all,
    remove(connection: Connection) {
      all.delete(connection)
      if (all.size === 0) emptied()
    },
    empty: (): Promise<void> =>
      all.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            emptied = resolve
          }),
  }
}

/** Notes hourly which apps use their streams. */
function createUseNotes({ connections, clock, logger }: HubOptions) {
  let notedMs = clock.elapsed()
  return (appIds: readonly string[]) => {
    if (clock.elapsed() - notedMs < NOTED_EVERY_MS || appIds.length === 0) return
    notedMs = clock.elapsed()
    connections.noteUse(appIds, clock.now()).catch((error) => logUnlessUnavailable(logger, error, 'could not note the use of streams'))
  }
}

/** What ends connections, and lets others catch up. */
function createLifecycle(options: HubOptions) {
  const { log, clock, logger, counts, mayReceive = everything } = options
  const slots = createConnectionSlots(options)
  const feeds = createFeeds({ log, clock, logger, handed: counts.sent, behind: beginCatchUp })

  /** The connection gets nothing any more, and does not count any more. */
  const detach = (connection: Connection): Promise<void> => {
    feeds.remove(connection)
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

  const endIfRecovered = (connection: Connection) => {
    if (connection.state === 'live' && clock.now() >= momentOf(connection.before) + LATE_MS) end(connection, 'recovered')
  }

  const failed = (connection: Connection, error: unknown) => {
    if (isUnavailable(error)) return void clock.after(RETRY_DELAY_MS, () => beginCatchUp(connection))
    logger.error({ err: error, app_id: connection.appId }, 'could not read the events of a stream')
    end(connection, 'broken')
  }

  function beginCatchUp(connection: Connection) {
    catchUp(connection, { log, mayReceive }).then(
      () => endIfRecovered(connection),
      (error) => failed(connection, error),
    )
  }

  return {
    ...{ slots, feeds, beginCatchUp, end, endIfRecovered },
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

/** Serves the streams of all apps in this process. */
export function createStreamHub(options: HubOptions): StreamHub {
  const { log, subscriptions, changes, ids, clock, logger, counts } = options
  const { slots, feeds, beginCatchUp, end, endIfRecovered, closed } = createLifecycle(options)
  const checks = createChecks({ feeds, subscriptions, changes, clock, logger, end })
  const noteUse = createUseNotes(options)
  const connections = createConnectionSet()
  let isStopping = false

  const visited = (connection: Connection) => {
    visit(connection)
    if (connection.state === 'ending' && connection.stalledVisits > 0) return connection.outlet.destroy()
    const isTooLate = connection.hasFallenBehind && momentOf(connection.position) < clock.now() - MOST_BEHIND_MS
    if (connection.stalledVisits >= MOST_STALLED_VISITS || isTooLate) end(connection, 'slow')
    endIfRecovered(connection)
  }

  const keepAlive = createKeepAlive(clock, visited, () => {
    log.watchStreams()
    noteUse(feeds.appIds())
    checks.visited()
  })

  const attach = (id: string, request: StreamRequest, outlet: Outlet, problemBaseUrl: string): OutletListener => {
    const connection = createConnection(id, request, { outlet, problemBaseUrl }, clock.now())
    connections.all.add(connection)
    feeds.add(connection)
    keepAlive.add(connection)
    counts.connected()
    if (isStopping) end(connection, 'stopping')
    else if (connection.state === 'catching up') beginCatchUp(connection)
    // What the request was let in by may have changed until now.
    checks.doubt([request.appId])
    return {
      drained() {
        const { wake } = connection
        connection.wake = undefined
        wake?.()
      },
      closed() {
        closed(connection)
        keepAlive.remove(connection)
        connections.remove(connection)
      },
    }
  }

  const endAll = () => {
    for (const connection of connections.all) end(connection, 'stopping')
  }

  return {
    async open(request) {
      if (isStopping) return 'stopping'
      const id = ids.next()
      const opened = await slots.open({ id, appId: request.appId, createdAtMs: clock.now() }, MOST_CONNECTIONS)
      return opened === 'opened' ? { attach: (...where) => attach(id, request, ...where) } : opened
    },
    clear: endAll,
    async stop() {
      isStopping = true
      checks.stop()
      endAll()
      const cut = clock.after(STOP_MS, () => {
        for (const connection of connections.all) connection.outlet.destroy()
      })
      await connections.empty()
      cut.cancel()
      keepAlive.stop()
      slots.stop()
    },
  }
}
