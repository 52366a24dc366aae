import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'

export type Flavour = 'sqlite' | 'postgres'

/** Both databases: a test of a port runs once for each. */
export const flavours: readonly Flavour[] = ['sqlite', 'postgres']

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

async function postgresDatabase(): Promise<TestDatabase> {
  if (!process.env.POSTERN_TEST_POSTGRES) throw new Error('no PostgreSQL for the tests: start them with `npm test`')
  const name = `postern_${randomBytes(6).toString('hex')}`
  await asAdministrator(`create database ${name}`)
  const url = new URL(process.env.POSTERN_TEST_POSTGRES)
  url.pathname = `/${name}`
  return { url: url.href, [Symbol.asyncDispose]: () => asAdministrator(`drop database ${name} with (force)`) }
}

/** An empty database of its own for one test; gone when disposed of. */
export const freshDatabase = (flavour: Flavour): Promise<TestDatabase> => (flavour === 'sqlite' ? sqliteDatabase() : postgresDatabase())
