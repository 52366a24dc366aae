import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DeclaredTables } from '../../migrate.ts'
import { type ColumnType, fieldOf, type RecordType } from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import { runAll } from '../run-all.ts'
import type { Database } from '../schema.ts'
import { assertNotNewer, fingerprintOf, recordedTables, recordTables } from './declared-record.ts'
import { COMMON_COLUMNS, type DeclaredColumn, declaredColumns, declaredIndexes, initialValues, primaryKey } from './declared-table.ts'
import { type DerivedColumn, searchColumn } from './derived-columns.ts'
import { type ExistingColumn, type ExistingTable, existingNames, existingTable } from './existing-table.ts'

const types: Record<Exclude<ColumnType, 'text' | 'list'>, string> = { long: 'bigint', time: 'bigint', flag: 'boolean' }

/** The SQL type of a column. */
const columnType = (flavour: Flavour, type: ColumnType): RawBuilder<unknown> =>
  type === 'text' || type === 'list' ? flavour.text : sql.raw(types[type])

/** Defaults of required columns without a declared one: rows can then still be inserted when a later version no longer declares the column. */
const emptyValues: Record<ColumnType, unknown> = { text: '', list: '[]', long: 0, time: 0, flag: false }

/** Returns a function that writes the definition of a column of the record type. */
function columnDefiner(flavour: Flavour, recordType: RecordType): (column: DeclaredColumn) => RawBuilder<unknown> {
  const initial = initialValues(recordType)
  return ({ name, type, nullable }) =>
    sql`${sql.ref(name)} ${columnType(flavour, type)} ${
      nullable ? sql`` : sql`not null default ${sql.lit(initial.get(name) ?? emptyValues[type])}`
    }`
}

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
async function amendTable(db: Kysely<Database>, flavour: Flavour, recordType: RecordType, existing: ExistingTable): Promise<void> {
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
async function fillDerivedColumns(db: Kysely<Database>, flavour: Flavour, recordType: RecordType): Promise<void> {
  const column = searchColumn(recordType)
  const name = `${FILLED} ${recordType.table}`
  const value = column?.name ?? ''
  const filled = await db.selectFrom('metadata').select('value').where('name', '=', name).executeTakeFirst()
  if ((filled?.value ?? '') === value) return
  if (column) await fill(db, flavour, recordType, column)
  const insert = db.insertInto('metadata').values({ name, value })
  await insert.onConflict((conflict) => conflict.column('name').doUpdateSet({ value })).execute()
}

/** The statements that make a table with its indexes, and record that its derived column has the values of all its records: of none. */
function createTable(db: Kysely<Database>, flavour: Flavour, recordType: RecordType): string[] {
  const columns = declaredColumns(recordType).map(columnDefiner(flavour, recordType))
  const key = sql`${sql.ref(recordType.key)} ${flavour.text} not null`
  const keys = primaryKey(recordType).map((column) => sql.ref(column))
  const [named, primary] = keys.length > 1 ? [key, [sql`primary key (${sql.join(keys)})`]] : [sql`${key} primary key`, []]
  const filled = sql.lit(`${FILLED} ${recordType.table}`)
  const search = searchColumn(recordType)
  return [
    sql`create table ${sql.table(recordType.table)} (${sql.join([named, ...columns, ...primary])})`,
    ...declaredIndexes(recordType).map((index) => createIndex(recordType, index)),
    sql`delete from metadata where name = ${filled}`,
    ...(search ? [sql`insert into metadata (name, value) values (${filled}, ${sql.lit(search.name)})`] : []),
  ].map((statement) => statement.compile(db).sql)
}

type DeclaredIndex = ReturnType<typeof declaredIndexes>[number]

const createIndex = ({ table }: RecordType, { name, columns }: DeclaredIndex) =>
  sql`create index ${sql.ref(name)} on ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})`

/** Creates missing indexes, and recreates those with other columns. */
async function makeIndexes(db: Kysely<Database>, flavour: Flavour, recordType: RecordType) {
  const existing = (await existingTable(db, flavour, recordType.table))!.indexes
  for (const { name, columns } of declaredIndexes(recordType)) {
    const current = existing.get(name)
    if (current?.join() === columns.join()) continue
    if (current) await sql`drop index ${sql.ref(name)}`.execute(db)
    await createIndex(recordType, { name, columns }).execute(db)
  }
}

async function amend(db: Kysely<Database>, flavour: Flavour, recordType: RecordType) {
  await amendTable(db, flavour, recordType, (await existingTable(db, flavour, recordType.table))!)
  await fillDerivedColumns(db, flavour, recordType)
  await makeIndexes(db, flavour, recordType)
}

async function createOrAmend(db: Kysely<Database>, flavour: Flavour, recordTypes: readonly RecordType[]) {
  const existing = await existingNames(db, flavour)
  const missing = recordTypes.filter(({ table }) => !existing.has(table))
  await runAll(
    db,
    flavour,
    missing.flatMap((recordType) => createTable(db, flavour, recordType)),
  )
  for (const recordType of recordTypes) if (existing.has(recordType.table)) await amend(db, flavour, recordType)
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
    areCurrent: async (db, recorded) => (recorded ? recorded.declared : await recordedTables(db)) === declared,
    async make(db, isNewer) {
      const recorded = await recordedTables(db)
      if (recorded === declared) return
      if (!isNewer) assertNotNewer(recorded, recordTypes)
      await createOrAmend(db, flavour, recordTypes)
      await recordTables(db, declared)
    },
  }
}
