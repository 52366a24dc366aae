import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { pino } from 'pino'
import { generalAreaOf } from '../../src/api/areas.ts'
import { noAuth } from '../../src/api/declare/auth.ts'
import { dialects } from '../../src/api/declare/dialect.ts'
import { endpoint } from '../../src/api/declare/endpoint.ts'
import { listOf, object, text } from '../../src/api/declare/words.ts'
import { fallbacksOf } from '../../src/api/http/fallbacks.ts'
import { createHost } from '../../src/api/http/http.ts'
import { createBodyBudget, createLargeBodies } from '../../src/api/http/large-bodies.ts'
import { routesOf } from '../../src/api/routes.ts'
import { createClock } from '../../src/lib/clock.ts'
import { createFairTurns } from '../../src/lib/fair-turns.ts'
import { openWith, untilClosed } from '../stage/hostile/bare-host.ts'
import { listed } from '../stage/listed.ts'
import { OPERATOR_TOKEN, setStage } from '../stage/postern.ts'

const LARGE_BYTES = 60_000_000

const head = (token: string | undefined, length: string) =>
  `POST /operator/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${token ? `Authorization: Bearer ${token}\r\n` : ''}${length}\r\n\r\n`

const lengths = { 'a large': `Content-Length: ${LARGE_BYTES}`, 'an endless': 'Transfer-Encoding: chunked' }

for (const [name, length] of Object.entries(lengths))
  test(`${name} body without credentials is rejected before any of it is read`, async () => {
    await using stage = await setStage()
    for (const token of [undefined, 'a wrong token']) {
      const [answer, ...more] = await untilClosed(openWith(stage.origins.operator_url, head(token, length)))
      assert.deepEqual([answer?.status, answer?.headers.connection, more.length], [401, 'close', 0])
      assert.equal(answer!.headers['content-type'], 'application/problem+json')
    }
  })

test('a large body of the operator is accepted, and a small one without credentials is rejected as usual', async () => {
  await using stage = await setStage()
  const events = Array.from({ length: 300 }, () => ({ event_type: 'dm.received', user_id: '101', payload: { text: 'x'.repeat(1000) } }))
  const taken = await stage.api('POST', '/operator/events', { token: OPERATOR_TOKEN, json: { events } })
  assert.equal(taken.status, 202, taken.text)
  const refused = await stage.api('POST', '/operator/events', { token: 'a wrong token', json: { events: events.slice(0, 1) } })
  assert.deepEqual([refused.status, refused.headers.get('connection')], [401, 'keep-alive'])
})

const uploadOf = (bytes: number) => {
  const [event] = [{ event_type: 'dm.received', user_id: '101', payload: { text: 'x'.repeat(200_000) } }]
  return { events: Array.from({ length: Math.ceil(bytes / 200_000) }, () => event) }
}

test('of large concurrent publishes each is accepted or told to retry, and the health check answers meanwhile', async () => {
  await using stage = await setStage()
  let isOver = false
  const health: number[] = []
  const watch = async () => {
    while (!isOver) health.push((await stage.api('GET', '/healthz')).status)
  }
  const watching = watch()
  // There is room for two.
  const publishing = Array.from({ length: 3 }, () =>
    stage.api('POST', '/operator/events', { token: OPERATOR_TOKEN, json: uploadOf(23_000_000) }),
  )
  const answers = await Promise.all(publishing)
  isOver = true
  await watching
  assert.equal(answers[0]!.status, 202, answers[0]!.text)
  for (const { status, headers } of answers) assert.ok(status === 202 || (status === 503 && headers.get('retry-after')), `${status}`)
  assert.deepEqual(new Set(health), new Set([200]))
})

test('aborted uploads, admitted or waiting, release their room', async () => {
  await using stage = await setStage()
  const open = () => openWith(stage.origins.operator_url, `${head(OPERATOR_TOKEN, `Content-Length: ${LARGE_BYTES}`)}{"events":[`)
  const sockets = Array.from({ length: 8 }, open)
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  assert.equal((await stage.api('GET', '/healthz')).status, 200)
  const publishing = stage.api('POST', '/operator/events', { token: OPERATOR_TOKEN, json: uploadOf(2_000_000) })
  for (const socket of sockets) socket.destroy()
  const answer = await publishing
  assert.equal(answer.status, 202, answer.text)
})

test('a large body without room is rejected with a problem that says when to retry', async () => {
  const budget = createBodyBudget(createClock(), { bytes: 1_000_000, mostWaiting: 0, longestWaitMs: 1000 })
  const fallbacks = fallbacksOf({ problemBaseUrl: 'https://api.example.com/2/problems' }, generalAreaOf)
  const entered = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const respond = async () => {
    entered.resolve()
    await end.promise
    throw new Error('a bug in what handles it')
  }
  const route = { path: '/2/upload', methods: ['POST'], bodyLimitBytes: 4_000_000, refuseEarly: async () => undefined, respond }
  const host = createHost([route], fallbacks, pino({ level: 'silent' }), { largeBodies: createLargeBodies(budget) })
  const port = await host.listen(0, '127.0.0.1')
  const upload = () => fetch(`http://127.0.0.1:${port}/2/upload`, { method: 'POST', body: Buffer.alloc(2_000_000, ' ') })
  const first = upload()
  await entered.promise
  const second = await upload()
  assert.deepEqual([second.status, second.headers.get('retry-after')], [503, '1'])
  assert.match(((await second.json()) as { detail: string }).detail, /Too many large requests/)
  end.resolve()
  assert.equal((await first).status, 500)
  assert.equal(budget.taken(), 0)
  await host.close()
})

test('other requests are answered while a large list is read, before its endpoint has it', async () => {
  const served: string[] = []
  const entered = Promise.withResolvers<void>()
  const answer = object({})
  // Two callers: one caller's own requests wait for what it has begun.
  const calledBy = (rateKey: string) => ({ section: '', summary: '', auth: { ...noAuth, authenticate: async () => ({ rateKey }) }, answer })
  const upload = endpoint({
    ...calledBy('uploader'),
    name: 'upload',
    route: 'POST /2/upload',
    bodyLimitBytes: LARGE_BYTES,
    slicedList: 'items',
    params: { items: listOf(object({ text: text() })) },
    async handle({ params: { items } }) {
      served.push(`upload of ${items.length}`)
      entered.resolve()
      return {}
    },
  })
  const health = endpoint({
    ...calledBy('prober'),
    name: 'health',
    route: 'GET /2/health',
    params: {},
    async handle() {
      served.push('health')
      return {}
    },
  })
  const log = pino({ level: 'silent' })
  const problemOptions = { problemBaseUrl: 'https://api.example.com/2/problems' }
  const routes = routesOf({
    endpoints: [listed(upload), listed(health)],
    services: {},
    dialect: dialects.spec,
    problemOptions,
    countCall: async () => ({}),
    turns: createFairTurns({ monotonic: () => performance.now(), refusal: () => new Error('busy') }),
    log,
  })
  const host = createHost(routes, fallbacksOf(problemOptions, generalAreaOf), log)
  await using _ = { [Symbol.asyncDispose]: () => host.close() }
  const origin = `http://127.0.0.1:${await host.listen(0, '127.0.0.1')}`
  // Its connection is kept, so that the next call takes few turns of the event loop.
  assert.equal((await fetch(`${origin}/2/health`)).status, 200)
  served.length = 0
  const body = JSON.stringify({ items: Array.from({ length: 20_000 }, () => ({ text: 'x'.repeat(1000) })) })
  const lines = ['POST /2/upload HTTP/1.1', 'Host: a', 'Content-Type: application/json', `Content-Length: ${body.length}`]
  const socket = openWith(origin, `${lines.join('\r\n')}\r\n\r\n${body.slice(0, -1)}`)
  socket.resume()
  while (socket.writableLength > 0) await once(socket, 'drain')
  socket.write(body.slice(-1))
  assert.equal((await fetch(`${origin}/2/health`)).status, 200)
  await entered.promise
  socket.destroy()
  assert.deepEqual(served, ['health', 'upload of 20000'])
})
