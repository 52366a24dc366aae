// Manages the databases of a run: one PostgreSQL server, started here, and a folder of SQLite files.
import { copyFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { startPostgres } from '../../../server/test/stage/postgres-server.ts'
import type { DatabasesRequest, DatabasesResponse, Engine } from '../databases.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { serve } from './serve.ts'

const folder = await temporaryFolder()
const postgres = await startPostgres()
const admin = new Client({ connectionString: postgres.url })
admin.on('error', () => {})
await admin.connect()
let created = 0

const nameIn = (url: string) => url.split('/').at(-1)!

/** The names of the main database and its event log have the same prefix. */
async function copyFiles(from: string, to: string) {
  const names = (await readdir(folder.path)).filter((name) => name.startsWith(from))
  for (const name of names) await copyFile(join(folder.path, name), join(folder.path, to + name.slice(from.length)))
}

async function openSqlite(copyOf: string | undefined): Promise<string> {
  const name = `${created}.db`
  if (copyOf !== undefined) await copyFiles(nameIn(copyOf), name)
  return `sqlite:${join(folder.path, name)}`
}

async function openPostgres(copyOf: string | undefined): Promise<string> {
  const name = `bench_${created}`
  await admin.query(`create database ${name} template ${copyOf === undefined ? 'template1' : nameIn(copyOf)}`)
  return postgres.url.replace(/[^/]*$/, name)
}

function open(engine: Engine, copyOf: string | undefined): Promise<string> {
  created += 1
  return engine === 'sqlite' ? openSqlite(copyOf) : openPostgres(copyOf)
}

/** Drops a PostgreSQL database. A SQLite file stays until the run ends: it costs only disk space. */
async function close(url: string) {
  if (url.startsWith('postgres:')) await admin.query(`drop database ${nameIn(url)} with (force)`)
}

async function handle(request: DatabasesRequest): Promise<DatabasesResponse> {
  const url = request.open === undefined ? '' : await open(request.open, request.copyOf)
  if (request.close !== undefined) await close(request.close)
  const rows = request.sql === undefined ? [] : (await admin.query(request.sql)).rows
  return { url, postgresPid: postgres.pid, rows }
}

serve(handle, async () => {
  await admin.end().catch(() => {})
  await postgres.stop()
  await folder[Symbol.asyncDispose]()
})
