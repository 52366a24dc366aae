import { startWorker } from './worker.ts'

export type Engine = 'sqlite' | 'postgres'

/** In the order of the table. */
export const engines: readonly Engine[] = ['sqlite', 'postgres']

/** As the table names them. */
export const engineName: Record<Engine, string> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

export interface DatabasesRequest {
  open?: Engine
  /** The database to copy. No Postern may have it open. */
  copyOf?: string
  close?: string
  /** A query for PostgreSQL's maintenance database. */
  sql?: string
}

export interface DatabasesResponse {
  /** A `POSTERN_DATABASE_URL`. */
  url: string
  postgresPid: number
  rows: Record<string, unknown>[]
}

/** A fresh database. Disposing of it drops it. */
export interface Database extends AsyncDisposable {
  /** A `POSTERN_DATABASE_URL`. */
  url: string
  /** The database server's process; undefined for SQLite, which runs inside Postern's process. */
  databasePid: number | undefined
}

/** The databases of a run: SQLite files, and one PostgreSQL server for all benchmarks. */
export interface Databases extends AsyncDisposable {
  /** A new database: empty, or a copy of one that no Postern has open. */
  open(engine: Engine, copyOf?: Database): Promise<Database>
  /** Queries PostgreSQL's maintenance database. */
  query(sql: string): Promise<Record<string, unknown>[]>
}

/** Starts the PostgreSQL server of a run. */
export async function startDatabases(): Promise<Databases> {
  const worker = await startWorker<DatabasesRequest, DatabasesResponse>('databases.ts', {})
  return {
    async open(engine, copyOf) {
      const { url, postgresPid } = await worker.call({ open: engine, copyOf: copyOf?.url })
      return {
        url,
        databasePid: engine === 'postgres' ? postgresPid : undefined,
        [Symbol.asyncDispose]: async () => void (await worker.call({ close: url })),
      }
    },
    query: async (sql) => (await worker.call({ sql })).rows,
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  }
}
