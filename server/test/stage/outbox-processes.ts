import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { call } from './call.ts'
import { type Flavour, migratedDatabase } from './database.ts'
import type { Wanted } from './heard.ts'
import { demoApp } from './postern.ts'
import { PosternProcess } from './postern-process.ts'
import { startReceiver, type TestReceiver } from './receiver.ts'
import { signedInSeed } from './signed-calls.ts'

interface HeldLog {
  release(): Promise<void>
  /** Releases it once nothing of a killed process waits: PostgreSQL would still run the statement that was sent. */
  releaseAfterKill(): Promise<void>
}

/** Keeps the event log from being written until it is let go. */
export async function holdLog(flavour: Flavour, url: string): Promise<HeldLog> {
  if (flavour === 'sqlite') {
    const file = new DatabaseSync(`${url.slice('sqlite:'.length)}.events`)
    file.exec('begin immediate')
    const release = async () => file.close()
    return { release, releaseAfterKill: release }
  }
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query('begin')
  await client.query('lock table log_event in exclusive mode')
  const release = () => client.end()
  return {
    release,
    async releaseAfterKill() {
      await client.query(`select pg_terminate_backend(pid, 10000) from pg_locks
        where database = (select oid from pg_database where datname = current_database()) and relation = 'log_event'::regclass and not granted`)
      await release()
    },
  }
}

/** A database, a receiver, and processes that share them; everything ends with it. */
export async function processesOn(flavour: Flavour) {
  const begun = new AsyncDisposableStack()
  const database = begun.use(await migratedDatabase(flavour))
  const receiver = begun.use(await startReceiver([demoApp.consumer_secret]))
  const folder = await mkdtemp(join(tmpdir(), 'postern-outbox-'))
  begun.defer(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'seed.json'), JSON.stringify(signedInSeed), { mode: 0o600 })
  return {
    url: database.url,
    receiver,
    async begin() {
      const postern = new PosternProcess({ POSTERN_DATABASE_URL: database.url, POSTERN_SEED: 'seed.json' }, folder)
      begun.defer(async () => void (await postern.end('SIGKILL')))
      return { postern, origins: await postern.ready() }
    },
    [Symbol.asyncDispose]: () => begun.disposeAsync(),
  }
}

/** Subscribes a receiver to events about users. */
export async function subscribeTo(base: string, receiver: TestReceiver, ...wanted: Wanted[]) {
  const basic = Buffer.from(`${demoApp.consumer_key}:${demoApp.consumer_secret}`).toString('base64')
  const headers = { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' }
  const token = (await call(`${base}/oauth2/token`, 'POST', { headers, body: 'grant_type=client_credentials' })).body.access_token
  const webhook_id = (await call(`${base}/2/webhooks`, 'POST', { token, json: { url: receiver.url } })).body.data.id
  for (const [event_type, user_id] of wanted) {
    const json = { event_type, filter: { user_id }, webhook_id }
    const answer = await call(`${base}/2/activity/subscriptions`, 'POST', { token, json })
    assert.equal(answer.status, 200, answer.text)
  }
}
