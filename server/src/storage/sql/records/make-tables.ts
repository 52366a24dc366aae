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
 * The tables, columns and indexes that the record types declare. Making them adds what the database lacks, and has columns be null that
 * are declared so; records that stand get the declared defaults of new columns. No column is ever dropped.
 * Making them throws when a newer version declared the tables, when somebody else made one, when records that stand have no value for a
 * new column, and when a column is otherwise than declared.
 */
export function declaredTables(flavour: Flavour, recordTypes: readonly RecordType[]): DeclaredTables<Kysely<Database>> {
  const declared = fingerprintOf(recordTypes)
  return {
    areCurrent: async (db) => (await recordedTables(db)) === declared,
    async make(db, isNewer) {
      const recorded = await recordedTables(db)
      if (recorded === declared) return
      if (!isNewer) assertNotNewer(recorded, recordTypes)
      for (const kind of recordTypes) await makeWhole(db, flavour, kind)
      await recordTables(db, declared)
    },
  }
}
