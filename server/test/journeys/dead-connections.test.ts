import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../stage/call.ts'
import { migratedDatabase } from '../stage/database.ts'
import { messages } from '../stage/demo-client.ts'
import { until } from '../stage/pause.ts'
import { type Stage, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { startSilentProxy } from '../stage/silent-proxy.ts'

/** Every process serves again within this. */
const LONGEST_MS = 30_000

/** Many calls at once, of every kind: each connection of every pool is used. */
const everything = (stage: Stage, token: string) =>
  Promise.all(
    Array.from({ length: 12 }, (_, n) => [
      stage.api('GET', '/2/webhooks', { token }),
      stage.operator('POST', '/operator/events', { events: messages('101', 1) }),
      stage.operator('PATCH', '/operator/apps/1', { webhook_limit: 5 + n }),
      stage.operator('GET', '/operator/deliveries?max_results=1'),
    ]).flat(),
  )

test('when all connections to PostgreSQL die silently, each is replaced, and everything is served and delivered again', async () => {
  await using database = await migratedDatabase('postgres')
  const url = new URL(database.url)
  await using proxy = await startSilentProxy(Number(url.port))
  url.port = String(proxy.port)
  await using receiver = await startReceiver(['secret-one-of-the-tests'])
  await using stage = await setStage({ environment: { POSTERN_DATABASE_URL: url.href } })
  const { token } = await stage.connect(receiver)
  for (const { status, text } of await everything(stage, token)) assert.ok(status === 200 || status === 202, text)
  await receiver.received(12)
  assert.ok(proxy.open() >= 10, `${proxy.open()} connections`)

  const before = performance.now()
  proxy.silence()
  let answers: Answer[] = []
  await until(async () => {
    answers = await everything(stage, token)
    return answers.every(({ status }) => status !== 503) || performance.now() - before > LONGEST_MS
  })
  assert.deepEqual(
    answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 202),
    [],
  )
  const [uuid] = await stage.publish({ text: 'after' })
  await receiver.when(() => receiver.events.some(({ data }) => data?.event_uuid === uuid))
})

test('a session that dies silently is detected by other traffic, and its worker number is held again', async () => {
  await using database = await migratedDatabase('postgres')
  const url = new URL(database.url)
  await using proxy = await startSilentProxy(Number(url.port))
  url.port = String(proxy.port)
  await using stage = await setStage({ environment: { POSTERN_DATABASE_URL: url.href } })
  const token = await stage.token()
  proxy.silence()
  const before = performance.now()
  /** The time has passed after which the server was not heard of. */
  stage.clock.advance(20_000)
  const call = () => stage.operator('POST', '/operator/events', { events: messages('101', 1) })
  let answer = await call()
  await until(async () => {
    if (answer.status !== 503 || performance.now() - before > LONGEST_MS) return true
    stage.clock.advance(1000)
    answer = await call()
    return false
  })
  assert.equal(answer.status, 202, answer.text)
  assert.equal((await stage.api('GET', '/healthz')).status, 200)
  assert.equal((await stage.api('GET', '/2/webhooks', { token })).status, 200)
})
