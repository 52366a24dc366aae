import { join } from 'node:path'
import { Client } from 'pg'
import { assertComplete, isInUse, isOfMap, type LogMap } from '../log-map.ts'
import { EVENT_LOGS, LOG_IDENTITY } from '../metadata.ts'
import { LIFT_LIMITS } from '../postgres/connection.ts'
import { placeOf } from '../postgres/place.ts'
import { namesOfMigrations } from '../schema-changes.ts'
import { parseLogMap } from '../sql/stores/log-map-store.ts'
import { measureFile, writeManifest } from './backup-folder.ts'
import { type BackedUpLog, BackupError, logFolder, MANIFEST, type Manifest } from './manifest.ts'
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
  await client.query([...settings.map((setting) => `set ${setting}`), LIFT_LIMITS].join('; '))
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

type Copied = Pick<Manifest, 'made_at' | 'database' | 'migrations' | 'tables' | 'sequences' | 'files'>

/** A database as it is at one moment, which servers that write neither delay nor change. It is held until it is disposed of. */
interface Snapshot extends AsyncDisposable {
  place: string
  /** Which of several event logs the database has; undefined if none. */
  identity: string | undefined
  /** Which log has what, where this is the state of several. */
  logMap: LogMap | undefined
  /** Whether Postern has used the database. */
  isPostern: boolean
  /** Copies every table into a folder. */
  copyTo(folder: string): Promise<Copied>
}

async function copyTables(client: Client, found: readonly Table[], folder: string): Promise<Copied> {
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
}

async function openSnapshot(url: string): Promise<Snapshot> {
  const client = await connectForBackup(url)
  const end = () => client.end().catch(() => {})
  try {
    await client.query('begin isolation level repeatable read, read only')
    const { rows: found } = await client.query<Table>(TABLES)
    const isPostern = found.some(({ name }) => name === 'migrations')
    const { rows } = isPostern ? await client.query<{ name: string; value: string }>('select name, value from metadata') : { rows: [] }
    const recorded = new Map(rows.map(({ name, value }) => [name, value]))
    return {
      place: placeOf(url),
      identity: recorded.get(LOG_IDENTITY),
      logMap: parseLogMap(recorded.get(EVENT_LOGS)),
      isPostern,
      copyTo: (folder) => copyTables(client, found, folder),
      [Symbol.asyncDispose]: end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

/**
 * The logs besides that in the database of the state, by number. Throws if one that has slots or events is not named, or one of another
 * Postern is. One that is new has nothing yet.
 */
function findLogs(map: LogMap, named: readonly Snapshot[]): Map<number, Snapshot> {
  const found = new Map<number, Snapshot>()
  for (const snapshot of named) {
    const { identity, place } = snapshot
    const entry = map.logs.find((one) => one.identity === identity)
    if (entry && !entry.isOfState) found.set(entry.log, snapshot)
    if (!entry && identity !== undefined && !isOfMap(map, identity))
      throw new BackupError(`POSTERN_LOG_URLS names ${place}, which is an event log of another Postern: name those of this database.`)
  }
  const ofState = map.logs.filter(({ isOfState }) => isOfState).map(({ log }) => log)
  try {
    assertComplete(map, new Set([...ofState, ...found.keys()]))
  } catch (error) {
    throw new BackupError((error as Error).message)
  }
  return found
}

/** The logs that a copy of the state alone lacks. */
function leftOutOf(map: LogMap): Pick<Manifest, 'logs_left_out'> {
  const leftOut = map.logs.filter(({ log, isOfState }) => !isOfState && isInUse(map, log))
  return leftOut.length === 0 ? {} : { logs_left_out: leftOut.map(({ log, place }) => ({ log, place })) }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

export interface PostgresBackup {
  url: string
  /** Where the event logs are that the state knows; undefined to copy one database alone, whatever it knows. */
  logUrls: readonly string[] | undefined
  folder: string
  version: string
}

/**
 * Copies a database, and the event logs that its state knows, each into a folder of its own. All snapshots are there before the first row is
 * read, that of the state first: what it has not published yet is published again after a restore, as the same event.
 */
export async function backUpPostgres({
  url,
  logUrls,
  folder,
  version,
}: PostgresBackup): Promise<Copied & Pick<Manifest, 'logs' | 'logs_left_out'>> {
  await using held = new AsyncDisposableStack()
  const state = held.use(await openSnapshot(url))
  if (!state.isPostern) throw new BackupError(`There is no database of Postern at ${state.place}.`)
  const named: Snapshot[] = []
  const { logMap } = state
  if (logUrls && logMap) for (const log of logUrls) named.push(held.use(await openSnapshot(log)))
  const found = logUrls && logMap ? findLogs(logMap, named) : new Map<number, Snapshot>()
  const copied = await state.copyTo(folder)
  if (logMap && !logUrls) return { ...copied, ...leftOutOf(logMap) }
  if (found.size === 0) return copied
  const files = [...copied.files]
  const logs: BackedUpLog[] = []
  for (const [log, snapshot] of [...found].sort(([one], [other]) => one - other)) {
    const path = logFolder(log)
    const own = await snapshot.copyTo(join(folder, path))
    await writeManifest(join(folder, path), { format: 1, version, ...own, media: false })
    files.push({ path: `${path}/${MANIFEST}`, ...(await measureFile(join(folder, path, MANIFEST))) })
    logs.push({
      log,
      place: snapshot.place,
      rows: sum(own.tables.map(({ rows }) => rows)),
      bytes: sum(own.files.map(({ bytes }) => bytes)),
    })
  }
  return { ...copied, logs, files }
}
