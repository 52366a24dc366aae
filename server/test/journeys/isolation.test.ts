import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { answerChallenge } from '@postern/receiver'
import { formatMinute } from '../../src/endpoints/webhooks/start-replay.ts'
import { type ReceivedRequest, startCallback } from '../stage/callback-servers.ts'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { createSignal } from '../stage/signal.ts'

const IN_FLIGHT_PER_WEBHOOK = 4
const MINUTE_MS = 60_000

/** What hangs hangs for the whole test. */
const patient = { POSTERN_CALLBACK_TIMEOUT: '60s' }

const many = (length: number) => Array.from({ length }, (_, n) => ({ n }))

/** Publishes to a user's subscribers, a thousand a request. */
async function publishTo(stage: Stage, userId: string, count: number) {
  for (let left = count; left > 0; left -= 1000) {
    const events = many(Math.min(left, 1000)).map((payload) => ({ event_type: 'dm.received', user_id: userId, payload }))
    assert.equal((await stage.operator('POST', '/operator/events', { events })).status, 202)
  }
}

/** Answers 200 at once, and then a byte each second, without an end. */
function drip(response: ServerResponse) {
  response.writeHead(200)
  const dripping = setInterval(() => response.write('.'), 1000).unref()
  response.once('close', () => clearInterval(dripping))
}

/** The hourly challenge of a webhook falls on a minute of its own, perhaps on this one. */
function passChallenge(target: string, response: ServerResponse) {
  const crcToken = new URL(target, 'http://callback').searchParams.get('crc_token')
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(answerChallenge({ crcToken, secret: demoApp.consumer_secret })))
}

/** A callback for many webhooks, one a path: counts what comes to each, and how much at once. */
async function startCallbacks(answer: (place: number, response: ServerResponse) => void) {
  const counts = new Map<number, { came: number; open: number; mostOpen: number }>()
  const signal = createSignal()
  const of = (place: number) => counts.get(place) ?? counts.set(place, { came: 0, open: 0, mostOpen: 0 }).get(place)!
  const callback = await startCallback(({ method, target }: ReceivedRequest, response) => {
    if (method === 'GET') return passChallenge(target, response)
    const place = Number(target.split('/').at(-1))
    const count = of(place)
    count.came += 1
    count.open += 1
    count.mostOpen = Math.max(count.mostOpen, count.open)
    response.once('close', () => {
      count.open -= 1
      signal.changed()
    })
    signal.changed()
    answer(place, response)
  })
  return {
    of,
    until: signal.until,
    url: (place: number) => `${callback.origin}/webhook/${place}`,
    [Symbol.asyncDispose]: () => callback[Symbol.asyncDispose](),
  }
}

const WEBHOOKS = 100
const FLOODED = 0
const HANGING = 12
const FAILING = 24
const DRIPPING = 24
const EVENTS = 20

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: every healthy webhook receives every event while others hang, fail, drip or have thousands waiting`, async () => {
    await using callbacks = await startCallbacks((place, response) => {
      if (place < HANGING) return
      if (place < FAILING) response.writeHead(500).end()
      else if (place === DRIPPING) drip(response)
      else response.writeHead(200).end()
    })
    const places = [...Array(WEBHOOKS).keys()]
    const { consumer_key } = demoApp
    const subscribed = (place: number, user_id: string) => ({
      consumer_key,
      event_type: 'dm.received' as const,
      filter: { user_id },
      webhook_id: `${1000 + place}`,
    })
    const seed = {
      apps: [{ ...demoApp, webhook_limit: WEBHOOKS }],
      webhooks: places.map((place) => ({ id: `${1000 + place}`, consumer_key, url: callbacks.url(place) })),
      subscriptions: [...places.map((place) => subscribed(place, '101')), subscribed(FLOODED, '102')],
    }
    await using stage = await setStage({ flavour, seed, environment: { ...patient, POSTERN_RETRY_PLAN: '1h' } })
    await publishTo(stage, '102', 2000)
    await publishTo(stage, '101', EVENTS)
    const healthy = places.slice(DRIPPING + 1)
    await callbacks.until(() => healthy.every((place) => callbacks.of(place).came === EVENTS))
    const stuck = [...places.slice(0, HANGING), DRIPPING]
    await callbacks.until(() => stuck.every((place) => callbacks.of(place).came >= IN_FLIGHT_PER_WEBHOOK))
    for (const place of stuck) assert.deepEqual(callbacks.of(place), { came: 4, open: 4, mostOpen: 4 }, `webhook ${place}`)
    for (const place of places) assert.ok(callbacks.of(place).mostOpen <= IN_FLIGHT_PER_WEBHOOK, `webhook ${place}`)
    await callbacks[Symbol.asyncDispose]()
  })

  test(`${flavour}: a retry reaches its webhook although another one hangs with hundreds of earlier retries`, async () => {
    await using stage = await setStage({ flavour, environment: { ...patient, POSTERN_RETRY_PLAN: '1s' } })
    await using hanging = await startReceiver([demoApp.consumer_secret])
    await using healthy = await startReceiver([demoApp.consumer_secret])
    const { token, webhookId } = await stage.connect(hanging)
    const healthyId = await stage.register(healthy.url, token)
    await stage.subscribe(healthyId, token, { filter: { user_id: '102' } })
    for (const receiver of [hanging, healthy]) receiver.answerPosts(503, { 'retry-after': receiver === healthy ? '90' : '60' })
    await publishTo(stage, '101', 600)
    await publishTo(stage, '102', 1)
    const retrying = (webhook: string, count: number) =>
      stage.deliveriesWhen(`webhook_id=${webhook}&state=retrying&max_results=1000`, (found) => found.length === count)
    await Promise.all([retrying(webhookId, 600), retrying(healthyId, 1)])
    hanging.intercept = (request) => request.method === 'POST'
    healthy.intercept = undefined
    stage.clock.advance(MINUTE_MS)
    await hanging.when(() => hanging.posts === 600 + IN_FLIGHT_PER_WEBHOOK)
    stage.clock.advance(MINUTE_MS / 2)
    await healthy.received(1)
    assert.equal(hanging.posts, 600 + IN_FLIGHT_PER_WEBHOOK)
    await hanging[Symbol.asyncDispose]()
  })
}

test('a replay of thousands of events takes turns with the live events of its webhook, and delays no other', async () => {
  await using stage = await setStage({ environment: patient })
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await using healthy = await startReceiver([demoApp.consumer_secret])
  const { token, webhookId } = await stage.connect(receiver)
  await publishTo(stage, '101', 2000)
  await receiver.received(2000)
  await stage.subscribe(await stage.register(healthy.url, token), token)

  receiver.hold('POST')
  const from_date = formatMinute(stage.clock.now() - 2 * MINUTE_MS)
  const to_date = formatMinute(stage.clock.now() + MINUTE_MS)
  const replay = await stage.api('POST', '/2/webhooks/replay', { token, json: { webhook_id: webhookId, from_date, to_date } })
  assert.equal(replay.status, 200, replay.text)
  await receiver.holding(IN_FLIGHT_PER_WEBHOOK)
  const live = await stage.publish(...many(5))
  await healthy.received(5)
  let most = receiver.held.length
  const passed = IN_FLIGHT_PER_WEBHOOK + 2 * live.length
  for (let place = 0; place < passed; place += 1) {
    receiver.held[place]!.pass()
    await receiver.holding(IN_FLIGHT_PER_WEBHOOK + place + 1)
    most = Math.max(most, receiver.held.length - place - 1)
  }
  const events = await receiver.received(2005)
  receiver.letGo()
  assert.deepEqual(
    events
      .slice(2000)
      .map(({ data }) => data?.event_uuid)
      .sort(),
    [...live].sort(),
  )
  assert.equal(most, IN_FLIGHT_PER_WEBHOOK)
  const job = await stage.until(async () => {
    const found = (await stage.operator('GET', `/operator/replays/${replay.body.job_id}`)).body.data
    return found.reported && found
  })
  assert.equal(job.state, 'complete')
  assert.ok(job.delivered >= 2000)
})
