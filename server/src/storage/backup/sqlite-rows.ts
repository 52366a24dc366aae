import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { SQLITE_FILES, tablesOf } from './back-up-sqlite.ts'
import type { TableRows } from './row-file.ts'

/** Of SQLite's own file, or about connections. */
const LEFT_OUT = new Set(['migrations', 'schema_changes', 'stream_connections'])

const BATCH_ROWS = 500
const BATCH_CHARACTERS = 1 << 20

const columnsOf = (db: DatabaseSync, table: string): string[] =>
  db
    .prepare(`select name from pragma_table_info(?) order by name`)
    .all(table)
    .map(({ name }) => name as string)

/** A value as PostgreSQL reads it from JSON: bytes in hexadecimal. */
const valueIn = (column: string) => `case typeof(${column}) when 'blob' then '\\x' || hex(${column}) else ${column} end`

/** A character NUL in JSON, and the backslashes before it, each of which is escaped by another. */
const NUL = /(?<!\\)((?:\\\\)*)\\u0000/g

/** A row without the characters NUL, which PostgreSQL cannot store. SQLite's `replace` finds none. */
const withoutNul = (row: string) => (row.includes('\\u0000') ? row.replace(NUL, '$1') : row)

/** How the columns of a PostgreSQL table are read from SQLite: expressions by name. */
type Expressions = Readonly<Record<string, string>>

const same = (columns: readonly string[]): Expressions => Object.fromEntries(columns.map((name) => [name, valueIn(`"${name}"`)]))

function* batches(db: DatabaseSync, expressions: Expressions, from: string): Generator<string[]> {
  const pairs = Object.entries(expressions).map(([name, expression]) => `'${name}', ${expression}`)
  const select = db.prepare(`select json_object(${pairs.join(', ')}) from ${from}`)
  select.setReturnArrays(true)
  let batch: string[] = []
  let size = 0
  for (const [row] of select.iterate() as Iterable<unknown> as Iterable<[string]>) {
    batch.push(withoutNul(row))
    size += row.length
    if (batch.length < BATCH_ROWS && size < BATCH_CHARACTERS) continue
    yield batch
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batch
}

const tableOf = (db: DatabaseSync, name: string, expressions: Expressions, from: string): TableRows => ({
  name,
  columns: Object.keys(expressions),
  rows: batches(db, expressions, from),
})

/** What is open has a retry, or no attempt of its own. */
const OPEN = `target t left join retry r on r.webhook_id = t.webhook_id and r.sequence = t.sequence
  where r.sequence is not null or not exists (
    select 1 from attempt a where a.sequence = t.sequence and a.webhook_id = t.webhook_id and a.origin = '')`

/** The event log as PostgreSQL has it. */
const logTables = (db: DatabaseSync): TableRows[] => [
  tableOf(
    db,
    'log_event',
    {
      ...same(columnsOf(db, 'event')),
      targets: `json((select json_group_object(webhook_id, ${valueIn('match')}) from target t where t.sequence = event.sequence))`,
    },
    'event order by sequence',
  ),
  tableOf(db, 'log_delivery', same(['webhook_id', 'sequence']), 'target order by webhook_id, sequence'),
  tableOf(
    db,
    'log_open',
    { sequence: 't.sequence', webhook_id: 't.webhook_id', owner: 'null', due_ms: 'r.due_ms', attempts: 'coalesce(r.attempts, 0)' },
    OPEN,
  ),
  tableOf(db, 'log_attempt', same(columnsOf(db, 'attempt')), 'attempt order by sequence, webhook_id, origin, n'),
  tableOf(db, 'log_stream', same(columnsOf(db, 'stream')), 'stream order by sequence, app_id'),
]

/** The users of audiences as PostgreSQL has them. */
const audienceTables = (db: DatabaseSync): TableRows[] =>
  Object.entries({ audience_numbers: 'audience', audience_members: 'member', audience_size_changes: 'size_change' }).map(([name, from]) =>
    tableOf(db, name, same(columnsOf(db, from)), from),
  )

const stateTables = (db: DatabaseSync): TableRows[] =>
  tablesOf(db)
    .filter((name) => !LEFT_OUT.has(name))
    .map((name) => tableOf(db, name, same(columnsOf(db, name)), `"${name}"`))

export interface SqliteRows extends Disposable {
  tables: TableRows[]
}

/** The rows of a backup of SQLite, as the tables that PostgreSQL has. They are read once, in any order. */
export function openSqliteRows(folder: string, hasAudiences: boolean): SqliteRows {
  const open = (name: string) => new DatabaseSync(join(folder, name), { readOnly: true })
  const state = open(SQLITE_FILES.state)
  const log = open(SQLITE_FILES.event_log)
  const audiences = hasAudiences ? open(SQLITE_FILES.audiences) : undefined
  return {
    tables: [...stateTables(state), ...logTables(log), ...(audiences ? audienceTables(audiences) : [])],
    [Symbol.dispose]() {
      for (const db of [state, log, audiences]) db?.close()
    },
  }
}
