// Keeps the databases of a run: one PostgreSQL, started here, and a folder of SQLite files.
import { join } from 'node:path'
import { Client } from 'pg'
import { startPostgres } from '../../../server/test/stage/postgres-server.ts'
import type { DatabasesAnswer, DatabasesQuestion, Flavour } from '../databases.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { serve } from './serve.ts'

const folder = await temporaryFolder()
const postgres = await startPostgres()
const administrator = new Client({ connectionString: postgres.url })
administrator.on('error', () => {})
await administrator.connect()
let made = 0

async function open(flavour: Flavour): Promise<string> {
  made += 1
  if (flavour === 'sqlite') return `sqlite:${join(folder.path, `${made}.db`)}`
  await administrator.query(`create database bench_${made}`)
  return postgres.url.replace(/[^/]*$/, `bench_${made}`)
}

/** A file stays until the run ends: it costs nothing but room. */
async function close(url: string) {
  if (url.startsWith('postgres:')) await administrator.query(`drop database ${url.split('/').at(-1)} with (force)`)
}

async function answer(question: DatabasesQuestion): Promise<DatabasesAnswer> {
  const url = question.open === undefined ? '' : await open(question.open)
  if (question.close !== undefined) await close(question.close)
  const rows = question.sql === undefined ? [] : (await administrator.query(question.sql)).rows
  return { url, postgresPid: postgres.pid, rows }
}

serve(answer, async () => {
  await administrator.end().catch(() => {})
  await postgres.stop()
  await folder[Symbol.asyncDispose]()
})
