import { join } from 'node:path'
import { Client } from 'pg'
import { startPostgres } from '../../server/test/stage/postgres-server.ts'
import { serve, startWorker, temporaryFolder } from './worker.ts'

export type Engine = 'sqlite' | 'postgres'

/** In the order of the table. */
export const engines: readonly Engine[] = ['sqlite', 'postgres']

/** As the table names them. */
export const engineName: Record<Engine, string> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

/** A fresh database. Disposing of it drops it. */
export interface Database extends AsyncDisposable {
  /** A `POSTERN_DATABASE_URL`. */
  url: string
  /** The database server's process; undefined for SQLite, which runs inside Postern's process. */
  databasePid: number | undefined
}

/** The databases of a run: SQLite files, and one PostgreSQL server for all benchmarks. */
export interface Databases extends AsyncDisposable {
  /** A new, empty database. */
  open(engine: Engine): Promise<Database>
  postgresVersion: string
}

/** Opens a database, or closes that of a URL. */
type DatabasesRequest = { open: Engine } | { close: string }

interface DatabasesResponse {
  url: string
  postgresPid: number
  postgresVersion: string
}

/** Starts the PostgreSQL server of a run. */
export async function startDatabases(): Promise<Databases> {
  const worker = await startWorker<DatabasesRequest, DatabasesResponse>('databases.ts', {})
  const { postgresVersion } = await worker.call({ open: 'sqlite' })
  return {
    postgresVersion,
    async open(engine) {
      const { url, postgresPid } = await worker.call({ open: engine })
      const databasePid = engine === 'postgres' ? postgresPid : undefined
      return { url, databasePid, [Symbol.asyncDispose]: async () => void (await worker.call({ close: url })) }
    },
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  }
}

/** Manages the databases in a process of its own: one PostgreSQL server, and a folder of SQLite files, which stay until the run ends. */
async function serveDatabases() {
  const folder = await temporaryFolder()
  const postgres = await startPostgres()
  const admin = new Client({ connectionString: postgres.url })
  admin.on('error', () => {})
  await admin.connect()
  const { rows } = await admin.query('show server_version')
  const state = { postgresPid: postgres.pid, postgresVersion: rows[0].server_version }
  let created = 0

  async function handle(request: DatabasesRequest): Promise<DatabasesResponse> {
    if ('close' in request) {
      if (request.close.startsWith('postgres:')) await admin.query(`drop database ${request.close.split('/').at(-1)} with (force)`)
      return { ...state, url: '' }
    }
    const name = `bench_${created++}`
    if (request.open === 'sqlite') return { ...state, url: `sqlite:${join(folder.path, name)}.db` }
    await admin.query(`create database ${name}`)
    return { ...state, url: postgres.url.replace(/[^/]*$/, name) }
  }

  serve(handle, async () => {
    await admin.end().catch(() => {})
    await postgres.stop()
    await folder[Symbol.asyncDispose]()
  })
}

if (import.meta.main) await serveDatabases()
