import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'

/** The rows of each table, as sorted lines of JSON. */
export type Dump = Record<string, string[]>

/** What calls of the test itself change, what is about processes, and what is written later than a commit. */
const LEFT_OUT = new Set([
  'audit_log',
  'migrations',
  'schema_changes',
  'worker_leases',
  'caching_processes',
  'log_owner',
  'nonces',
  'sqlite_sequence',
])

const lineOf = (row: object) =>
  JSON.stringify(row, (_name, value) =>
    typeof value === 'bigint' ? `${value}` : value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
  )

const isLeftOut = (row: object) => 'name' in row && row.name === 'event_log'

const linesOf = (rows: object[]) =>
  rows
    .filter((row) => !isLeftOut(row))
    .map(lineOf)
    .sort()

function dumpFile(path: string, dump: Dump) {
  if (!existsSync(path)) return
  using db = new DatabaseSync(path, { readOnly: true, readBigInts: true })
  for (const { name } of db.prepare(`select name from sqlite_schema where type = 'table'`).all())
    if (!LEFT_OUT.has(name as string)) dump[name as string] = linesOf(db.prepare(`select * from "${name}"`).all())
}

async function dumpPostgres(url: string, dump: Dump) {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query(`select tablename as name from pg_tables where schemaname = 'public'`)
    for (const { name } of rows) if (!LEFT_OUT.has(name)) dump[name] = linesOf((await client.query(`select * from "${name}"`)).rows)
  } finally {
    await client.end()
  }
}

/** All rows of a database of either kind, its event log and audiences included. */
export async function dumpOf(url: string): Promise<Dump> {
  const dump: Dump = {}
  if (url.startsWith('sqlite:')) for (const end of ['', '.events', '.audiences']) dumpFile(url.slice('sqlite:'.length) + end, dump)
  else await dumpPostgres(url, dump)
  return dump
}

/** How many rows each table has that has any. */
export const countsOf = (dump: Dump): Record<string, number> =>
  Object.fromEntries(
    Object.entries(dump)
      .map(([table, rows]): [string, number] => [table, rows.length])
      .filter(([, count]) => count > 0)
      .sort(),
  )
