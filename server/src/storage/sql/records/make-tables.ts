import { type Kysely, sql } from 'kysely'
import type { RecordType } from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import { holdLock } from '../hold-lock.ts'
import type { Database } from '../schema.ts'
import { amendTable } from './amend-table.ts'
import { columnDefiner } from './column-definition.ts'
import { declaredColumns, declaredIndexes, primaryKey } from './declared-table.ts'
import { existingTable } from './existing-table.ts'
import { fillDerivedColumns } from './fill-derived-columns.ts'
import { DECLARED_TABLES, fingerprintOf, hasTables, RECORDS_VERSION } from './records-version.ts'

async function makeTable(db: Kysely<Database>, flavour: Flavour, kind: RecordType) {
  const columns = declaredColumns(kind).map(columnDefiner(flavour, kind))
  const key = sql`${sql.ref(kind.key)} ${flavour.text} not null`
  const keys = primaryKey(kind).map((column) => sql.ref(column))
  const [named, primary] = keys.length > 1 ? [key, [sql`primary key (${sql.join(keys)})`]] : [sql`${key} primary key`, []]
  await sql`create table ${sql.table(kind.table)} (${sql.join([named, ...columns, ...primary])})`.execute(db)
}

/** Makes the indexes that are missing, and those anew that have other columns. */
async function makeIndexes(db: Kysely<Database>, flavour: Flavour, kind: RecordType) {
  const existing = (await existingTable(db, flavour, kind.table))!.indexes
  for (const { name, columns } of declaredIndexes(kind)) {
    const known = existing.get(name)
    if (known?.join() === columns.join()) continue
    if (known) await sql`drop index ${sql.ref(name)}`.execute(db)
    await sql`create index ${sql.ref(name)} on ${sql.table(kind.table)} (${sql.join(columns.map((column) => sql.ref(column)))})`.execute(db)
  }
}

async function makeWhole(db: Kysely<Database>, flavour: Flavour, kind: RecordType) {
  const existing = await existingTable(db, flavour, kind.table)
  if (existing) await amendTable(db, flavour, kind, existing)
  else await makeTable(db, flavour, kind)
  await fillDerivedColumns(db, flavour, kind)
  await makeIndexes(db, flavour, kind)
}

/**
 * Makes the tables, columns and indexes that the declared record types want and the database lacks, and has columns be null that are declared so;
 * records that stand get the declared defaults of new columns. No column is ever dropped. All or nothing; processes that start together
 * wait for one another.
 * @throws when a newer version declared the tables, when somebody else made one, when records that stand have no value for a new column,
 * and when a column is otherwise than declared. The database is left as it is.
 */
export async function makeTables(db: Kysely<Database>, flavour: Flavour, recordTypes: readonly RecordType[]): Promise<void> {
  const wanted = `${RECORDS_VERSION} ${fingerprintOf(recordTypes)}`
  if (await hasTables(db, wanted)) return
  await db.transaction().execute(async (trx) => {
    await holdLock(trx, flavour, 'tables')
    if (await hasTables(trx, wanted)) return
    for (const kind of recordTypes) await makeWhole(trx, flavour, kind)
    const fact = trx.insertInto('facts').values({ name: DECLARED_TABLES, value: wanted })
    await fact.onConflict((conflict) => conflict.column('name').doUpdateSet({ value: wanted })).execute()
  })
}
