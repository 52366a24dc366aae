import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { Client } from 'pg'
import { RECONNECT_DELAY_MS } from '../../src/storage/postgres/reconnecting-client.ts'
import { call } from '../stage/call.ts'
import { migratedDatabase } from '../stage/database.ts'
import { demo, demoToken, messages, publish, subscribe } from '../stage/demo-client.ts'
import { until } from '../stage/pause.ts'
import { setStage } from '../stage/postern.ts'
import { PosternProcess } from '../stage/postern-process.ts'
import { startReceiver } from '../stage/receiver.ts'
import { scrape } from '../stage/scrape.ts'
import { publishUntilAccepted, setTwoAtWork } from '../stage/two-at-work.ts'
import { rawRows } from '../storage/samples.ts'

const twoAtWork = setTwoAtWork()

test('when a process is killed while callbacks hang, another delivers what it held, without a restart', async () => {
  await using receiver = await startReceiver([demo.secret])
  await using two = await twoAtWork()
  await subscribe(two.origins, receiver.url, '101')
  const hanging: ServerResponse[] = []
  receiver.intercept = (request, response) => request.method === 'POST' && hanging.push(response) > 0
  const answer = await publish(two.origins, messages('101', 600))
  assert.equal(answer.status, 202, answer.text)
  await receiver.when(() => hanging.length === 4)
  receiver.intercept = undefined
  await two.processes[0].end('SIGKILL')
  const events = await receiver.received(600)
  assert.deepEqual(
    new Set(events.map(({ data }) => data?.event_uuid)),
    new Set(answer.body.data.map(({ event_uuid }: { event_uuid: string }) => event_uuid)),
  )
  const told = two
    .linesOf(1)
    .filter(({ level, msg }) => level === 40 && /^a process ended without a shutdown, was frozen or was cut off/.test(msg))
  assert.equal(told.length, 1)
})

/** A frozen process is noticed and what it held is delivered within this. */
const TAKEN_OVER_WITHIN_MS = 30_000

test('when a process is frozen while callbacks hang, another delivers what it held within 30 s, and it goes on when it wakes', async () => {
  await using receiver = await startReceiver([demo.secret])
  await using two = await twoAtWork()
  await subscribe(two.origins, receiver.url, '101')
  const hanging: ServerResponse[] = []
  receiver.intercept = (request, response) => request.method === 'POST' && hanging.push(response) > 0
  const held = await publish(two.origins, messages('101', 600))
  assert.equal(held.status, 202, held.text)
  await receiver.when(() => hanging.length === 4)
  const inFlight = new Set(receiver.events.map(({ data }) => data?.event_uuid))
  receiver.intercept = undefined
  two.processes[0].child.kill('SIGSTOP')
  const frozenMs = performance.now()
  const uuidsOf = (answer: typeof held) => answer.body.data.map(({ event_uuid }: { event_uuid: string }) => event_uuid)
  const came = () => new Set(receiver.events.map(({ data }) => data?.event_uuid))
  await receiver.when(() => came().isSupersetOf(new Set(uuidsOf(held))))
  assert.ok(performance.now() - frozenMs < TAKEN_OVER_WITHIN_MS, `${performance.now() - frozenMs} ms`)

  two.processes[0].child.kill('SIGCONT')
  const later = await Promise.all([two.origins, two.otherOrigins].map((origins) => publishUntilAccepted(origins, 50)))
  await receiver.when(() => came().isSupersetOf(new Set(later.flatMap(uuidsOf))))
  const times = Map.groupBy(receiver.events, ({ data }) => data?.event_uuid)
  const twice = [...times].filter(([, events]) => events.length > 1).map(([uuid]) => uuid)
  assert.deepEqual(
    twice.filter((uuid) => !inFlight.has(uuid)),
    [],
    'only what was in flight comes twice',
  )
  assert.ok(two.linesOf(0).some(({ level, msg }) => level === 40 && /was frozen or cut off.*dropped/.test(msg)))
})

test('when a process is frozen that holds nothing and has planned a retry, another makes it when it is due', async () => {
  await using receiver = await startReceiver([demo.secret])
  await using two = await twoAtWork()
  await subscribe(two.origins, receiver.url, '101')
  receiver.answerPosts(503, { 'retry-after': '15' })
  const answer = await publish(two.origins, messages('101', 1))
  assert.equal(answer.status, 202, answer.text)
  await receiver.when(() => receiver.posts === 1)
  await until(async () => (await rawRows(two.databaseUrl, 'select worker from worker_leases')).length === 0)
  two.processes[0].child.kill('SIGSTOP')
  const frozenMs = performance.now()
  receiver.intercept = undefined
  await receiver.received(1)
  assert.ok(performance.now() - frozenMs < TAKEN_OVER_WITHIN_MS, `${performance.now() - frozenMs} ms`)
})

test('after a kill a process is ready before it has taken over the remaining deliveries, and does so while it serves', async () => {
  await using database = await migratedDatabase('postgres')
  await using receiver = await startReceiver([demo.secret])
  const start = () => new PosternProcess({ POSTERN_DATABASE_URL: database.url }, '/tmp')
  const first = start()
  const origins = await first.ready()
  await subscribe(origins, receiver.url, '101')
  const hanging: ServerResponse[] = []
  receiver.intercept = (request, response) => request.method === 'POST' && hanging.push(response) > 0
  const left = await publish(origins, messages('101', 600))
  await receiver.when(() => hanging.length === 4)
  await first.end('SIGKILL')
  receiver.intercept = undefined

  const locker = new Client(database.url)
  await locker.connect()
  await locker.query('begin; lock table log_open in exclusive mode')
  const second = start()
  try {
    const { base_url } = await second.ready()
    const token = await demoToken({ ...origins, base_url })
    assert.equal((await call(`${base_url}/2/webhooks`, 'GET', { token })).status, 200)
    await locker.query('commit')
    await locker.end()
    const uuids = new Set(left.body.data.map(({ event_uuid }: { event_uuid: string }) => event_uuid))
    await receiver.when(() => new Set(receiver.events.map(({ data }) => data?.event_uuid)).isSupersetOf(uuids))
    const counted = await scrape(base_url)
    assert.equal(counted.value('postern_takeovers_total'), 1)
    assert.ok(counted.value('postern_deliveries_taken_over_total')! >= 4)
  } finally {
    await second.end('SIGKILL')
  }
})

const HOLDER = `select classid::int, pid from pg_locks where locktype = 'advisory' and granted and objid = 0 and objsubid = 2
  and database = (select oid from pg_database where datname = current_database())`

test('while another session has the number of a process, it accepts and registers nothing, and goes on once it has it again', async () => {
  await using database = await migratedDatabase('postgres')
  await using receiver = await startReceiver(['secret-one-of-the-tests'])
  await using stage = await setStage({ environment: { POSTERN_DATABASE_URL: database.url } })
  const { token } = await stage.connect(receiver)
  const [client, thief] = [new Client(database.url), new Client(database.url)]
  await Promise.all([client.connect(), thief.connect()])
  const [{ classid, pid }] = (await client.query(HOLDER)).rows
  const stolen = thief.query('select pg_advisory_lock($1, 0)', [classid])
  await client.query('select pg_terminate_backend($1)', [pid])
  await stolen

  const accept = () => stage.operator('POST', '/operator/events', { events: messages('101', 1) })
  const refused = await stage.until(async () => {
    const answer = await accept()
    return answer.status === 503 && answer
  })
  assert.match(refused.body.detail, /number of this process.*Nothing was changed/)
  assert.equal((await stage.api('POST', '/2/webhooks', { token, json: { url: `${receiver.url}/other` } })).status, 503)
  assert.equal((await stage.api('GET', '/healthz')).status, 503)
  assert.equal((await stage.api('GET', '/2/webhooks', { token })).status, 200)
  stage.clock.advance(RECONNECT_DELAY_MS)
  await stage.logged("another process holds this process's worker number: restart this process", 1)
  assert.equal((await accept()).status, 503)

  await Promise.all([client.end(), thief.end()])
  await stage.until(async () => {
    stage.clock.advance(RECONNECT_DELAY_MS)
    return (await accept()).status === 202
  })
  assert.equal((await stage.api('GET', '/healthz')).status, 200)
})
