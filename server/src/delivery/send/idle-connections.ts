import type { Clock } from '../../lib/clock.ts'
import { createDeadlines, type Due } from './deadlines.ts'

/** A connection to one origin. It may be idle until `dueMs`. */
export interface Poolable extends Due {
  readonly origin: string
}

export interface IdleConnections<Connection extends Poolable> {
  /** Removes and returns the most recently used connection to an origin. */
  take(origin: string): Connection | undefined
  put(connection: Connection): void
  remove(connection: Connection): void
  /** Every idle connection. */
  all(): Iterable<Connection>
}

/**
 * A pool of at most `max` idle connections. One that has been idle for too long is evicted, and beyond the limit the one that has been idle
 * longest, over all origins.
 */
export function createIdleConnections<Connection extends Poolable>(
  clock: Clock,
  max: number,
  evict: (connection: Connection) => void,
): IdleConnections<Connection> {
  const byOrigin = new Map<string, Connection[]>()

  const forget = (connection: Connection) => {
    const siblings = byOrigin.get(connection.origin)!
    siblings.splice(siblings.indexOf(connection), 1)
    if (siblings.length === 0) byOrigin.delete(connection.origin)
  }

  /** In the order in which they became idle. */
  const idle = createDeadlines<Connection>(clock, (connection) => {
    forget(connection)
    evict(connection)
  })

  const remove = (connection: Connection) => {
    if (idle.remove(connection)) forget(connection)
  }

  const put = (connection: Connection) => {
    idle.add(connection)
    const siblings = byOrigin.get(connection.origin)
    if (siblings) siblings.push(connection)
    else byOrigin.set(connection.origin, [connection])
    if (idle.count() <= max) return
    const [longest] = idle.all()
    remove(longest!)
    evict(longest!)
  }

  const take = (origin: string) => {
    const last = byOrigin.get(origin)?.at(-1)
    if (last) remove(last)
    return last
  }

  return { take, put, remove, all: idle.all }
}
