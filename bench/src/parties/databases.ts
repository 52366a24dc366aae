// Keeps the databases of a run: one PostgreSQL, started here, and a folder of SQLite files.
import { copyFile, readdir } from 'node:fs/promises'
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

const nameIn = (url: string) => url.split('/').at(-1)!

/** The state and the event log are files whose names begin alike. */
async function copyFiles(from: string, to: string) {
  const names = (await readdir(folder.path)).filter((name) => name.startsWith(from))
  for (const name of names) await copyFile(join(folder.path, name), join(folder.path, to + name.slice(from.length)))
}

async function openSqlite(copyOf: string | undefined): Promise<string> {
  const name = `${made}.db`
  if (copyOf !== undefined) await copyFiles(nameIn(copyOf), name)
  return `sqlite:${join(folder.path, name)}`
}

async function openPostgres(copyOf: string | undefined): Promise<string> {
  const name = `bench_${made}`
  await administrator.query(`create database ${name} template ${copyOf === undefined ? 'template1' : nameIn(copyOf)}`)
  return postgres.url.replace(/[^/]*$/, name)
}

function open(flavour: Flavour, copyOf: string | undefined): Promise<string> {
  made += 1
  return flavour === 'sqlite' ? openSqlite(copyOf) : openPostgres(copyOf)
}

/** A file stays until the run ends: it costs nothing but room. */
async function close(url: string) {
  if (url.startsWith('postgres:')) await administrator.query(`drop database ${nameIn(url)} with (force)`)
}

async function answer(question: DatabasesQuestion): Promise<DatabasesAnswer> {
  const url = question.open === undefined ? '' : await open(question.open, question.copyOf)
  if (question.close !== undefined) await close(question.close)
  const rows = question.sql === undefined ? [] : (await administrator.query(question.sql)).rows
  return { url, postgresPid: postgres.pid, rows }
}

serve(answer, async () => {
  await administrator.end().catch(() => {})
  await postgres.stop()
  await folder[Symbol.asyncDispose]()
})
