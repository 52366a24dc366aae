import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'

export type Flavour = 'sqlite' | 'postgres'

/** Both databases. */
export const everyFlavour: readonly Flavour[] = ['sqlite', 'postgres']

/** The databases at hand: a test of what runs on both runs once for each. The quick run has SQLite alone. */
export const flavours: readonly Flavour[] = process.env.POSTERN_TEST_POSTGRES ? everyFlavour : ['sqlite']

export interface TestDatabase extends AsyncDisposable {
  /** A `POSTERN_DATABASE_URL`. */
  url: string
}

/** Runs a statement as the superuser of the PostgreSQL of the tests. */
export async function asAdministrator(sql: string) {
  const client = new Client({ connectionString: process.env.POSTERN_TEST_POSTGRES })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

async function sqliteDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-test-'))
  return { url: `sqlite:${join(folder, 'postern.db')}`, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

async function postgresDatabase(tablespace = 'pg_default'): Promise<TestDatabase> {
  if (!process.env.POSTERN_TEST_POSTGRES) throw new Error('no PostgreSQL for the tests: start them with `npm test`')
  const name = `postern_${randomBytes(6).toString('hex')}`
  await asAdministrator(`create database ${name} tablespace ${tablespace}`)
  const url = new URL(process.env.POSTERN_TEST_POSTGRES)
  url.pathname = `/${name}`
  return { url: url.href, [Symbol.asyncDispose]: () => asAdministrator(`drop database ${name} with (force)`) }
}

/** An empty database of its own for one test; gone when disposed of. */
export const freshDatabase = (flavour: Flavour): Promise<TestDatabase> => (flavour === 'sqlite' ? sqliteDatabase() : postgresDatabase())

/** An empty database whose files are all in `folder`, which must be empty and the server's own. */
async function postgresDatabaseIn(folder: string): Promise<TestDatabase> {
  const tablespace = `small_${randomBytes(6).toString('hex')}`
  await asAdministrator(`create tablespace ${tablespace} location '${folder}'`)
  const database = await postgresDatabase(tablespace)
  const dispose = async () => {
    await database[Symbol.asyncDispose]()
    await asAdministrator(`drop tablespace ${tablespace}`)
  }
  return { url: database.url, [Symbol.asyncDispose]: dispose }
}

/** A database in a folder that is there already; on SQLite nothing of it is removed. */
export const databaseIn = async (flavour: Flavour, folder: string): Promise<TestDatabase> =>
  flavour === 'postgres'
    ? postgresDatabaseIn(folder)
    : { url: `sqlite:${join(folder, 'postern.db')}`, [Symbol.asyncDispose]: async () => {} }
