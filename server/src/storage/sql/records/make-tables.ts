import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { type ColumnType, columnsOf, type Kind } from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { columnName } from './row-codec.ts'

const FINGERPRINT = 'declared_tables'

/** Of the advisory lock under which a process makes what is missing. */
const LOCK = 1_886_352_239

interface Index {
  name: string
  columns: string[]
}

/** The columns that lists of a kind are read by, in the order of their indexes: one for each sort, each filter and the name's beginning. */
export function indexesOf(kind: Kind): Index[] {
  const sorts = kind.listedFrom ? [] : [...new Set(['created_at', ...kind.sorts])]
  return [
    ...sorts.map((field) => ({
      name: `${kind.table}_by_${field}`,
      columns: [kind.scope, 'hidden', columnName(kind, field), 'id'],
    })),
    ...kind.finds.map((field) => ({ name: `${kind.table}_of_${field}`, columns: [kind.scope, columnName(kind, field)] })),
    ...(kind.hasPrefix ? [{ name: `${kind.table}_by_prefix`, columns: [kind.scope, 'name_key'] }] : []),
  ]
}

const types: Record<Exclude<ColumnType, 'text' | 'list'>, string> = { long: 'bigint', time: 'bigint', flag: 'boolean' }
const empty: Record<ColumnType, string> = { text: "''", list: "'[]'", long: '0', time: '0', flag: 'false' }

interface DeclaredColumn {
  name: string
  type: ColumnType
  nullable: boolean
}

const declaredColumns = (kind: Kind): DeclaredColumn[] => [
  ...(kind.scope in kind.columns ? [] : [{ name: kind.scope, type: 'text' as const, nullable: false }]),
  ...Object.entries(columnsOf(kind)).map(([field, column]) => ({ name: columnName(kind, field), ...column })),
  ...(kind.hasPrefix ? [{ name: 'name_key', type: 'text' as const, nullable: false }] : []),
  { name: 'hidden', type: 'flag', nullable: false },
]

const definition = (flavour: Flavour, { name, type, nullable }: DeclaredColumn) =>
  sql`${sql.ref(name)} ${type === 'text' || type === 'list' ? flavour.text : sql.raw(types[type])} ${sql.raw(nullable ? '' : `not null default ${empty[type]}`)}`

async function makeTable(db: Kysely<Database>, flavour: Flavour, kind: Kind) {
  const table = sql.table(kind.table)
  const standing = (await db.introspection.getTables()).find(({ name }) => name === kind.table)
  const known = new Set(standing?.columns.map(({ name }) => name))
  const missing = declaredColumns(kind).filter(({ name }) => !known.has(name))
  const definitions = missing.map((column) => definition(flavour, column))
  if (!standing) await sql`create table ${table} (id ${flavour.text} not null primary key, ${sql.join(definitions)})`.execute(db)
  for (const column of standing ? missing : []) await sql`alter table ${table} add column ${definition(flavour, column)}`.execute(db)
  for (const { name, columns } of indexesOf(kind))
    await sql`create index if not exists ${sql.ref(name)} on ${table} (${sql.join(columns.map((column) => sql.ref(column)))})`.execute(db)
}

/** What the declared kinds want of the database, as one short text. */
const fingerprintOf = (kinds: readonly Kind[]) =>
  createHash('sha256')
    .update(JSON.stringify(kinds.map((kind) => [kind.table, declaredColumns(kind), indexesOf(kind)])))
    .digest('hex')

const standingFingerprint = async (db: Kysely<Database>) =>
  (await db.selectFrom('facts').select('value').where('name', '=', FINGERPRINT).executeTakeFirst())?.value

/**
 * Makes the tables, columns and indexes that the declared kinds want and the database lacks. Nothing is ever dropped or changed; processes
 * that start together wait for one another.
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
