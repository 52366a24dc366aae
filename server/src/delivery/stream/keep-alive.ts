import type { Clock, Timer } from '../../lib/clock.ts'
import { SECOND_MS } from '../../lib/time.ts'
import { type Connection, isOpen, write } from './connection.ts'
import { KEEP_ALIVE } from './lines.ts'

/** Each connection is visited so often: a client hears at least every 20 s, less a visit, that its connection lives (public practice). */
const ROUND_MS = 9 * SECOND_MS

/** Connections are visited in groups, so that thousands do not delay the event loop at once. */
const GROUPS = 9

/** A client that has read nothing for so many visits, although bytes wait for it, is cut. */
export const MOST_STALLED_VISITS = 3

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
export function visit(connection: Connection) {
  if (!noteVisit(connection) || !isOpen(connection)) return
  write(connection, KEEP_ALIVE)
  connection.sentBytes = connection.outlet.sentBytes()
}

/** Visits all connections in turn, with one timer that runs while there are any. */
export function createKeepAlive(clock: Clock, visited: (connection: Connection) => void, roundEnded: () => void) {
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
