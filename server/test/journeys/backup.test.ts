import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { call } from '../stage/call.ts'
import { OPERATOR_TOKEN } from '../stage/postern.ts'
import { PosternProcess } from '../stage/postern-process.ts'
import { answerWith, startReceiver } from '../stage/receiver.ts'

const run = promisify(execFile)
const USER = '101'
/** The app of the demo seed. */
const KEY = 'demo-consumer-key'
const SECRET = 'demo-consumer-secret-for-development-only'

const VACUUM = `
  const { DatabaseSync } = require('node:sqlite')
  const [from, to] = process.argv.slice(1)
  const db = new DatabaseSync(from)
  db.prepare('vacuum into ?').run(to)
  db.close()`

/** Copies a database that is in use, with another program that may write to it, as docs/backup.md says. */
const backUp = (from: string, to: string) => run(process.execPath, ['--no-warnings', '-e', VACUUM, from, to])

/** What the state knows of its log: told within a second of an event. */
function toldOf(path: string) {
  using db = new DatabaseSync(path, { readOnly: true })
  return db.prepare(`select value from metadata where name = 'event_log'`).get()!.value
}

test('copies of both files made while it runs, the events first, start again with everything accepted before', async () => {
  await using receiver = await startReceiver([SECRET])
  const folder = await mkdtemp(join(tmpdir(), 'postern-backup-'))
  const at = (name: string) => join(folder, name)
  const first = new PosternProcess({ POSTERN_DATABASE_URL: 'sqlite:first.db' }, folder)
  const { base_url } = await first.ready()
  const operator = (method: string, path: string, json?: unknown, origin = base_url) =>
    call(origin + path, method, { token: OPERATOR_TOKEN, json })
  const publish = async (count: number) => {
    const events = Array.from({ length: count }, (_, n) => ({ event_type: 'dm.received', user_id: USER, payload: { n } }))
    return (await operator('POST', '/operator/events', { events })).body.data.length
  }
  const webhook = { id: '77', consumer_key: KEY, url: receiver.url }
  const subscription = { consumer_key: KEY, event_type: 'dm.received', filter: { user_id: USER }, webhook_id: '77' }
  const seeded = await operator('POST', '/operator/seed', { webhooks: [webhook], subscriptions: [subscription] })
  assert.equal(seeded.body.data.created.length, 2)
  const toldFirst = toldOf(at('first.db'))
  await publish(50)
  await receiver.received(50)
  while (toldOf(at('first.db')) === toldFirst) await operator('GET', '/operator/deliveries')
  const held: (() => void)[] = []
  receiver.intercept = (request, response) => request.method === 'POST' && Boolean(held.push(() => answerWith(response, 200)))
  await publish(30)
  await receiver.when(() => held.length === 4)

  const logs = [at('first.db.events-wal'), at('first.db-wal')]
  const inodes = () => Promise.all(logs.map(async (path) => (await stat(path)).ino))
  const before = await inodes()
  await backUp(at('first.db.events'), at('second.db.events'))
  const [later] = (await operator('POST', '/operator/events', { event_type: 'dm.received', user_id: USER, payload: {} })).body.data
  await backUp(at('first.db'), at('second.db'))
  assert.deepEqual(await inodes(), before, 'a copy leaves the write-ahead logs where they are')
  assert.equal((await call(`${base_url}/readyz`, 'GET')).status, 200)
  await first.end('SIGKILL')
  for (const answer of held) answer()
  receiver.intercept = undefined

  const second = new PosternProcess({ POSTERN_DATABASE_URL: 'sqlite:second.db' }, folder)
  const { base_url: restored } = await second.ready()
  await receiver.received(80)
  const report = (await operator('GET', `/operator/deliveries?event_uuid=${later.event_uuid}`, undefined, restored)).body.data
  assert.deepEqual(report, [], 'what was accepted after the copy of the events is not in it')
  assert.equal(receiver.events.length, 80)
  assert.equal(await second.end('SIGTERM'), 0)
  await rm(folder, { recursive: true })
})
