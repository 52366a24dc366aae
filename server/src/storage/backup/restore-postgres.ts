import { type Client, escapeIdentifier } from 'pg'
import type { LogMap } from '../log-map.ts'
import { EVENT_LOG, EVENT_LOGS, LOG_IDENTITY } from '../metadata.ts'
import { placeOf } from '../postgres/place.ts'
import { tablesInOrder } from '../postgres/table-copies.ts'
import type { RecordType } from '../records.ts'
import { makeTablesOf } from '../sql/make-tables-of.ts'
import { DECLARED_TABLES } from '../sql/records/declared-record.ts'
import { releaseAllWork } from '../sql/release-all-work.ts'
import { parseLogMap } from '../sql/stores/log-map-store.ts'
import { connectForBackup } from './back-up-postgres.ts'
import { BackupError } from './manifest.ts'
import type { TableRows } from './row-file.ts'

/** What one database is to have. */
export interface RestoredDatabase {
  url: string
  /** The migrations of the state that the backup has run. The next start runs the others. */
  migrations: readonly string[]
  tables: readonly TableRows[]
  sequences: Readonly<Record<string, number>>
  /** How many rows a table has to have; those that are not named are not counted. */
  expected: ReadonlyMap<string, number>
}

export interface PostgresRestore {
  /** That of the state, then those of the event logs beside it. */
  databases: readonly RestoredDatabase[]
  recordTypes: readonly RecordType[]
  /** What is written to the table `metadata` of each besides. */
  metadata: Readonly<Record<string, string>>
  /** Puts the files of media where they belong. The database is there only if this did not fail. */
  fillMedia: () => Promise<void>
}

const ALL_TABLES = `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm')
  order by relname`

/** Begins the transaction that fills a database. Throws if the schema has any table, or somebody else fills it. */
async function beginEmpty(client: Client, url: string) {
  await client.query('begin')
  const { rows: locks } = await client.query(`select pg_try_advisory_xact_lock(hashtext('postern restore')) as got`)
  if (!locks[0].got)
    throw new BackupError(`The database at ${placeOf(url)} is being restored already, or is named twice: name another one.`)
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
async function setSequences(client: Client, sequences: RestoredDatabase['sequences']) {
  const { rows } = await client.query<{ table: string; column: string }>(
    `select c.relname as table, attname as column from pg_class c join pg_attribute on attrelid = c.oid
      where relnamespace = current_schema()::regnamespace and attidentity <> ''`,
  )
  for (const { table, column } of rows) {
    const newest = `greatest((select max("${column}") from "${table}"), ${sequences[table] ?? 0})`
    await client.query(`select setval(pg_get_serial_sequence('"${table}"', '${column}'), ${newest}) where ${newest} > 0`)
  }
}

async function countAll(client: Client, expected: RestoredDatabase['expected']) {
  for (const [name, rows] of expected) {
    const { rows: found } = await client.query(`select count(*)::float8 as count from "${name}"`)
    if (found[0].count !== rows)
      throw new BackupError(`The table ${name} would have ${found[0].count} rows, and had ${rows}: nothing was restored.`)
  }
}

async function fill(client: Client, database: RestoredDatabase, { recordTypes, metadata }: PostgresRestore) {
  const { migrations, tables, sequences, expected } = database
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
  await releaseAllWork(query)
  await setSequences(client, sequences)
}

/** A database that is being filled. */
interface Filling {
  client: Client
  url: string
}

const recordedAs = async ({ client }: Filling, name: string): Promise<string | undefined> =>
  (await client.query<{ value: string }>('select value from metadata where name = $1', [name])).rows[0]?.value

/** Writes into the map of the logs where each is now. Returns it; undefined where there are not several. */
async function moveLogs([state, ...logs]: readonly Filling[]): Promise<LogMap | undefined> {
  const map = parseLogMap(await recordedAs(state!, EVENT_LOGS))
  if (map === undefined) return undefined
  const moved: LogMap = { ...map, epoch: map.epoch + 1, logs: map.logs.map((entry) => ({ ...entry })) }
  for (const filling of [state!, ...logs]) {
    const identity = await recordedAs(filling, LOG_IDENTITY)
    const entry = moved.logs.find((one) => one.identity === identity)
    if (entry) entry.place = placeOf(filling.url)
    else if (filling !== state)
      throw new BackupError(`What goes to ${placeOf(filling.url)} is no event log of this state: use another backup.`)
  }
  await state!.client.query('update metadata set value = $2 where name = $1', [EVENT_LOGS, JSON.stringify(moved)])
  return moved
}

/**
 * Loads a backup into empty databases, in one transaction each: they are there whole or not at all. The state is committed last, once all
 * others have what they are to have. Returns which of several logs is where.
 */
export async function restorePostgres(restore: PostgresRestore): Promise<LogMap | undefined> {
  const { databases, fillMedia } = restore
  await using ends = new AsyncDisposableStack()
  const all: Filling[] = []
  for (const { url } of databases) {
    const client = await connectForBackup(url)
    ends.defer(() => client.end().catch(() => {}))
    await beginEmpty(client, url)
    all.push({ client, url })
  }
  for (const [at, { client }] of all.entries()) await fill(client, databases[at]!, restore)
  const map = await moveLogs(all)
  await fillMedia()
  for (const { client } of all.toReversed()) await client.query('commit')
  // Planners choose well from the first request on.
  for (const { client } of all) await client.query('analyze')
  return map
}
