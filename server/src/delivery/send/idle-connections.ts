/** A connection to one origin. */
export interface Poolable {
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

/** A pool of at most `max` idle connections. Beyond that the one that has been idle longest is evicted, over all origins. */
export function createIdleConnections<Connection extends Poolable>(
  max: number,
  evict: (connection: Connection) => void,
): IdleConnections<Connection> {
  /** In the order in which they became idle. */
  const idle = new Set<Connection>()
  const byOrigin = new Map<string, Connection[]>()

  const remove = (connection: Connection) => {
    if (!idle.delete(connection)) return
    const siblings = byOrigin.get(connection.origin)!
    siblings.splice(siblings.indexOf(connection), 1)
    if (siblings.length === 0) byOrigin.delete(connection.origin)
  }

  const put = (connection: Connection) => {
    idle.add(connection)
    const siblings = byOrigin.get(connection.origin)
    if (siblings) siblings.push(connection)
    else byOrigin.set(connection.origin, [connection])
    if (idle.size <= max) return
    const [longest] = idle
    remove(longest!)
    evict(longest!)
  }

  const take = (origin: string) => {
    const last = byOrigin.get(origin)?.at(-1)
    if (last) remove(last)
    return last
  }

  return { take, put, remove, all: () => idle }
}
