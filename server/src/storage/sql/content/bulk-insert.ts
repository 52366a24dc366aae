import { CompiledQuery, type Transaction } from 'kysely'
import type { ContentColumn } from '../../content-tables.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'

type BulkColumn = ContentColumn | 'bytes'

/** The columns of the rows, in their order, and what of inserted rows is answered. */
export interface BulkTable {
  name: string
  columns: Readonly<Record<string, BulkColumn>>
  returning?: string
  /** What happens to a row whose key is taken, instead of nothing. */
  conflict?: string
}

type Row = readonly unknown[]

/** How many rows one statement inserts. There are few sizes, so that every statement is prepared once. */
const SIZES = [2048, 256, 32, 1]

/** SQLite takes so many parameters in a statement. */
const MAX_PARAMETERS = 32_766

const ending = ({ returning, conflict = 'on conflict do nothing' }: BulkTable) =>
  ` ${conflict}${returning === undefined ? '' : ` returning ${returning}`}`

const beginning = ({ name, columns }: BulkTable) => `insert into ${name} (${Object.keys(columns).join()}) `

/** The types of arrays. A flag is a boolean, and JSON is text. */
const arrayTypes: Record<BulkColumn, string> = {
  bytes: 'bytea',
  text: 'text',
  bigid: 'bigint',
  number: 'bigint',
  time: 'bigint',
  json: 'text',
  flag: 'boolean',
}

/** One parameter for each column: an array of the values of all rows. */
function arrayStatement(table: BulkTable, rows: readonly Row[]): [string, unknown[]] {
  const types = Object.values(table.columns)
  const parameters = types.map((type, place) => `$${place + 1}::${arrayTypes[type]}[]`)
  const isNumber = (type: BulkColumn) => type === 'bigid' || type === 'number' || type === 'time'
  // Arrays of numbers are written here, because the driver would quote each.
  const values = types.map((type, place) =>
    isNumber(type) ? `{${rows.map((row) => row[place] ?? 'null').join()}}` : rows.map((row) => row[place] ?? null),
  )
  return [`${beginning(table)}select * from unnest(${parameters.join()})${ending(table)}`, values]
}

/** A parameter for each value. */
function valuesStatement(table: BulkTable, count: number): string {
  const row = `(${Object.keys(table.columns)
    .map(() => '?')
    .join()})`
  return `${beginning(table)}values ${Array.from({ length: count }, () => row).join()}${ending(table)}`
}

/** The rows in slices of which each is one statement. */
function* slicesOf(table: BulkTable, rows: readonly Row[]) {
  const most = Math.floor(MAX_PARAMETERS / Object.keys(table.columns).length)
  let at = 0
  for (const size of SIZES.filter((size) => size <= most)) for (; rows.length - at >= size; at += size) yield rows.slice(at, at + size)
}

/**
 * Inserts rows whose keys are not taken, or does what `conflict` says with the others, with as few statements as the database allows; answers the columns `returning` of those that were
 * inserted. Ids of 64 bits are bigints.
 */
export async function bulkInsert<Returned>(
  trx: Transaction<Database>,
  flavour: Flavour,
  table: BulkTable,
  rows: readonly Row[],
): Promise<Returned[]> {
  if (rows.length === 0) return []
  if (flavour.name === 'postgres') {
    const [text, values] = arrayStatement(table, rows)
    return (await trx.executeQuery<Returned>(CompiledQuery.raw(text, values))).rows
  }
  const inserted: Returned[] = []
  for (const slice of slicesOf(table, rows)) {
    const { rows: returned } = await trx.executeQuery<Returned>(CompiledQuery.raw(valuesStatement(table, slice.length), slice.flat()))
    for (const row of returned) inserted.push(row)
  }
  return inserted
}
