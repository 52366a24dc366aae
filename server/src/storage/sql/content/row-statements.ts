import { sql, type Transaction } from 'kysely'
import type { ContentTransaction, TermPair } from '../../content.ts'
import { posts } from '../../content-tables.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { bulkInsert } from './bulk-insert.ts'
import { changed } from './change-set.ts'
import { selectColumn, storedIn } from './columns.ts'
import { storedTable } from './counters.ts'

const POST_TERMS = { name: 'post_terms', columns: { term: 'bigid', post_id: 'bigid' } } as const

/** In the order of the key, so that neighbours of the index are written together. */
const byTerm = ([one, first]: TermPair, [other, second]: TermPair) => (one === other ? (first < second ? -1 : 1) : one < other ? -1 : 1)

const isSorted = (pairs: readonly TermPair[]) => pairs.every((pair, place) => place === 0 || byTerm(pairs[place - 1]!, pair) < 0)

type BulkStatements = Pick<ContentTransaction, 'insertAll' | 'addAllTerms'>

/** The statements of a transaction that write many rows of a table. */
const createBulkStatements = (trx: Transaction<Database>, flavour: Flavour): BulkStatements => ({
  async insertAll(table, rows) {
    const names = Object.keys(rows[0] ?? {})
    const columns = Object.fromEntries(names.map((column) => [column, table.columns[column]!]))
    const stored = rows.map((row) => names.map((column) => storedIn(table, column, row[column])))
    const returning = `${selectColumn(table, table.key)} as key`
    const inserted = await bulkInsert<{ key: string }>(trx, flavour, { name: table.name, columns, returning }, stored)
    return inserted.map(({ key }) => key)
  },
  async addAllTerms(pairs) {
    await bulkInsert(trx, flavour, POST_TERMS, isSorted(pairs) ? pairs : [...pairs].sort(byTerm))
  },
})

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
