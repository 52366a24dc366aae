import { execFile } from 'node:child_process'
import { truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { rawRows } from '../storage/samples.ts'
import { type Account, accountBesidesRoot, type PostgresServer } from './postgres-server.ts'

const run = promisify(execFile)

/** Room for a database to grow into. */
export interface Room extends AsyncDisposable {
  /** Leaves none. */
  take(): Promise<void>
  /** Makes room again; so does disposing of it. */
  give(): Promise<void>
}

/** The most that a file may have in bytes. */
type Limit = number | 'unlimited'

/** Needs no rights, and can be undone from outside. What a process would write beyond its limit fails with `EFBIG` (setrlimit(2)). It is a process of ours, or of this account. */
const limitFiles = (pid: number, limit: Limit, account?: Account) => run('prlimit', [`--pid=${pid}`, `--fsize=${limit}:`], account)

function createRoom(take: () => Promise<unknown>, give: () => Promise<unknown>): Room {
  const giveAll = async () => void (await give())
  return { take: async () => void (await take()), give: giveAll, [Symbol.asyncDispose]: giveAll }
}

/** The room of every file of this process, and so of every SQLite database in it. */
export const roomOfSqlite = (): Room =>
  createRoom(
    () => limitFiles(process.pid, 0),
    () => limitFiles(process.pid, 'unlimited'),
  )

/** A session may end at any time; one that begins has the limit of the server that made it. */
const unlessGone = (error: { stderr?: string }) => {
  if (!error.stderr?.includes('No such process')) throw error
}

/** The size of a file of PostgreSQL's journal, which is written still: were that impossible, the server would end. */
const JOURNAL_FILE_BYTES = 16 * 1024 * 1024

/** The room of a database on a server of its own, without autovacuum. Its tables are given empty pages, until they are as large as they may be. */
export function roomOfPostgres(server: PostgresServer, url: string): Room {
  const limitAll = async (limit: Limit) => {
    const account = await accountBesidesRoot()
    await limitFiles(server.pid, limit, account)
    const rows = await rawRows(url, "select pid from pg_stat_activity where application_name like 'postern%'")
    for (const { pid } of rows) await limitFiles(Number(pid), limit, account).catch(unlessGone)
  }
  const stretchTables = async () => {
    const tables = "from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace"
    const rows = await rawRows(url, `select current_setting('data_directory') as folder, pg_relation_filepath(oid) as file ${tables}`)
    for (const { folder, file } of rows) await truncate(join(String(folder), String(file)), JOURNAL_FILE_BYTES)
  }
  const take = async () => {
    await limitAll(JOURNAL_FILE_BYTES)
    await stretchTables()
  }
  return createRoom(take, () => limitAll('unlimited'))
}
