// Processes of one database with a part of the roles each; fleet-roles.slow.test.ts freezes and kills them under load.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { formatMinute } from '../../src/endpoints/webhooks/start-replay.ts'
import { call } from '../stage/call.ts'
import { migratedDatabase, type TestDatabase } from '../stage/database.ts'
import { demo, demoToken, messages, publish, subscribe } from '../stage/demo-client.ts'
import { until } from '../stage/pause.ts'
import { OPERATOR_TOKEN } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { type RoleProcess, startRole } from '../stage/role-process.ts'
import { scrape } from '../stage/scrape.ts'
import { connectTo, openStream } from '../stage/stream-client.ts'

const MINUTE_MS = 60_000
const MAIN = resolve(import.meta.dirname, '../../src/main.js')
const LISTED = resolve(import.meta.dirname, '../stage/list-modules.js')

const operator = ({ operator: origin }: RoleProcess, method: string, path: string, json?: unknown) =>
  call(`${origin}${path}`, method, { token: OPERATOR_TOKEN, json })

/** Whether something listens there. */
const answers = (origin: string) =>
  fetch(`${origin}/livez`).then(
    ({ ok }) => ok,
    () => false,
  )

suite('processes with a part of the roles each', () => {
  const folder = mkdtempSync('/tmp/postern-roles-')
  const modulesOf = (name: string) => readFileSync(join(folder, name), 'utf8').split('\n')
  let database: TestDatabase
  let api: RoleProcess
  let delivery: RoleProcess
  let stream: RoleProcess

  /** From the sources, with a list of the modules. */
  const listed = (role: string) => ({
    environment: { POSTERN_TEST_MODULES: join(folder, role) },
    command: ['--import', LISTED, MAIN],
  })

  before(async () => {
    database = await migratedDatabase('postgres')
    api = await startRole(database.url, ['api'], listed('api'))
  })
  after(async () => {
    for (const one of [api, delivery, stream]) await one?.[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  test('without a process that sends, events are accepted and wait, the fleet says so, and a later one sends them', async () => {
    await using receiver = await startReceiver([demo.secret])
    await subscribe(api.origins, receiver.url, '101')
    assert.equal(receiver.challenges, 1)
    const accepted = await publish(api.origins, messages('101', 3))
    assert.equal(accepted.status, 202, accepted.text)
    const before = await scrape(api.operator)
    assert.deepEqual(before.by('postern_processes', 'role'), { api: 1, delivery: 0, stream: 0 })
    assert.ok(before.value('postern_queue_age_seconds')! > 0)
    await api.process.logged(/^no process has the role delivery: accepted events wait in the event log until one is started$/)
    assert.deepEqual((await call(`${api.operator}/readyz`, 'GET')).body, { ready: true })
    assert.equal(receiver.events.length, 0)

    delivery = await startRole(database.url, ['delivery'], listed('delivery'))
    const events = await receiver.received(3)
    const uuids = accepted.body.data.map(({ event_uuid }: { event_uuid: string }) => event_uuid)
    assert.deepEqual(events.map(({ data }) => data?.event_uuid).toSorted(), uuids.toSorted())
    await api.process.logged(/^a process has the role delivery again$/)
  })

  test('a stream is refused with the reason where none are held, and held by a process with the role', async () => {
    const token = await demoToken(api.origins)
    const json = { event_type: 'dm.received', filter: { user_id: '102' } }
    assert.equal((await call(`${api.general}/2/activity/subscriptions`, 'POST', { token, json })).status, 200)
    const refused = await connectTo(api.general, token)
    await refused.when(() => refused.hasEnded)
    assert.equal(refused.status, 503)
    assert.equal(
      JSON.parse(refused.text).detail,
      'This process has the role api and holds no streams: lead GET /2/activity/stream to one with the role stream.',
    )

    stream = await startRole(database.url, ['stream'], listed('stream'))
    using client = await openStream(stream.general, token)
    const accepted = await publish(api.origins, messages('102', 2))
    await client.received(2)
    assert.deepEqual(client.uuids.toSorted(), accepted.body.data.map(({ event_uuid }: { event_uuid: string }) => event_uuid).toSorted())
    const streams = await operator(api, 'GET', '/operator/streams')
    assert.equal(streams.body.data.length, 1)
    const revoked = await call(`${api.operator}/operator/tokens/revoke`, 'POST', { token: OPERATOR_TOKEN, json: { token } })
    assert.equal(revoked.status, 200, revoked.text)
    assert.equal(await client.ended(), 'ForceDisconnect')
  })

  test('what a process that serves calls asks of one that sends is done at once: a resend, a replay, and a job of resends', async () => {
    await using receiver = await startReceiver([demo.secret], '/again')
    const webhook_id = await subscribe(api.origins, receiver.url, '103')
    const from_date = formatMinute(Date.now())
    await publish(api.origins, messages('103', 2))
    await receiver.received(2)
    const [{ data }] = receiver.events as [{ data: { event_uuid: string } }]
    const posts = receiver.posts
    const sentAgain = async () => {
      const answer = await operator(api, 'POST', '/operator/deliveries/resend', { webhook_id, event_uuid: data.event_uuid })
      return answer.body.data.resent
    }
    // Until its attempt is recorded, the delivery is open.
    await until(async () => (await sentAgain()) > 0)
    await receiver.when(() => receiver.posts === posts + 1)
    const window = { from_date, to_date: formatMinute(Date.now() + MINUTE_MS) }
    const replay = await operator(api, 'POST', '/operator/replays', { webhook_id, ...window })
    assert.equal(replay.status, 200, replay.text)
    await receiver.when(() => receiver.events.some((event) => event.replay_job_status !== undefined))

    const before = receiver.posts
    const [from, to] = [Date.now() - MINUTE_MS, Date.now() + MINUTE_MS].map((ms) => new Date(ms).toISOString())
    const job = await operator(api, 'POST', '/operator/resends', { from, to, event_type: 'dm.received', state: 'delivered' })
    assert.ok(job.status < 300, job.text)
    await receiver.when(() => receiver.posts >= before + 2)
  })

  test('the list of processes and each process name the roles', async () => {
    const { data } = (await operator(api, 'GET', '/operator/processes')).body
    assert.deepEqual(
      data.map(({ roles }: { roles: string[] }) => roles),
      [['api'], ['delivery'], ['stream']],
    )
    assert.deepEqual((await operator(api, 'GET', '/operator/server')).body.data.roles, ['api'])
    const counts = (await scrape(delivery.operator)).by('postern_processes', 'role')
    assert.deepEqual(counts, { api: 1, delivery: 1, stream: 1 })
  })

  test('every process answers probes and metrics on its operator port, and names who serves the rest', async () => {
    for (const one of [delivery, stream]) {
      assert.deepEqual((await call(`${one.operator}/readyz`, 'GET')).body, { ready: true })
      assert.equal((await call(`${one.operator}/livez`, 'GET')).status, 200)
      const refused = await operator(one, 'GET', '/operator/server')
      assert.equal(refused.status, 503)
      assert.equal(refused.body.detail, `This process has the role ${one.roles[0]}: lead this path to a process with the role api.`)
    }
    const refused = await call(`${stream.general}/2/webhooks`, 'GET', { token: 'any' })
    assert.equal(refused.status, 503)
    assert.equal(refused.body.detail, 'This process has the role stream: lead this path to a process with the role api.')
    assert.deepEqual(await Promise.all([api, stream, delivery].map(({ general }) => answers(general))), [true, true, false])
  })

  test('a process loads no module of a role that it does not have', () => {
    const of = { api: modulesOf('api'), delivery: modulesOf('delivery'), stream: modulesOf('stream') }
    const has = (role: keyof typeof of, path: string) => of[role].some((url) => url.includes(`/server/src/${path}`))
    const only = (path: string) => (Object.keys(of) as (keyof typeof of)[]).filter((role) => has(role, path))
    assert.deepEqual(only('delivery/dispatcher.ts'), ['delivery'])
    assert.deepEqual(only('delivery/lanes/lanes.ts'), ['delivery'])
    assert.deepEqual(only('delivery/hourly-round.ts'), ['delivery'])
    assert.deepEqual(only('delivery/replay/replay-runner.ts'), ['delivery'])
    assert.deepEqual(only('endpoints/ads/catalogs/feeds/run-feed.ts'), ['delivery'])
    assert.deepEqual(only('delivery/stream/hub.ts'), ['stream'])
    assert.deepEqual(only('endpoints/activity/stream-activity.ts'), ['api', 'stream'])
    assert.deepEqual(only('endpoints/operator/publish-events.ts'), ['api'])
    assert.deepEqual(only('endpoints/activity/subscriptions.ts'), ['api'])
  })
})
