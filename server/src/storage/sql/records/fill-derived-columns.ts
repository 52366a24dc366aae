import { type Kysely, sql } from 'kysely'
import { fieldOf, type RecordType } from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { primaryKey } from './declared-table.ts'
import { type DerivedColumn, searchColumn } from './derived-columns.ts'

/** How many records are updated by one statement. */
const BATCH = 1000

/**
 * The metadata key of the derived column that is filled in every record of a table. Versions with another declaration do not update it, so
 * it may be outdated when it is declared again.
 */
const FILLED = 'derived column of'

type Row = Record<string, unknown>

/** Computes a derived column for all records of a table, in batches. */
async function fill(db: Kysely<Database>, flavour: Flavour, recordType: RecordType, { name, fields, compute }: DerivedColumn) {
  const table = sql.table(recordType.table)
  const keys = primaryKey(recordType)
  const listed = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)))
  const same = keys.map((key) => sql`${sql.ref(`${recordType.table}.${key}`)} = ${sql.ref(`given.${key}`)}`)
  for (let last: readonly unknown[] = []; ; ) {
    const rest = last.length > 0 ? sql`where (${listed(keys)}) > (${sql.join(last)})` : sql``
    const { rows } =
      await sql<Row>`select ${listed([...keys, ...fields])} from ${table} ${rest} order by ${listed(keys)} limit ${BATCH}`.execute(db)
    if (rows.length === 0) return
    const keysOf = (row: Row) => keys.map((key) => fieldOf(row, key))
    const given = flavour.rows(JSON.stringify(rows.map((row) => [...keysOf(row), compute(row)])), [...keys, 'computed'])
    await sql`update ${table} set ${sql.ref(name)} = given.computed from ${given} where ${sql.join(same, sql` and `)}`.execute(db)
    last = keysOf(rows.at(-1)!)
  }
}

/**
 * Fills the derived column of a table if its records may have no value or an outdated one: when the column is new, or when a version
 * without it has used the tables in between.
 */
export async function fillDerivedColumns(db: Kysely<Database>, flavour: Flavour, recordType: RecordType): Promise<void> {
  const column = searchColumn(recordType)
  const name = `${FILLED} ${recordType.table}`
  const value = column?.name ?? ''
  const filled = await db.selectFrom('metadata').select('value').where('name', '=', name).executeTakeFirst()
  if ((filled?.value ?? '') === value) return
  if (column) await fill(db, flavour, recordType, column)
  const insert = db.insertInto('metadata').values({ name, value })
  await insert.onConflict((conflict) => conflict.column('name').doUpdateSet({ value })).execute()
}
