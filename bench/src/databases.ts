import { startParty } from './party.ts'

export type Flavour = 'sqlite' | 'postgres'

/** In the order of the table. */
export const flavours: readonly Flavour[] = ['sqlite', 'postgres']

/** As the table names them. */
export const nameOf: Record<Flavour, string> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

export interface DatabasesQuestion {
  open?: Flavour
  /** The database, closed by its Postern, whose content the new one begins with. */
  copyOf?: string
  close?: string
  /** Asked of PostgreSQL's maintenance database. */
  sql?: string
}

export interface DatabasesAnswer {
  /** A `POSTERN_DATABASE_URL`. */
  url: string
  postgresPid: number
  rows: Record<string, unknown>[]
}

/** A fresh database, gone when it is disposed of. */
export interface Database extends AsyncDisposable {
  /** A `POSTERN_DATABASE_URL`. */
  url: string
  /** The server that works for it; undefined with SQLite, which works in Postern's own process. */
  serverPid: number | undefined
}

/** The databases of a run: SQLite files, and one PostgreSQL for all of it. */
export interface Databases extends AsyncDisposable {
  /** A new database: empty, or with the content of one that no Postern has open. */
  open(flavour: Flavour, copyOf?: Database): Promise<Database>
  /** Asks PostgreSQL, beside any database of a figure. */
  ask(sql: string): Promise<Record<string, unknown>[]>
}

/** Starts the one PostgreSQL of a run. */
export async function startDatabases(): Promise<Databases> {
  const party = await startParty<DatabasesQuestion, DatabasesAnswer>('databases.ts', {})
  return {
    async open(flavour, copyOf) {
      const { url, postgresPid } = await party.ask({ open: flavour, copyOf: copyOf?.url })
      return {
        url,
        serverPid: flavour === 'postgres' ? postgresPid : undefined,
        [Symbol.asyncDispose]: async () => void (await party.ask({ close: url })),
      }
    },
    ask: async (sql) => (await party.ask({ sql })).rows,
    [Symbol.asyncDispose]: () => party[Symbol.asyncDispose](),
  }
}
