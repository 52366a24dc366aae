import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { backUpFrom, backupFolder, restoreTo } from '../../../server/test/stage/backups.ts'
import { freshDatabase } from '../../../server/test/stage/database.ts'
import { countsOf, dumpOf } from '../../../server/test/stage/dump.ts'
import { demoApp, type Stage, setStage } from '../../../server/test/stage/postern.ts'
import { startReceiver } from '../../../server/test/stage/receiver.ts'
import { runCommand, startCommand } from './command.ts'

const POSTS = 100_000
const DELIVERIES = 100_000
const A_CALL = 1_000
const FIRST_POST = 1_000_000_000_000n

/** Tells how long something took, and its CPU time in this process. */
async function measured<T>(t: TestContext, what: string, run: () => Promise<T>): Promise<T> {
  const [began, cpu] = [performance.now(), process.cpuUsage()]
  const result = await run()
  const { user, system } = process.cpuUsage(cpu)
  t.diagnostic(`${what}: ${((performance.now() - began) / 1000).toFixed(1)} s, ${((user + system) / 1e6).toFixed(1)} s of CPU`)
  return result
}

async function addPosts(stage: Stage) {
  for (let first = 0; first < POSTS; first += 5 * A_CALL) {
    const posts = Array.from({ length: 5 * A_CALL }, (_, n) => ({
      id: String(FIRST_POST + BigInt(first + n)),
      author_id: '101',
      text: `Post ${first + n} about #tides`,
      created_at: new Date(1_700_000_000_000 + first + n).toISOString(),
    }))
    const answer = await stage.operator('POST', '/operator/seed', { posts })
    assert.equal(answer.status, 200, answer.text)
  }
}

async function addDeliveries(stage: Stage) {
  for (let first = 0; first < DELIVERIES; first += A_CALL)
    await stage.publish(...Array.from({ length: A_CALL }, (_, n) => ({ n: first + n, text: 'x'.repeat(200) })))
}

/** Resolves once it is so. */
async function when(isSo: () => boolean | Promise<boolean>) {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 2))
}

async function kill(child: ReturnType<typeof startCommand>) {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  assert.deepEqual(await ended, [null, 'SIGKILL'], 'it had not ended before')
}

async function askPostgres<Row>(url: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows as Row[]
  } finally {
    await client.end()
  }
}

const LOADING = `select 1 from pg_stat_activity where application_name = 'postern-backup' and query like 'insert into "post%'
  and datname = current_database()`
const CONNECTED = `select 1 from pg_stat_activity where application_name = 'postern-backup' and datname = current_database()`
const TABLES = `select 1 from pg_class where relnamespace = 'public'::regnamespace`

test('100,000 posts and 100,000 deliveries are backed up, restored and moved to PostgreSQL, and a kill leaves nothing that looks whole', async (t) => {
  await using stage = await setStage({ fresh: true })
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await using folder = await backupFolder()
  await using postgres = await freshDatabase('postgres')
  await using postgresToo = await freshDatabase('postgres')
  await stage.connect(receiver)
  await measured(t, 'filling', async () => {
    await addPosts(stage)
    await addDeliveries(stage)
    await receiver.when(() => receiver.posts > DELIVERIES / 2)
  })

  const cut = startCommand(['backup', folder.at('cut'), '--database', stage.databaseUrl])
  await when(() => existsSync(folder.at('cut.partial/postern.db')))
  await kill(cut)
  assert.equal(existsSync(folder.at('cut')), false)
  assert.match((await runCommand(['backup', folder.at('cut.partial'), '--verify'])).stderr, /has no manifest\.json/)

  await measured(t, 'backup of SQLite', () => backUpFrom(stage.databaseUrl, folder.at('one')))
  await stage.stop()
  await measured(t, 'last backup of SQLite', () => backUpFrom(stage.databaseUrl, folder.at('last')))

  const target = folder.at('copy/postern.db')
  const restoring = startCommand(['restore', folder.at('last'), '--to', `sqlite:${target}`])
  await when(() => existsSync(`${target}.events.restoring`))
  await kill(restoring)
  assert.deepEqual(
    (await readdir(folder.at('copy'))).filter((name) => !name.endsWith('.restoring')),
    [],
  )
  await measured(t, 'restore to SQLite', () => restoreTo(`sqlite:${target}`, folder.at('last')))
  assert.deepEqual((await readdir(folder.at('copy'))).sort(), ['postern.db', 'postern.db.events'])

  const moving = startCommand(['restore', folder.at('last'), '--to', postgres.url])
  await when(async () => (await askPostgres(postgres.url, LOADING)).length > 0)
  await kill(moving)
  await when(async () => (await askPostgres(postgres.url, CONNECTED)).length === 0)
  assert.deepEqual(await askPostgres(postgres.url, TABLES), [])
  await measured(t, 'move to PostgreSQL', () => restoreTo(postgres.url, folder.at('last')))

  await measured(t, 'backup of PostgreSQL', () => backUpFrom(postgres.url, folder.at('two')))
  await measured(t, 'restore to PostgreSQL', () => restoreTo(postgresToo.url, folder.at('two')))
  const [from, to] = [countsOf(await dumpOf(stage.databaseUrl)), countsOf(await dumpOf(postgresToo.url))]
  assert.deepEqual(
    ['posts', 'post_terms', 'webhooks', 'users'].map((table) => to[table]),
    ['posts', 'post_terms', 'webhooks', 'users'].map((table) => from[table]),
  )
  assert.deepEqual([to.posts, to.log_event, to.log_delivery, to.log_attempt], [POSTS, DELIVERIES, DELIVERIES, from.attempt])

  await using moved = await setStage({ environment: { POSTERN_DATABASE_URL: postgresToo.url }, seed: {} })
  for (let delivered = DELIVERIES / 2; delivered <= DELIVERIES; delivered += 10 * A_CALL) await receiver.received(delivered)
  const [fresh] = await moved.publish({ n: 'after the move' })
  await moved.deliveriesWhen(`event_uuid=${fresh}`, ([one]) => one.state === 'delivered')
})
