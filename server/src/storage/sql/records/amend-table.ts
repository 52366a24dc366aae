import { type Kysely, sql } from 'kysely'
import { foldCase } from '../../../lib/text.ts'
import type { RecordType } from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { columnDefiner, columnType } from './column-definition.ts'
import { COMMON_COLUMNS, type DeclaredColumn, declaredColumns, initialValues, NAME_KEY } from './declared-table.ts'
import type { ExistingColumn, ExistingTable } from './existing-table.ts'

/** How many names are folded at once. */
const BATCH = 1000

async function isEmpty(db: Kysely<Database>, { table }: RecordType) {
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db)
  return rows.length === 0
}

/** Throws when records that stand have no value for a new column. */
async function assertValuesFor(db: Kysely<Database>, kind: RecordType, columns: readonly DeclaredColumn[]) {
  const initial = initialValues(kind)
  const unknown = columns.filter(({ name, nullable }) => !nullable && !initial.has(name)).map(({ name }) => name)
  if (unknown.length === 0 || (await isEmpty(db, kind))) return
  throw new Error(
    `The table ${kind.table} lacks the column ${unknown.join(', ')}, and for the records that stand in it no value is declared. Start the version that last used the database, or one that declares a default.`,
  )
}

interface Named {
  id: string
  name: string
}

/** Folds the names of the records that stand. */
async function foldNames(db: Kysely<Database>, flavour: Flavour, { table }: RecordType) {
  const from = sql.table(table)
  for (let after = ''; ; ) {
    const next = sql<Named>`select id, name from ${from} where id > ${after} and name is not null order by id limit ${BATCH}`
    const { rows } = await next.execute(db)
    if (rows.length === 0) return
    const pairs = flavour.pairs(JSON.stringify(rows.map(({ id, name }) => [id, foldCase(name)])))
    await sql`update ${from} set ${sql.ref(NAME_KEY)} = pairs.second from ${pairs} where id = pairs.first`.execute(db)
    after = rows.at(-1)!.id
  }
}

async function addColumns(db: Kysely<Database>, flavour: Flavour, kind: RecordType, columns: readonly DeclaredColumn[]) {
  await assertValuesFor(db, kind, columns)
  const define = columnDefiner(flavour, kind)
  for (const column of columns) await sql`alter table ${sql.table(kind.table)} add column ${define(column)}`.execute(db)
  if (columns.some(({ name }) => name === NAME_KEY)) await foldNames(db, flavour, kind)
}

/** Has a required column be null from now on. On SQLite one with the same values takes its place, and its indexes are left to be made anew. */
async function widen(
  db: Kysely<Database>,
  flavour: Flavour,
  { table }: RecordType,
  { indexes }: ExistingTable,
  { name, type }: DeclaredColumn,
) {
  const [whole, column, wider] = [sql.table(table), sql.ref(name), sql.ref(`${name}_or_null`)]
  if (flavour.name === 'postgres') {
    await sql`alter table ${whole} alter column ${column} drop not null, alter column ${column} drop default`.execute(db)
    return
  }
  for (const [index, columns] of indexes) if (columns.includes(name)) await sql`drop index if exists ${sql.ref(index)}`.execute(db)
  await sql`alter table ${whole} add column ${wider} ${columnType(flavour, type)}`.execute(db)
  await sql`update ${whole} set ${wider} = ${column}`.execute(db)
  await sql`alter table ${whole} drop column ${column}`.execute(db)
  await sql`alter table ${whole} rename column ${wider} to ${column}`.execute(db)
}

/** Throws when a column cannot become what is declared. */
function assertFits({ table }: RecordType, declared: DeclaredColumn, existing: ExistingColumn, wanted: string) {
  const described = (type: string, nullable: boolean) => `${type}${nullable ? ', which may be null' : ' not null'}`
  if (existing.type === wanted && (declared.nullable || !existing.nullable)) return
  throw new Error(
    `The column ${declared.name} of the table ${table} is ${described(existing.type, existing.nullable)}, and this Postern wants ${described(wanted, declared.nullable)}. Start the version that last used the database, or use another one.`,
  )
}

/** Throws when the table was made by somebody else: not even what every kind has is there. */
function assertOwn({ table }: RecordType, { columns }: ExistingTable) {
  const missing = COMMON_COLUMNS.filter((name) => !columns.has(name))
  if (missing.length === 0) return
  throw new Error(
    `The table ${table} was not made by Postern: it lacks ${missing.join(', ')}. Give Postern a database or a schema of its own with POSTERN_DATABASE_URL.`,
  )
}

/**
 * Brings a table that stands to what is declared, but for its indexes.
 * @throws when it was not made by Postern, when records that stand have no value for a new column, and when a column is otherwise than
 * declared.
 */
export async function amendTable(db: Kysely<Database>, flavour: Flavour, kind: RecordType, existing: ExistingTable): Promise<void> {
  assertOwn(kind, existing)
  const missing: DeclaredColumn[] = []
  for (const column of declaredColumns(kind)) {
    const known = existing.columns.get(column.name)
    if (!known) missing.push(column)
    else assertFits(kind, column, known, columnType(flavour, column.type).compile(db).sql)
    if (known && column.nullable && !known.nullable) await widen(db, flavour, kind, existing, column)
  }
  await addColumns(db, flavour, kind, missing)
}
