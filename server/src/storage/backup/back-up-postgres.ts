import { join } from 'node:path'
import { Client } from 'pg'
import { placeOf } from '../postgres/place.ts'
import { namesOfMigrations } from '../schema-changes.ts'
import { BackupError, type Manifest } from './manifest.ts'
import { writeRows } from './row-file.ts'

/** About processes and connections that are not there after a restore. */
const LEFT_OUT = new Set([
  'caching_processes',
  'log_owner',
  'migrations',
  'rate_windows',
  'schema_changes',
  'stream_connections',
  'worker_leases',
])

/** A row of the event log has up to half a megabyte here. */
const FETCHED_ROWS = 200

/** Which tables there are, with their columns by name and their primary keys. */
const TABLES = `select relname as name,
    (select json_agg(attname order by attname) from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) as columns,
    (select json_agg(attname order by array_position(indkey::int[], attnum::int)) from pg_index join pg_attribute on attrelid = indrelid
      and attnum = any (indkey) where indrelid = c.oid and indisprimary) as key
  from pg_class c where relnamespace = current_schema()::regnamespace and relkind = 'r' order by relname`

/** The newest numbers of identity columns. They are no part of the snapshot, and only ever larger than its rows. */
const SEQUENCES = `select tablename as table, last_value as value from pg_sequences s
  join (select c.relname as tablename, pg_get_serial_sequence(format('%I', c.relname), attname) as sequence
    from pg_class c join pg_attribute on attrelid = c.oid where relnamespace = current_schema()::regnamespace and attidentity <> '') i
  on format('%I.%I', s.schemaname, s.sequencename) = i.sequence where last_value is not null order by tablename`

interface Table {
  name: string
  columns: string[]
  key: string[] | null
}

const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join()

/** Connects a session without timeouts, which prints values in full whatever the server's settings. */
export async function connectForBackup(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'postern-backup', connectionTimeoutMillis: 10_000 })
  // A lost connection rejects the query that waits for it.
  client.on('error', () => {})
  await client.connect().catch((error) => {
    throw new BackupError(`PostgreSQL at ${placeOf(url)} cannot be reached: ${error.message}`)
  })
  const settings = ['statement_timeout = 0', 'idle_in_transaction_session_timeout = 0', 'extra_float_digits = 1', 'bytea_output = hex']
  await client.query(settings.map((setting) => `set ${setting}`).join('; '))
  return client
}

/** The rows of a table in the order of its key, so that equal tables have equal files. */
async function* rowsOf(client: Client, { name, columns, key }: Table): AsyncGenerator<string[]> {
  const order = key ? `order by ${quoted(key)}` : ''
  await client.query(
    `declare dump no scroll cursor for select row_to_json(r)::text from (select ${quoted(columns)} from "${name}" ${order}) r`,
  )
  for (;;) {
    const { rows } = await client.query<[string]>({ text: `fetch ${FETCHED_ROWS} from dump`, rowMode: 'array' })
    if (rows.length === 0) break
    yield rows.map(([row]) => row)
  }
  await client.query('close dump')
}

/** Reads every table in one snapshot, which servers that write neither delay nor change: state and event log are of one moment. */
export async function backUpPostgres(
  url: string,
  folder: string,
): Promise<Pick<Manifest, 'made_at' | 'database' | 'migrations' | 'tables' | 'sequences' | 'files'>> {
  const client = await connectForBackup(url)
  try {
    await client.query('begin isolation level repeatable read, read only')
    const { rows: found } = await client.query<Table>(TABLES)
    if (!found.some(({ name }) => name === 'migrations')) throw new BackupError(`There is no database of Postern at ${placeOf(url)}.`)
    const { rows: moment } = await client.query<{ at: Date }>('select now() as at')
    const { rows: run } = await client.query<{ name: string }>(namesOfMigrations(found.map(({ name }) => name)))
    const { rows: sequences } = await client.query<{ table: string; value: string }>(SEQUENCES)
    const tables: Manifest['tables'] = []
    const files: Manifest['files'] = []
    for (const table of found.filter(({ name }) => !LEFT_OUT.has(name))) {
      const file = `tables/${table.name}.ndjson.gz`
      const { rows, ...written } = await writeRows(join(folder, file), rowsOf(client, table))
      tables.push({ name: table.name, file, rows })
      files.push({ path: file, ...written })
    }
    return {
      made_at: moment[0]!.at.toISOString(),
      database: 'postgres',
      migrations: { state: run.map(({ name }) => name), event_log: [], audiences: [] },
      tables,
      sequences: Object.fromEntries(sequences.map(({ table, value }) => [table, Number(value)])),
      files,
    }
  } finally {
    await client.end().catch(() => {})
  }
}
