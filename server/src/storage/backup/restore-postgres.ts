import { type Client, escapeIdentifier } from 'pg'
import { EVENT_LOG } from '../metadata.ts'
import { placeOf } from '../postgres/place.ts'
import { tablesInOrder } from '../postgres/table-copies.ts'
import type { RecordType } from '../records.ts'
import { makeTablesOf } from '../sql/make-tables-of.ts'
import { DECLARED_TABLES } from '../sql/records/declared-record.ts'
import { releaseAllWork } from '../sql/release-all-work.ts'
import { connectForBackup } from './back-up-postgres.ts'
import { BackupError } from './manifest.ts'
import type { TableRows } from './row-file.ts'

export interface PostgresRestore {
  url: string
  recordTypes: readonly RecordType[]
  /** The migrations of the state that the backup has run. The next start runs the others. */
  migrations: readonly string[]
  tables: readonly TableRows[]
  sequences: Readonly<Record<string, number>>
  /** How many rows a table has to have; those that are not named are not counted. */
  expected: ReadonlyMap<string, number>
  /** What is written to the table `metadata` besides. */
  metadata: Readonly<Record<string, string>>
  /** Puts the files of media where they belong. The database is there only if this did not fail. */
  fillMedia: () => Promise<void>
}

const ALL_TABLES = `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm')
  order by relname`

/** Throws if the schema has any table. */
async function assertEmpty(client: Client, url: string) {
  const { rows } = await client.query<{ name: string }>(ALL_TABLES)
  if (rows.length === 0) return
  const first = rows.slice(0, 5).map(({ name }) => name)
  throw new BackupError(
    `The database at ${placeOf(url)} is not empty: it has ${rows.length} tables (${[...first, ...(rows.length > first.length ? ['…'] : [])].join(', ')}). Restore into a new one: createdb.`,
  )
}

const UNDEFINED_COLUMN = '42703'

/** Inserts the rows of a table. Values go from JSON to the column's type by PostgreSQL alone. */
async function load(client: Client, { name, columns, rows }: TableRows) {
  const list = columns.map(escapeIdentifier).join()
  const text = `insert into "${name}" (${list}) overriding system value select ${list} from json_populate_recordset(null::"${name}", $1::json)`
  try {
    for await (const batch of rows) await client.query({ name: `load ${name}`, text, values: [`[${batch.join()}]`] })
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNDEFINED_COLUMN) throw error
    throw new BackupError(`The backup is newer than this Postern: ${(error as Error).message}. Restore it with the version that made it.`)
  }
}

/** Identity columns go on after the numbers that were given, also to rows that are deleted. */
async function setSequences(client: Client, sequences: PostgresRestore['sequences']) {
  const { rows } = await client.query<{ table: string; column: string }>(
    `select c.relname as table, attname as column from pg_class c join pg_attribute on attrelid = c.oid
      where relnamespace = current_schema()::regnamespace and attidentity <> ''`,
  )
  for (const { table, column } of rows) {
    const newest = `greatest((select max("${column}") from "${table}"), ${sequences[table] ?? 0})`
    await client.query(`select setval(pg_get_serial_sequence('"${table}"', '${column}'), ${newest}) where ${newest} > 0`)
  }
}

async function countAll(client: Client, expected: PostgresRestore['expected']) {
  for (const [name, rows] of expected) {
    const { rows: found } = await client.query(`select count(*)::float8 as count from "${name}"`)
    if (found[0].count !== rows)
      throw new BackupError(`The table ${name} would have ${found[0].count} rows, and had ${rows}: nothing was restored.`)
  }
}

async function restoreAll(client: Client, restore: PostgresRestore) {
  const { recordTypes, migrations, tables, sequences, expected, metadata } = restore
  await makeTablesOf(client, migrations, recordTypes)
  const query = async (text: string) => (await client.query(text)).rows
  const order = await tablesInOrder(query)
  const unknown = tables.filter(({ name }) => !order.includes(name))
  if (unknown.length > 0)
    throw new BackupError(`The backup has tables that this Postern does not know: ${unknown.map(({ name }) => name).join(', ')}.`)
  const declared = await query(`select value from metadata where name = '${DECLARED_TABLES}'`)
  for (const name of order.toReversed()) if (!['migrations', 'schema_changes'].includes(name)) await client.query(`delete from "${name}"`)
  for (const name of order) {
    const table = tables.find((one) => one.name === name)
    if (table) await load(client, table)
  }
  await countAll(client, expected)
  // The tables are those of this version. The event log is no file.
  const own = { ...metadata, ...(declared[0] && { [DECLARED_TABLES]: declared[0].value as string }) }
  await client.query('delete from metadata where name = any ($1)', [[EVENT_LOG, ...Object.keys(own)]])
  for (const [name, value] of Object.entries(own)) await client.query('insert into metadata (name, value) values ($1, $2)', [name, value])
  await client.query('update log_open set owner = null where owner is not null')
  for (const statement of releaseAllWork) await client.query(statement)
  await setSequences(client, sequences)
}

/** Loads a backup into an empty database, in one transaction: it is there whole or not at all. */
export async function restorePostgres(restore: PostgresRestore): Promise<void> {
  const client = await connectForBackup(restore.url)
  try {
    await client.query('begin')
    await assertEmpty(client, restore.url)
    await restoreAll(client, restore)
    await restore.fillMedia()
    await client.query('commit')
    // Planners choose well from the first request on.
    await client.query('analyze')
  } finally {
    await client.end().catch(() => {})
  }
}
