import assert from 'node:assert/strict'
import { chmod } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { pino } from 'pino'
import { createReadiness } from '../../src/api/http/health-pages.ts'
import { createClock } from '../../src/lib/clock.ts'
import { DatabaseAway, Unavailable } from '../../src/storage/unavailable.ts'
import { call } from '../stage/call.ts'
import { databaseIn } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { messages } from '../stage/demo-client.ts'
import { demoApp, OPERATOR_TOKEN, type Stage, setStage } from '../stage/postern.ts'
import { answerWith, startReceiver } from '../stage/receiver.ts'
import { roomOfSqlite } from '../stage/room.ts'
import { canMount, mountSmallDisk } from '../stage/small-disk.ts'
import { rawRows } from '../storage/samples.ts'

const operatorApart = { POSTERN_OPERATOR_PORT: '0' }

const ask = async (origin: string, path: string) => {
  const { status, body } = await call(origin + path, 'GET')
  return { status, body }
}

const readyz = (stage: Stage) => ask(stage.origins.operator_url, '/readyz')
const notReady = (...failed: string[]) => ({ status: 503, body: { ready: false, failed } })
const ready = { status: 200, body: { ready: true } }

for (const flavour of databasesOf(import.meta))
  test(`${flavour}: every host, including the operator port, reports that it is live and ready`, async () => {
    await using stage = await setStage({ flavour, environment: operatorApart })
    const { base_url, ads_base_url, ads_sandbox_base_url, operator_url } = stage.origins
    for (const origin of [base_url, ads_base_url, ads_sandbox_base_url, operator_url]) {
      assert.deepEqual(await ask(origin, '/livez'), { status: 200, body: { alive: true } })
      assert.deepEqual(await ask(origin, '/readyz'), ready)
      assert.deepEqual(await ask(origin, '/healthz'), ready)
      assert.equal((await call(`${origin}/readyz`, 'POST')).status, 405)
    }
  })

for (const environment of [operatorApart, {} as Record<string, string>])
  test(`while it stops, ${'POSTERN_OPERATOR_PORT' in environment ? 'the operator port' : 'without one the general port'} reports live, not ready and why, and accepts no events`, async () => {
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await using stage = await setStage({ environment })
    await stage.connect(receiver)
    let held: ServerResponse | undefined
    receiver.intercept = (request, response) => {
      if (request.method === 'POST') held = response
      return request.method === 'POST'
    }
    await stage.publish({})
    await receiver.when(() => held !== undefined)
    const { operator_url } = stage.origins
    const stopping = stage.stop()
    assert.deepEqual(await ask(operator_url, '/readyz'), notReady('stopping'))
    assert.deepEqual(await ask(operator_url, '/healthz'), { status: 503, body: { ready: false } })
    assert.deepEqual(await ask(operator_url, '/livez'), { status: 200, body: { alive: true } })
    const refused = await call(`${operator_url}/operator/events`, 'POST', { token: OPERATOR_TOKEN, json: { events: messages('101', 1) } })
    assert.equal(refused.status, 503)
    answerWith(held!, 200)
    await stopping
    await assert.rejects(ask(operator_url, '/livez'))
    receiver.intercept = undefined
    await stage.start()
  })

/** Longer than what a check said is good for. */
const SECOND_MS = 1000

const impatient = { isPatient: () => false, logger: pino({ level: 'silent' }) }

test('before it is ready it reports that it is starting', async () => {
  const readiness = createReadiness({ ...impatient, phase: () => 'starting', checks: {}, clock: createClock() })
  assert.deepEqual(await readiness(), { failed: ['starting'], awaited: [] })
})

test('concurrent and immediate readiness checks share one, and the operator log has each change once', async () => {
  let begun = 0
  let checked = Promise.withResolvers<void>()
  const lines: string[] = []
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line).msg) })
  const check = () => {
    begun += 1
    return checked.promise
  }
  let nowMs = 0
  const clock = { elapsed: () => nowMs }
  const readiness = createReadiness({ ...impatient, phase: () => undefined, checks: { event_log: check }, clock, logger })
  const askAll = () => Promise.all(Array.from({ length: 100 }, readiness))
  const first = askAll()
  checked.reject(new Error('full'))
  for (const { failed } of await first) assert.deepEqual(failed, ['event_log'])
  await askAll()
  assert.equal(begun, 1)
  nowMs += 250
  await askAll()
  nowMs += 250
  checked = Promise.withResolvers()
  checked.resolve()
  for (const { failed } of await askAll()) assert.deepEqual(failed, [])
  assert.equal(begun, 3)
  assert.deepEqual(lines, ['readiness check failed', 'a check failed', 'readiness check passes again'])
})

test('while calls wait for a database that is away it is ready, and says what they wait for', async () => {
  let isPatient = true
  let error: Error = new DatabaseAway('restarts')
  const checks = { state: () => Promise.reject(error), event_log: async () => {} }
  let nowMs = 0
  const clock = { elapsed: () => (nowMs += SECOND_MS) }
  const readiness = createReadiness({ ...impatient, isPatient: () => isPatient, phase: () => undefined, checks, clock })
  assert.deepEqual(await readiness(), { failed: [], awaited: ['state'] })
  isPatient = false
  assert.deepEqual(await readiness(), { failed: ['state'], awaited: [] })
  isPatient = true
  error = new Unavailable('full')
  assert.deepEqual(await readiness(), { failed: ['state'], awaited: [] }, 'no call waits for that')
})

test('sqlite: a log that could not commit for lack of space is not ready, and recovers by itself once there is space', {
  skip: !(await canMount()),
}, async () => {
  await using disk = (await mountSmallDisk(16))!
  await chmod(disk.folder, 0o777)
  await using database = await databaseIn('sqlite', disk.folder)
  await using stage = await setStage({ environment: { POSTERN_DATABASE_URL: database.url, POSTERN_RATE_LIMITS: 'off' } })
  await disk.take()
  const large = messages('999', 1).map((event) => ({ ...event, payload: { text: 'x'.repeat(100_000) } }))
  const publish = (events: object[]) => stage.operator('POST', '/operator/events', { events })
  while ((await publish(large)).status === 202);
  // Not even what the file has room for already is written over.
  await using room = roomOfSqlite()
  await room.take()
  stage.clock.advance(SECOND_MS)
  assert.deepEqual(await readyz(stage), notReady('event_log'))
  assert.deepEqual((await ask(stage.origins.base_url, '/livez')).status, 200)
  await room.give()
  await disk.give()
  stage.clock.advance(SECOND_MS)
  assert.deepEqual(await readyz(stage), ready)
  assert.equal((await publish(messages('999', 1))).status, 202)
})

test('sqlite: readiness checks do not write to a healthy log', async () => {
  await using stage = await setStage()
  await stage.publish({})
  const frames = async () => (await rawRows(`${stage.databaseUrl}.events`, 'pragma data_version'))[0]
  const before = await frames()
  for (let n = 0; n < 20; n += 1) {
    stage.clock.advance(SECOND_MS)
    assert.deepEqual(await readyz(stage), ready)
  }
  assert.deepEqual(await frames(), before)
})

test('postgres: a log whose tables cannot be read is not ready, and is once they are back', async () => {
  await using stage = await setStage({ flavour: 'postgres' })
  await rawRows(stage.databaseUrl, 'alter table log_attempt rename to log_attempt_away')
  assert.deepEqual(await readyz(stage), notReady('event_log'))
  await rawRows(stage.databaseUrl, 'alter table log_attempt_away rename to log_attempt')
  stage.clock.advance(SECOND_MS)
  assert.deepEqual(await readyz(stage), ready)
})
