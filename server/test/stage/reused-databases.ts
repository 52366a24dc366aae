import { Client } from 'pg'
import type { TestDatabase } from './database.ts'
import { pause } from './pause.ts'
import { DISCARDED, pooledUrl } from './session-pooler.ts'

/** A table above this size is truncated, which the sessions of a database notice; rows of a smaller one are deleted. */
const SMALL_BYTES = 256 * 1024

const countOf = (catalog: string, where = 'true') =>
  `(select concat(count(*), ':', max(xmin::text::bigint)) from ${catalog} where ${where})`

/** Everything but rows: it changes with each table, column, index, constraint, function, setting and statistic. */
const SHAPE = `select concat_ws(' ',
  ${['pg_attribute', 'pg_attrdef', 'pg_constraint', 'pg_index', 'pg_proc', 'pg_trigger', 'pg_statistic'].map((name) => countOf(name)).join()},
  ${countOf('pg_namespace', `nspname !~ '^pg_(toast_)?temp_'`)},
  ${countOf('pg_db_role_setting', 'setdatabase = (select oid from pg_database where datname = current_database())')},
  (select md5(string_agg(concat_ws(' ', relname, relkind, relpersistence, relnatts, relacl, reloptions), ',' order by relnamespace, relname))
   from pg_class where relpersistence <> 't')) as shape`

const TABLES = `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by relname`

/** Sessions that a client has. */
const CLIENTS = `select count(*)::int as clients from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and query <> '${DISCARDED}'`

/** How often it is asked whether the clients of a test have left. */
const MOST_ASKED = 50

/** What a database has when it is made. */
interface Fresh {
  shape: string
  tables: readonly string[]
  /** The rows of those tables that have some, as JSON. */
  rows: ReadonlyMap<string, string>
  /** Sequences that have been used. */
  sequences: readonly string[]
}

type Ask = (text: string, values?: unknown[]) => Promise<Record<string, string>[]>

async function withConnection<T>(url: string, work: (ask: Ask) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url }).on('error', () => {})
  await client.connect()
  try {
    return await work(async (text, values) => (await client.query(text, values)).rows)
  } finally {
    await client.end()
  }
}

const shapeOf = async (ask: Ask) => (await ask(SHAPE))[0]!.shape!
const tablesOf = async (ask: Ask) => (await ask(TABLES)).map(({ name }) => name!)
const rowsOf = async (ask: Ask, table: string) => (await ask(`select json_agg(t order by t::text)::text as rows from ${table} t`))[0]!.rows!
const usedSequences = async (ask: Ask) =>
  (await ask(`select sequencename as name from pg_sequences where last_value is not null`)).map(({ name }) => name!)

/** The tables that have rows, with their size in bytes. */
async function filledOf(ask: Ask, tables: readonly string[]): Promise<Map<string, number>> {
  const each = tables.map((name) => `select '${name}' as name, pg_relation_size('${name}') as bytes where exists (select from ${name})`)
  return new Map((await ask(each.join(' union all '))).map(({ name, bytes }) => [name!, Number(bytes)]))
}

const readFresh = (url: string): Promise<Fresh> =>
  withConnection(url, async (ask) => {
    const tables = await tablesOf(ask)
    const rows = new Map<string, string>()
    for (const name of (await filledOf(ask, tables)).keys()) rows.set(name, await rowsOf(ask, name))
    return { shape: await shapeOf(ask), tables, rows, sequences: await usedSequences(ask) }
  })

/** Makes the rows what they were. Foreign keys are not looked at: all of them refer to what is deleted too. */
async function restoreRows(ask: Ask, { tables, rows }: Fresh) {
  const filled = [...(await filledOf(ask, tables))].filter(([name]) => !rows.has(name))
  const deletions = filled.filter(([, bytes]) => bytes <= SMALL_BYTES).map(([name]) => `delete from ${name}`)
  const large = filled.filter(([, bytes]) => bytes > SMALL_BYTES).map(([name]) => name)
  if (large.length > 0) deletions.push(`truncate ${large.join()} cascade`)
  await ask(['set session_replication_role = replica', ...deletions].join('; '))
  for (const [name, former] of rows) {
    if ((await rowsOf(ask, name)) === former) continue
    await ask(`delete from ${name}`)
    await ask(`insert into ${name} select * from json_populate_recordset(null::${name}, $1)`, [former])
  }
}

/** Whether all clients have left. One that has not would write into the database of another test. */
async function haveClientsLeft(ask: Ask): Promise<boolean> {
  for (let asked = 0; asked < MOST_ASKED; asked += 1) {
    if (Number((await ask(CLIENTS))[0]!.clients) === 0) return true
    await pause()
  }
  return false
}

/** Makes a database what it was when it was made; false if only a new one is that. */
const rewind = (url: string, fresh: Fresh): Promise<boolean> =>
  withConnection(url, async (ask) => {
    if (!(await haveClientsLeft(ask))) return false
    await ask(`set lock_timeout = '1s'`)
    const more = (await tablesOf(ask)).filter((name) => !fresh.tables.includes(name))
    if (more.length > 0) await ask(`drop table ${more.join()} cascade`)
    if ((await shapeOf(ask)) !== fresh.shape || fresh.sequences.length > 0) return false
    await restoreRows(ask, fresh)
    for (const name of await usedSequences(ask)) await ask(`alter sequence ${name} restart`)
    return true
  })

/** How many databases wait for another test. */
const MOST_WAITING = 6

/**
 * Makes databases with `make`, or has one that another test is done with. In that one are no rows but the first ones, and its sessions know its
 * tables: with a new one a server would open a dozen sessions, each of which costs as much as the database.
 */
export function reuseDatabases(make: () => Promise<TestDatabase>): () => Promise<TestDatabase> {
  const waiting: TestDatabase[] = []
  let fresh: Promise<Fresh> | undefined
  process.on('beforeExit', async () => {
    for (const database of waiting.splice(0)) await database[Symbol.asyncDispose]()
  })

  const makeOne = async () => {
    await using begun = new AsyncDisposableStack()
    const made = begun.use(await make())
    const database = { ...made, url: await pooledUrl(made.url) }
    fresh ??= readFresh(database.url)
    await fresh.catch((error) => {
      fresh = undefined
      throw error
    })
    begun.move()
    return database
  }

  return async () => {
    const database = waiting.pop() ?? (await makeOne())
    return {
      ...database,
      async [Symbol.asyncDispose]() {
        const isFresh = waiting.length < MOST_WAITING && (await rewind(database.url, await fresh!).catch(() => false))
        if (isFresh) waiting.push(database)
        else await database[Symbol.asyncDispose]()
      },
    }
  }
}
