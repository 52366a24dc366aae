import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { foldCase } from '../../../lib/fold-case.ts'
import type { ColumnType, Kind } from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { type DeclaredColumn, declaredColumns, declaredIndexes, initialValues, NAME_KEY } from './declared-table.ts'

const FINGERPRINT = 'declared_tables'

/** Of the advisory lock under which a process makes what is missing. */
const LOCK = 1_886_352_239

/** How many names are folded at once. */
const BATCH = 1000

const types: Record<Exclude<ColumnType, 'text' | 'list'>, string> = { long: 'bigint', time: 'bigint', flag: 'boolean' }

/** What a required column has where no default is declared, so that rows can be inserted once it is declared no more. */
const empty: Record<ColumnType, unknown> = { text: '', list: '[]', long: 0, time: 0, flag: false }

/** How the columns of a kind are defined. */
function definer(flavour: Flavour, kind: Kind) {
  const initial = initialValues(kind)
  return ({ name, type, nullable }: DeclaredColumn) =>
    sql`${sql.ref(name)} ${type === 'text' || type === 'list' ? flavour.text : sql.raw(types[type])} ${
      nullable ? sql`` : sql`not null default ${sql.lit(initial.get(name) ?? empty[type])}`
    }`
}

async function isEmpty(db: Kysely<Database>, { table }: Kind) {
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db)
  return rows.length === 0
}

/** Throws when records that stand have no value for a new column. */
async function assertValuesFor(db: Kysely<Database>, kind: Kind, columns: readonly DeclaredColumn[]) {
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
async function foldNames(db: Kysely<Database>, flavour: Flavour, { table }: Kind) {
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

/** Brings a table that stands to what is declared. */
async function addColumns(db: Kysely<Database>, flavour: Flavour, kind: Kind, columns: readonly DeclaredColumn[]) {
  await assertValuesFor(db, kind, columns)
  const define = definer(flavour, kind)
  for (const column of columns) await sql`alter table ${sql.table(kind.table)} add column ${define(column)}`.execute(db)
  if (columns.some(({ name }) => name === NAME_KEY)) await foldNames(db, flavour, kind)
}

async function makeTable(db: Kysely<Database>, flavour: Flavour, kind: Kind) {
  const table = sql.table(kind.table)
  const standing = (await db.introspection.getTables()).find(({ name }) => name === kind.table)
  const known = new Set(standing?.columns.map(({ name }) => name))
  const missing = declaredColumns(kind).filter(({ name }) => !known.has(name))
  if (standing) await addColumns(db, flavour, kind, missing)
  else
    await sql`create table ${table} (id ${flavour.text} not null primary key, ${sql.join(missing.map(definer(flavour, kind)))})`.execute(db)
  for (const { name, columns } of declaredIndexes(kind))
    await sql`create index if not exists ${sql.ref(name)} on ${table} (${sql.join(columns.map((column) => sql.ref(column)))})`.execute(db)
}

/** What the declared kinds want of the database, as one short text. */
const fingerprintOf = (kinds: readonly Kind[]) =>
  createHash('sha256')
    .update(JSON.stringify(kinds.map((kind) => [kind.table, declaredColumns(kind), declaredIndexes(kind)])))
    .digest('hex')

const standingFingerprint = async (db: Kysely<Database>) =>
  (await db.selectFrom('facts').select('value').where('name', '=', FINGERPRINT).executeTakeFirst())?.value

/**
 * Makes the tables, columns and indexes that the declared kinds want and the database lacks; records that stand get the declared defaults
 * of new columns. Nothing is ever dropped or changed; processes that start together wait for one another.
 * @throws when records that stand have no value for a new column.
 */
export async function makeTables(db: Kysely<Database>, flavour: Flavour, kinds: readonly Kind[]): Promise<void> {
  const wanted = fingerprintOf(kinds)
  if ((await standingFingerprint(db)) === wanted) return
  await db.transaction().execute(async (trx) => {
    if (flavour.locksRows) await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(trx)
    if ((await standingFingerprint(trx)) === wanted) return
    for (const kind of kinds) await makeTable(trx, flavour, kind)
    const fact = trx.insertInto('facts').values({ name: FINGERPRINT, value: wanted })
    await fact.onConflict((conflict) => conflict.column('name').doUpdateSet({ value: wanted })).execute()
  })
}
