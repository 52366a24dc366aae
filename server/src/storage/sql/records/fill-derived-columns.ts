import { type Kysely, sql } from 'kysely'
import { fieldOf, type RecordType } from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { primaryKey } from './declared-table.ts'
import { type DerivedColumn, searchColumn } from './derived-columns.ts'

/** How many records are computed at once. */
const BATCH = 1000

/** The metadata that names the derived column which every record of a table has: an update under another declaration may leave it behind. */
const FILLED = 'derived column of'

type Row = Record<string, unknown>

/** Computes a derived column for all records of a table, a batch at a time. */
async function fill(db: Kysely<Database>, flavour: Flavour, kind: RecordType, { name, fields, compute }: DerivedColumn) {
  const table = sql.table(kind.table)
  const keys = primaryKey(kind)
  const listed = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)))
  const same = keys.map((key) => sql`${sql.ref(`${kind.table}.${key}`)} = ${sql.ref(`given.${key}`)}`)
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
 * Fills the derived column of a table whose records may lack it, or have it of a former value: when it is new, and when the tables were
 * declared without it in between.
 */
export async function fillDerivedColumns(db: Kysely<Database>, flavour: Flavour, kind: RecordType): Promise<void> {
  const column = searchColumn(kind)
  const name = `${FILLED} ${kind.table}`
  const value = column?.name ?? ''
  const known = await db.selectFrom('metadata').select('value').where('name', '=', name).executeTakeFirst()
  if ((known?.value ?? '') === value) return
  if (column) await fill(db, flavour, kind, column)
  const insert = db.insertInto('metadata').values({ name, value })
  await insert.onConflict((conflict) => conflict.column('name').doUpdateSet({ value })).execute()
}
