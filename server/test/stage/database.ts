import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { copySqliteTemplate, makePostgresTemplate, POSTGRES_TEMPLATE } from './database-templates.ts'
import { reuseDatabases } from './reused-databases.ts'

export type Flavour = 'sqlite' | 'postgres'

/** Both databases. */
export const everyFlavour: readonly Flavour[] = ['sqlite', 'postgres']

export interface TestDatabase extends AsyncDisposable {
  /** A `POSTERN_DATABASE_URL`. */
  url: string
}

/** Its types lack these. */
type HeldClient = Client & { ref(): void; unref(): void }

/** The connections of a process to maintenance databases, by URL: opening one for each database would take as long as making the database. */
const connections = new Map<string, Promise<Held>>()

interface Held {
  client: HeldClient
  underWay: number
}

async function connect(url: string): Promise<Held> {
  const client = new Client({ connectionString: url }) as HeldClient
  client.on('error', () => connections.delete(url))
  await client.connect()
  return { client, underWay: 0 }
}

function connectionTo(url: string): Promise<Held> {
  const known = connections.get(url)
  if (known) return known
  const made = connect(url)
  connections.set(url, made)
  made.catch(() => connections.delete(url))
  return made
}

/** The connection keeps the process alive only while something runs. */
async function administrate(run: (administrator: Client) => Promise<unknown>) {
  const held = await connectionTo(process.env.POSTERN_TEST_POSTGRES!)
  held.underWay += 1
  held.client.ref()
  try {
    await run(held.client)
  } finally {
    held.underWay -= 1
    if (held.underWay === 0) held.client.unref()
  }
}

/** Runs a statement as the superuser of the PostgreSQL of the tests. */
export const asAdministrator = (sql: string) => administrate((client) => client.query(sql))

async function sqliteDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-test-'))
  return { url: `sqlite:${join(folder, 'postern.db')}`, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

/** SQLSTATE of a template that is not there. */
const UNDEFINED_DATABASE = '3D000'

async function createFromTemplate(administrator: Client, name: string) {
  const create = () => administrator.query(`create database ${name} template ${POSTGRES_TEMPLATE} strategy file_copy`)
  await create().catch(async (error) => {
    if (error.code !== UNDEFINED_DATABASE) throw error
    await makePostgresTemplate(process.env.POSTERN_TEST_POSTGRES!)
    await create()
  })
}

async function postgresDatabase(create: (administrator: Client, name: string) => Promise<unknown>): Promise<TestDatabase> {
  if (!process.env.POSTERN_TEST_POSTGRES) throw new Error('no PostgreSQL for the tests: start them with `npm test`')
  const name = `postern_${randomBytes(6).toString('hex')}`
  await administrate((administrator) => create(administrator, name))
  const { href: url } = Object.assign(new URL(process.env.POSTERN_TEST_POSTGRES), { pathname: `/${name}` })
  return { url, [Symbol.asyncDispose]: () => asAdministrator(`drop database ${name} with (force)`) }
}

const createEmpty =
  (tablespace = 'pg_default') =>
  (administrator: Client, name: string) =>
    administrator.query(`create database ${name} tablespace ${tablespace}`)

/** An empty database of its own for one test; gone when disposed of. */
export const freshDatabase = (flavour: Flavour): Promise<TestDatabase> =>
  flavour === 'sqlite' ? sqliteDatabase() : postgresDatabase(createEmpty())

async function migratedSqliteDatabase(): Promise<TestDatabase> {
  const database = await sqliteDatabase()
  await copySqliteTemplate(database.url.slice('sqlite:'.length))
  return database
}

const newMigratedDatabase = () => postgresDatabase(createFromTemplate)
const reusedDatabase = reuseDatabases(newMigratedDatabase)

/** The PostgreSQL of all tests. A file may have one of its own, whose databases end with it. */
const SHARED = process.env.POSTERN_TEST_POSTGRES

/**
 * Like `freshDatabase`, with all tables, which is much faster on PostgreSQL: for a test of what servers do after their first start. Nothing
 * is in it but the tables and what they are made from. On PostgreSQL it is one that another test is done with, and so are its sessions, unless
 * the test asks for an `unused` one, because it looks at sessions or needs new ones.
 */
export const migratedDatabase = (flavour: Flavour, { unused = false } = {}): Promise<TestDatabase> => {
  if (flavour === 'sqlite') return migratedSqliteDatabase()
  return unused || process.env.POSTERN_TEST_POSTGRES !== SHARED ? newMigratedDatabase() : reusedDatabase()
}

/** An empty database whose files are all in `folder`, which must be empty and the server's own. */
async function postgresDatabaseIn(folder: string): Promise<TestDatabase> {
  const tablespace = `small_${randomBytes(6).toString('hex')}`
  await asAdministrator(`create tablespace ${tablespace} location '${folder}'`)
  const database = await postgresDatabase(createEmpty(tablespace))
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
