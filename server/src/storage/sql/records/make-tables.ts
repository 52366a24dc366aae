import { type Kysely, sql } from 'kysely'
import type { DeclaredTables } from '../../migrate.ts'
import type { RecordType } from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { amendTable } from './amend-table.ts'
import { columnDefiner } from './column-definition.ts'
import { assertNotNewer, fingerprintOf, recordedTables, recordTables } from './declared-record.ts'
import { declaredColumns, declaredIndexes, primaryKey } from './declared-table.ts'
import { existingTable } from './existing-table.ts'
import { fillDerivedColumns } from './fill-derived-columns.ts'

async function createTable(db: Kysely<Database>, flavour: Flavour, recordType: RecordType) {
  const columns = declaredColumns(recordType).map(columnDefiner(flavour, recordType))
  const key = sql`${sql.ref(recordType.key)} ${flavour.text} not null`
  const keys = primaryKey(recordType).map((column) => sql.ref(column))
  const [named, primary] = keys.length > 1 ? [key, [sql`primary key (${sql.join(keys)})`]] : [sql`${key} primary key`, []]
  await sql`create table ${sql.table(recordType.table)} (${sql.join([named, ...columns, ...primary])})`.execute(db)
}

/** Creates missing indexes, and recreates those with other columns. */
async function makeIndexes(db: Kysely<Database>, flavour: Flavour, recordType: RecordType) {
  const existing = (await existingTable(db, flavour, recordType.table))!.indexes
  for (const { name, columns } of declaredIndexes(recordType)) {
    const current = existing.get(name)
    if (current?.join() === columns.join()) continue
    if (current) await sql`drop index ${sql.ref(name)}`.execute(db)
    await sql`create index ${sql.ref(name)} on ${sql.table(recordType.table)} (${sql.join(columns.map((column) => sql.ref(column)))})`.execute(
      db,
    )
  }
}

async function createOrAmend(db: Kysely<Database>, flavour: Flavour, recordType: RecordType) {
  const existing = await existingTable(db, flavour, recordType.table)
  if (existing) await amendTable(db, flavour, recordType, existing)
  else await createTable(db, flavour, recordType)
  await fillDerivedColumns(db, flavour, recordType)
  await makeIndexes(db, flavour, recordType)
}

/**
 * The tables, columns and indexes that the record types declare. `make` adds what the database lacks and makes columns nullable that are
 * declared so. Existing records get the declared defaults of new columns. No column is ever dropped.
 * `make` throws if a newer version has used the tables, if Postern did not make a table, if existing records have no value for a new
 * column, or if a column differs from its declaration in any other way.
 */
export function declaredTables(flavour: Flavour, recordTypes: readonly RecordType[]): DeclaredTables<Kysely<Database>> {
  const declared = fingerprintOf(recordTypes)
  return {
    areCurrent: async (db) => (await recordedTables(db)) === declared,
    async make(db, isNewer) {
      const recorded = await recordedTables(db)
      if (recorded === declared) return
      if (!isNewer) assertNotNewer(recorded, recordTypes)
      for (const recordType of recordTypes) await createOrAmend(db, flavour, recordType)
      await recordTables(db, declared)
    },
  }
}
