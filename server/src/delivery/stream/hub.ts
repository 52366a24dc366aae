import type { Outlet, OutletListener } from '../../api/declare/endless-answer.ts'
import type { Clock, Timer } from '../../lib/clock.ts'
import { momentOf } from '../../lib/ids.ts'
import { MINUTE_MS, SECOND_MS } from '../../lib/time.ts'
import { logUnlessUnavailable } from '../../storage/unavailable.ts'
import { createChecks } from './checks.ts'
import { type Connection, createConnection, isOpen, type StreamRequest, write } from './connection.ts'
import { createLifecycle, type HubOptions } from './lifecycle.ts'
import { KEEP_ALIVE } from './lines.ts'

/** Each connection is visited so often: a client hears at least every 20 s, less a visit, that its connection lives (public practice). */
const ROUND_MS = 9 * SECOND_MS

/** Connections are visited in groups, so that thousands do not delay the event loop at once. */
const GROUPS = 9

/** A client that has read nothing for so many visits, although bytes wait for it, is cut. */
const MOST_STALLED_VISITS = 3

/** Whether nothing was sent since the last visit although bytes wait. */
function noteVisit(connection: Connection): boolean {
  const sentBytes = connection.outlet.sentBytes()
  const isIdle = sentBytes === connection.sentBytes
  connection.sentBytes = sentBytes
  const isStalled = isIdle && connection.outlet.waitingBytes() > 0
  connection.stalledVisits = isStalled ? connection.stalledVisits + 1 : 0
  return isIdle && !isStalled
}

/** Writes an empty line if nothing was written since the last visit. */
function visit(connection: Connection) {
  if (!noteVisit(connection) || !isOpen(connection)) return
  write(connection, KEEP_ALIVE)
  connection.sentBytes = connection.outlet.sentBytes()
}

/** Visits all connections in turn, with one timer that runs while there are any. */
function createKeepAlive(clock: Clock, visited: (connection: Connection) => void, roundEnded: () => void) {
  const groups = Array.from({ length: GROUPS }, () => new Set<Connection>())
  const groupOf = new Map<Connection, Set<Connection>>()
  let timer: Timer | undefined
  let added = 0
  let turn = 0

  const arm = () => {
    timer = clock.after(ROUND_MS / GROUPS, () => {
      for (const connection of groups[turn]!) visited(connection)
      turn = (turn + 1) % GROUPS
      if (turn === 0) roundEnded()
      if (groupOf.size > 0) arm()
      else timer = undefined
    })
  }

  return {
    add(connection: Connection) {
      const group = groups[added++ % GROUPS]!
      group.add(connection)
      groupOf.set(connection, group)
      if (!timer) arm()
    },
    remove(connection: Connection) {
      groupOf.get(connection)?.delete(connection)
      groupOf.delete(connection)
    },
    stop: () => timer?.cancel(),
  }
}

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

/** The use of a stream is noted so often. */
const NOTED_EVERY_MS = 60 * MINUTE_MS

/** Notes hourly which apps use their streams. */
function createUseNotes({ connections, clock, logger }: Pick<HubOptions, 'connections' | 'clock' | 'logger'>) {
  let notedMs = clock.elapsed()
  return (appIds: readonly string[]) => {
    if (clock.elapsed() - notedMs < NOTED_EVERY_MS || appIds.length === 0) return
    notedMs = clock.elapsed()
    connections.noteUse(appIds, clock.now()).catch((error) => logUnlessUnavailable(logger, error, 'could not note the use of streams'))
  }
}

/** Connections that an app may have at the same time, in all processes together (public practice). */
export const MOST_CONNECTIONS = 2

/** A client that does not read as fast as events come may be so far behind. */
const MOST_BEHIND_MS = 5 * MINUTE_MS

/** For the last line to reach the clients when this process stops. */
const STOP_MS = 3 * SECOND_MS

/** A connection that counts. It must be attached, or counts until this process ends. */
export interface OpenStream {
  attach(outlet: Outlet, problemBaseUrl: string): OutletListener
}

export interface StreamHub {
  /** Takes one of the connections of an app. `stopping`: this process takes no more. */
  open(request: StreamRequest): Promise<OpenStream | 'limit' | 'no-app' | 'stopping'>
  /** Ends all connections, because the log is wiped. */
  clear(): void
  /** Ends all connections, and takes no more. Resolves once the clients have their last lines, or that takes too long. */
  stop(): Promise<void>
}

/** Serves the streams of all apps in this process. */
export function createStreamHub(options: HubOptions): StreamHub {
  const { log, subscriptions, changes, ids, clock, logger, counts } = options
  const mayReceive: HubOptions['mayReceive'] = async (appId, entries) => {
    // At once, so that neither answer is older than the other takes.
    const [allowed] = await Promise.all([options.mayReceive(appId, entries), checks.confirm(appId)])
    return allowed
  }
  const { slots, feeds, beginCatchUp, end, closed } = createLifecycle({
    ...options,
    mayReceive,
    isDoubtful: (appId) => checks.isDoubtful(appId),
  })
  const checks = createChecks({ feeds, subscriptions, changes, clock, logger, end })
  const noteUse = createUseNotes(options)
  const connections = createConnectionSet()
  let isStopping = false

  const visited = (connection: Connection) => {
    visit(connection)
    if (connection.state === 'ending' && connection.stalledVisits > 0) return connection.outlet.destroy()
    const isTooLate = connection.hasFallenBehind && momentOf(connection.position) < clock.now() - MOST_BEHIND_MS
    if (connection.stalledVisits >= MOST_STALLED_VISITS || isTooLate) end(connection, 'slow')
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
