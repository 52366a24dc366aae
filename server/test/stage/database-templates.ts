import { createHash } from 'node:crypto'
import { copyFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'

/** Of the repository: a copy of it, which a test changes, may have other migrations. */
const NAME = `postern_template_${createHash('sha256')
  .update(import.meta.dirname)
  .digest('hex')
  .slice(0, 8)}`

/** A migrated database that nobody connects to. Each PostgreSQL server of the tests has its own. */
export const POSTGRES_TEMPLATE = NAME
const UNFINISHED = `${POSTGRES_TEMPLATE}_unfinished`
/** Of the advisory lock of whoever makes it. */
const LOCK = 20_261_122

/** Migrations are loaded by the first test that needs a template, and by no other. */
const migrate = async (url: string) => (await import('./migrate.ts')).migrate(url)

/** Makes the template unless it exists, on the server whose maintenance database has this URL. The end of the connection frees the lock. */
export async function makePostgresTemplate(url: string): Promise<void> {
  const administrator = new Client({ connectionString: url })
  await administrator.connect()
  await makeTemplate(administrator, url).finally(() => administrator.end())
}

async function makeTemplate(administrator: Client, url: string): Promise<void> {
  await administrator.query('select pg_advisory_lock($1)', [LOCK])
  const { rowCount } = await administrator.query('select from pg_database where datname = $1', [POSTGRES_TEMPLATE])
  if (rowCount) return
  await administrator.query(`drop database if exists ${UNFINISHED} with (force)`)
  await administrator.query(`create database ${UNFINISHED}`)
  await migrate(Object.assign(new URL(url), { pathname: `/${UNFINISHED}` }).href)
  await administrator.query(`alter database ${UNFINISHED} rename to ${POSTGRES_TEMPLATE}`)
}

async function makeSqliteTemplate(template: string) {
  const unfinished = `${template}.${crypto.randomUUID()}`
  await migrate(`sqlite:${unfinished}`)
  await rm(`${unfinished}.lock`)
  await rename(unfinished, template)
}

/** Copies the migrated file of this run to `path`; the first test that needs it makes it. Outside a run it does nothing. */
export async function copySqliteTemplate(path: string): Promise<void> {
  const folder = process.env.POSTERN_TEST_FOLDER
  if (!folder) return
  const template = join(folder, `${NAME}.db`)
  await copyFile(template, path).catch(async (error) => {
    if (error.code !== 'ENOENT') throw error
    await makeSqliteTemplate(template)
    await copyFile(template, path)
  })
}
