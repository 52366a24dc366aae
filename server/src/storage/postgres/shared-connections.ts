import type { Pool, PoolClient } from 'pg'

/** A connection that is checked out, and those who use it together. */
interface Lane {
  client: Promise<PoolClient>
  users: number
  /** It broke, or what it has planned is outdated: it is closed once nobody uses it. */
  isSpent: boolean
}

/** With more statements under way on every connection another one is opened. */
const BUSY = 4

/**
 * Lets many statements use few connections of a pool at once, each of which takes the next statement before it has answered the last
 * (pipelining): then a statement costs neither a check-out nor a wake-up of the server of its own. A statement is answered after those before
 * it on its connection, so it should be a quick one that waits for no lock. The clients of the pool are made with `pipeline`. `used` is told
 * of each use.
 */
export function shareConnections(pool: Pool, used: () => void = () => {}) {
  const lanes = new Set<Lane>()

  const open = (): Lane => {
    const lane: Lane = { client: pool.connect(), users: 0, isSpent: false }
    lanes.add(lane)
    return lane
  }

  /** The connection with the least to do. */
  const choose = (): Lane => {
    let least: Lane | undefined
    for (const lane of lanes) if (!least || lane.users < least.users) least = lane
    return !least || (least.users >= BUSY && lanes.size < pool.options.max) ? open() : least
  }

  const spend = (lane: Lane) => {
    lane.isSpent = true
    lanes.delete(lane)
  }

  const leave = (lane: Lane, client: PoolClient) => {
    lane.users -= 1
    if (lane.users > 0) return
    lanes.delete(lane)
    client.release(lane.isSpent)
  }

  /** Runs a statement on a connection. One for which `isSpentBy` is true of the error takes no other. */
  return async <T>(run: (client: PoolClient) => Promise<T>, isSpentBy: (error: unknown) => boolean): Promise<T> => {
    const lane = choose()
    lane.users += 1
    used()
    const client = await lane.client.catch((error) => {
      spend(lane)
      throw error
    })
    try {
      return await run(client)
    } catch (error) {
      if (isSpentBy(error)) spend(lane)
      throw error
    } finally {
      leave(lane, client)
    }
  }
}

export type Shared = ReturnType<typeof shareConnections>
