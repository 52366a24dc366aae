import type { Pool } from 'pg'
import type { Outage } from '../../outage.ts'
import type { Timeouts } from '../../postgres/connection.ts'
import { createPool } from '../../postgres/pool.ts'

interface StatePool {
  connections: number
  timeouts: Timeouts
  settings?: readonly string[]
}

const SINGLE: Timeouts = { lockMs: 2000, statementMs: 8000, answerMs: 10_000 }

/**
 * Pools apart, so that nobody waits for what others wait for: the batched questions of requests, which wait for no row; other single
 * statements; the lease, which must be renewed in time; statements whose commits do not wait for the disk, which outlast this process, but the last of them, written within three times the server's `wal_writer_delay`, not a crash
 * of the server; transactions, which may wait for a row that another process holds; and what is done at a start or by an operator and
 * takes its time.
 */
const pools = {
  questions: { connections: 4, timeouts: SINGLE },
  statements: { connections: 8, timeouts: SINGLE },
  lease: { connections: 1, timeouts: { lockMs: 1000, statementMs: 3000, answerMs: 4000 } },
  unsynced: { connections: 2, timeouts: SINGLE, settings: ['synchronous_commit = off'] },
  transactions: { connections: 8, timeouts: { lockMs: 1000, statementMs: 18_000, answerMs: 20_000 } },
  maintenance: { connections: 2, timeouts: { lockMs: 0, statementMs: 0, answerMs: 0 } },
} satisfies Record<string, StatePool>

export type PoolName = keyof typeof pools

/** A pool of connections to the state; none is opened before it is needed. */
export const statePool = (pool: PoolName, url: string, outage: Outage): Pool => createPool({ url, name: 'postern', ...pools[pool], outage })
