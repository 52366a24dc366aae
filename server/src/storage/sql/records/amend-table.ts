import { type Kysely, sql } from 'kysely'
import type { RecordType } from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { columnDefiner, columnType } from './column-definition.ts'
import { COMMON_COLUMNS, type DeclaredColumn, declaredColumns, initialValues } from './declared-table.ts'
import type { ExistingColumn, ExistingTable } from './existing-table.ts'

async function isEmpty(db: Kysely<Database>, { table }: RecordType) {
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db)
  return rows.length === 0
}

/** Throws if existing records would have no value in a new required column. */
async function assertValuesFor(db: Kysely<Database>, recordType: RecordType, columns: readonly DeclaredColumn[]) {
  const initial = initialValues(recordType)
  const unknown = columns.filter(({ name, nullable }) => !nullable && !initial.has(name)).map(({ name }) => name)
  if (unknown.length === 0 || (await isEmpty(db, recordType))) return
  throw new Error(
    `The table ${recordType.table} lacks the column ${unknown.join(', ')}, and this version declares no default for its existing rows. Start the version that last used the database, or one that declares a default.`,
  )
}

async function addColumns(db: Kysely<Database>, flavour: Flavour, recordType: RecordType, columns: readonly DeclaredColumn[]) {
  await assertValuesFor(db, recordType, columns)
  const define = columnDefiner(flavour, recordType)
  for (const column of columns) await sql`alter table ${sql.table(recordType.table)} add column ${define(column)}`.execute(db)
}

/** Makes a required column nullable. On SQLite a new column with its values replaces it, and its indexes are dropped; `makeIndexes` creates them again. */
async function makeNullable(
  db: Kysely<Database>,
  flavour: Flavour,
  { table }: RecordType,
  { indexes }: ExistingTable,
  { name, type }: DeclaredColumn,
) {
  const [altered, column, nullable] = [sql.table(table), sql.ref(name), sql.ref(`${name}_or_null`)]
  if (flavour.name === 'postgres') {
    await sql`alter table ${altered} alter column ${column} drop not null, alter column ${column} drop default`.execute(db)
    return
  }
  for (const [index, columns] of indexes) if (columns.includes(name)) await sql`drop index if exists ${sql.ref(index)}`.execute(db)
  await sql`alter table ${altered} add column ${nullable} ${columnType(flavour, type)}`.execute(db)
  await sql`update ${altered} set ${nullable} = ${column}`.execute(db)
  await sql`alter table ${altered} drop column ${column}`.execute(db)
  await sql`alter table ${altered} rename column ${nullable} to ${column}`.execute(db)
}

/** Throws if an existing column cannot be changed to its declaration. */
function assertFits({ table }: RecordType, declared: DeclaredColumn, existing: ExistingColumn, declaredType: string) {
  const described = (type: string, nullable: boolean) => `${type}${nullable ? ', which may be null' : ' not null'}`
  if (existing.type === declaredType && (declared.nullable || !existing.nullable)) return
  throw new Error(
    `The column ${declared.name} of the table ${table} is ${described(existing.type, existing.nullable)}, but this version declares ${described(declaredType, declared.nullable)}. Start the version that last used the database, or use another one.`,
  )
}

/** Throws if Postern did not make the table: it lacks the key, or a column that every table of records has. */
function assertOwn({ table, key }: RecordType, { columns }: ExistingTable) {
  const missing = [key, ...COMMON_COLUMNS].filter((name) => !columns.has(name))
  if (missing.length === 0) return
  throw new Error(
    `The table ${table} was not made by Postern: it lacks ${missing.join(', ')}. Give Postern a database or a schema of its own with POSTERN_DATABASE_URL.`,
  )
}

/**
 * Changes an existing table to its declaration, except for its indexes and the values of derived columns.
 * @throws if Postern did not make it, if existing records have no value for a new column, or if a column differs from its declaration in
 * any other way.
 */
export async function amendTable(db: Kysely<Database>, flavour: Flavour, recordType: RecordType, existing: ExistingTable): Promise<void> {
  assertOwn(recordType, existing)
  const missing: DeclaredColumn[] = []
  for (const column of declaredColumns(recordType)) {
    const current = existing.columns.get(column.name)
    if (!current) missing.push(column)
    else assertFits(recordType, column, current, columnType(flavour, column.type).compile(db).sql)
    if (current && column.nullable && !current.nullable) await makeNullable(db, flavour, recordType, existing, column)
  }
  await addColumns(db, flavour, recordType, missing)
}
