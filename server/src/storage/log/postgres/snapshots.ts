import type { Pool } from 'pg'
import type { Clock } from '../../../lib/clock.ts'
import { sequenceAt } from '../../../lib/ids.ts'
import type { Copied } from '../../files/table-copies.ts'
import { dropTables, inTransaction, restoreTables, saveTables } from '../../postgres/table-copies.ts'
import type { Snapshots } from '../../snapshots.ts'

const LOG_TABLES = ['log_event', 'log_delivery', 'log_open', 'log_attempt', 'log_stream']

const copied: Copied = (table) => (LOG_TABLES.includes(table) ? 'true' : undefined)

export interface LogSnapshotOptions {
  pool: Pool
  worker: number
  clock: Clock
  betweenCommits<T>(step: () => Promise<T>): Promise<T>
  /** The rows were replaced. These sequence numbers, ahead of the clock, were used before. */
  replaced(used: readonly number[]): void
}

/** Copies of the event log on PostgreSQL. What a process held when the copy was made is held by nobody once it is restored. */
export function createLogSnapshots({ pool, worker, clock, betweenCommits, replaced }: LogSnapshotOptions): Snapshots {
  const schemaOf = (name: string) => `${worker}_log_${name}`
  return {
    save: (name) => betweenCommits(() => inTransaction(pool, (query) => saveTables(query, schemaOf(name), copied))),
    restore: (name) =>
      betweenCommits(async () => {
        const used = await inTransaction(pool, async (query) => {
          const rows = await query(`select sequence from log_event where sequence > ${sequenceAt(clock.now())}`)
          await restoreTables(query, schemaOf(name), copied)
          await query('update log_open set owner = null')
          return rows.map(({ sequence }) => Number(sequence))
        })
        replaced(used)
      }),
    drop: async (name) => void (await inTransaction(pool, (query) => dropTables(query, schemaOf(name)))),
  }
}
