import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { call } from '../stage/call.ts'
import { OPERATOR_TOKEN } from '../stage/postern.ts'
import { PosternProcess } from '../stage/postern-process.ts'
import { answerWith, startReceiver } from '../stage/receiver.ts'

const USER = '101'
/** The app of the demo seed. */
const KEY = 'demo-consumer-key'
const SECRET = 'demo-consumer-secret-for-development-only'

/** Copies a database that is in use, as docs/operating.md says. */
function backUp(from: string, to: string) {
  using db = new DatabaseSync(from, { readOnly: true })
  db.prepare('vacuum into ?').run(to)
}

test('copies made of both files while it works, the events first, start again with everything accepted before', async () => {
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
  await publish(50)
  await receiver.received(50)
  const held: (() => void)[] = []
  receiver.intercept = (request, response) => request.method === 'POST' && Boolean(held.push(() => answerWith(response, 200)))
  await publish(30)
  await receiver.when(() => held.length === 4)

  backUp(at('first.db.events'), at('second.db.events'))
  const [later] = (await operator('POST', '/operator/events', { event_type: 'dm.received', user_id: USER, payload: {} })).body.data
  backUp(at('first.db'), at('second.db'))
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
