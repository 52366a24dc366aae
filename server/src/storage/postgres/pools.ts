import type { Pool } from 'pg'
import type { Timeouts } from './connection.ts'
import type { ConnectionWaits } from './connection-waits.ts'
import { indexesOnly, keysOnly } from './planner-settings.ts'
import { createPool, type PoolOptions } from './pool.ts'

const SINGLE: Timeouts = { lockMs: 2000, statementMs: 8000, answerMs: 10_000 }
/** Taking over the work of another process may take long. */
const LOG_READS: Timeouts = { lockMs: 5000, statementMs: 18_000, answerMs: 20_000 }
/** Shorter, because a producer waits for the response. */
const LOG_COMMITS: Timeouts = { lockMs: 5000, statementMs: 8000, answerMs: 10_000 }
const UNLIMITED: Timeouts = { lockMs: 0, statementMs: 0, answerMs: 0 }

/** The connection pools of a process. They are separate, so that one kind of work does not wait for another. */
const pools = {
  /** Reads and batched queries of requests, which wait for no row. They share connections (`shared-connections.ts`). */
  queries: { name: 'postern', connections: 4, timeouts: SINGLE, pipeline: true },
  /** Other single statements. */
  statements: { name: 'postern', connections: 8, timeouts: SINGLE },
  /** The lease, which must be renewed in time. */
  lease: { name: 'postern', connections: 1, timeouts: { lockMs: 1000, statementMs: 3000, answerMs: 4000 } },
  /**
   * Statements whose commits do not wait for the disk. They survive this process; those of the last three `wal_writer_delay` may be lost in a
   * crash of the server.
   */
  unsynced: { name: 'postern', connections: 2, timeouts: SINGLE, settings: ['synchronous_commit = off'] },
  /** Transactions, which may wait for a row that another process holds. */
  transactions: { name: 'postern', connections: 8, timeouts: { lockMs: 1000, statementMs: 18_000, answerMs: 20_000 } },
  /** Long statements at the start or by an operator. */
  maintenance: { name: 'postern', connections: 2, timeouts: UNLIMITED },
  /** All statements of the event log except those below. */
  log: { name: 'postern-log', connections: 3, timeouts: LOG_READS, settings: indexesOnly },
  /** The registration as owner of deliveries: all connections of `log` may wait for it. */
  logOwner: { name: 'postern-log', connections: 1, timeouts: LOG_READS, settings: indexesOnly },
  /** Commits of the event log, one batch at a time. */
  logCommits: { name: 'postern-log', connections: 1, timeouts: LOG_COMMITS, settings: keysOnly },
} satisfies Record<string, Omit<PoolOptions, 'url' | 'outage' | 'unheld'>>

export type PoolName = keyof typeof pools

/** Opens a pool to the database at `url`. Connections are opened on demand. With `unheld` idle ones do not keep the process alive. */
export function openPool(
  name: PoolName,
  url: string,
  { outage, unheld, waits }: Pick<PoolOptions, 'outage' | 'unheld'> & { waits?: ConnectionWaits | undefined },
): Pool {
  const pool = createPool({ url, ...pools[name], outage, unheld })
  waits?.watch(name, pool)
  return pool
}
