import type { Pool } from 'pg'
import type { Copied } from '../../files/table-copies.ts'
import { dropFormer, dropTables, inTransaction, restoreTables, saveTables } from '../../postgres/table-copies.ts'
import type { Snapshots } from '../../snapshots.ts'

/**
 * Copies of the state on PostgreSQL: schemas named after this worker. The first copy drops what a former process with this worker number has
 * left.
 */
export function createPoolSnapshots(pool: Pool, worker: number, copied: Copied): Snapshots {
  const nameOf = (name: string) => `${worker}_state_${name}`
  let cleaned: Promise<void> | undefined
  return {
    async save(name) {
      cleaned ??= inTransaction(pool, (query) => dropFormer(query, `${worker}_`))
      await cleaned
      return inTransaction(pool, (query) => saveTables(query, nameOf(name), copied))
    },
    restore: (name) => inTransaction(pool, (query) => restoreTables(query, nameOf(name), copied)),
    drop: async (name) => void (await inTransaction(pool, (query) => dropTables(query, nameOf(name)))),
  }
}
