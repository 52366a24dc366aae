import type { Transaction } from 'kysely'
import type { ContentTransaction, RelationPair, TermPair } from '../../content.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { bulkInsert } from './bulk-insert.ts'
import { selectColumn, storedIn } from './columns.ts'

const RELATIONS = {
  name: 'relations',
  columns: { relation: 'text', source: 'text', target: 'text', position: 'bigid' },
  returning: 'relation, source, target',
} as const

const POST_TERMS = { name: 'post_terms', columns: { term: 'bigid', post_id: 'bigid' } } as const

/** In the order of the key, so that neighbours of the index are written together. */
const byTerm = ([one, first]: TermPair, [other, second]: TermPair) => (one === other ? (first < second ? -1 : 1) : one < other ? -1 : 1)

const isSorted = (pairs: readonly TermPair[]) => pairs.every((pair, place) => place === 0 || byTerm(pairs[place - 1]!, pair) < 0)

type BulkStatements = Pick<ContentTransaction, 'insertAll' | 'relateAll' | 'addAllTerms'>

/** The statements of a transaction that write many rows. */
export const createBulkStatements = (trx: Transaction<Database>, flavour: Flavour): BulkStatements => ({
  async insertAll(table, rows) {
    const names = Object.keys(rows[0] ?? {})
    const columns = Object.fromEntries(names.map((column) => [column, table.columns[column]!]))
    const stored = rows.map((row) => names.map((column) => storedIn(table, column, row[column])))
    const returning = `${selectColumn(table, table.key)} as key`
    const inserted = await bulkInsert<{ key: string }>(trx, flavour, { name: table.name, columns, returning }, stored)
    return inserted.map(({ key }) => key)
  },
  relateAll: (pairs) =>
    bulkInsert<RelationPair>(
      ...([trx, flavour, RELATIONS] as const),
      pairs.map(({ relation, source, target, position }) => [relation, source, target, BigInt(position)]),
    ),
  async addAllTerms(pairs) {
    await bulkInsert(trx, flavour, POST_TERMS, isSorted(pairs) ? pairs : [...pairs].sort(byTerm))
  },
})
