import type { Outlet, OutletListener } from '../../api/declare/endless-answer.ts'
import { momentOf } from '../../lib/ids.ts'
import { MINUTE_MS, SECOND_MS } from '../../lib/time.ts'
import { createChecks } from './checks.ts'
import { type Connection, createConnection, type StreamRequest } from './connection.ts'
import { createConnectionSet } from './connection-set.ts'
import type { HubOptions } from './hub-options.ts'
import { createKeepAlive, MOST_STALLED_VISITS, visit } from './keep-alive.ts'
import { createLifecycle } from './lifecycle.ts'
import { createUseNotes } from './use-notes.ts'

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
