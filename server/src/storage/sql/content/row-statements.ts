import { sql, type Transaction } from 'kysely'
import type { ContentTransaction } from '../../content.ts'
import { posts } from '../../content-tables.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { createBulkStatements } from './bulk-statements.ts'
import { changed } from './changed.ts'
import { storedIn } from './columns.ts'
import { storedTable } from './counters.ts'

type RowStatements = Pick<ContentTransaction, 'insert' | 'update' | 'remove'> & ReturnType<typeof createBulkStatements>

/** How rows are written and removed. Removed posts are noted in `removedPosts`. */
export function createRowStatements(trx: Transaction<Database>, flavour: Flavour, removedPosts: Set<string>): RowStatements {
  return {
    ...createBulkStatements(trx, flavour),
    async insert(table, values) {
      const columns = Object.keys(values)
      const stored = columns.map((column) => sql`${storedIn(table, column, values[column])}`)
      return changed(
        trx,
        sql`insert into ${sql.table(table.name)} (${sql.join(columns.map((column) => sql.ref(column)))}) values (${sql.join(stored)}) on conflict do nothing`,
      )
    },
    async update(table, key, values) {
      const stored = storedTable(table)
      const set = Object.entries(values).map(([column, value]) => sql`${sql.ref(column)} = ${storedIn(table, column, value)}`)
      await sql`update ${sql.table(stored.name)} set ${sql.join(set)} where ${sql.ref(stored.key)} = ${storedIn(table, table.key, key)}`.execute(
        trx,
      )
    },
    async remove(table, key) {
      if (table.name === posts.name) removedPosts.add(key)
      return changed(trx, sql`delete from ${sql.table(table.name)} where ${sql.ref(table.key)} = ${storedIn(table, table.key, key)}`)
    },
  }
}
