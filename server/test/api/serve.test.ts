// What api/routes.ts and api/serve.ts do for every endpoint of a path, with endpoints of this test alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { generalAreaOf } from '../../src/api/areas.ts'
import { noAuth } from '../../src/api/declare/auth.ts'
import { dialects } from '../../src/api/declare/dialect.ts'
import { type Endpoint, endpoint } from '../../src/api/declare/endpoint.ts'
import { Problem } from '../../src/api/declare/problem.ts'
import { object, optional, text } from '../../src/api/declare/words.ts'
import { fallbacksOf } from '../../src/api/http/fallbacks.ts'
import { createHost } from '../../src/api/http/http.ts'
import { routesOf } from '../../src/api/routes.ts'
import { DeletedMeanwhile } from '../../src/storage/unavailable.ts'
import { call } from '../stage/call.ts'
import { listed } from '../stage/listed.ts'

const KB = 1024
const shared = {
  section: '',
  summary: '',
  auth: noAuth,
  params: { said: optional(text()) },
  answer: object({ ok: text() }),
  handle: async () => ({ ok: 'yes' }),
}

async function open(dialect: 'spec' | 'x', ...declared: unknown[]) {
  // biome-ignore lint/suspicious/noExplicitAny: log lines have members of every kind
  const lines: any[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const problemOptions = { problemBaseUrl: 'https://api.example.com/2/problems' }
  const endpoints = (declared as Endpoint<object>[]).map(listed)
  const routes = routesOf({ endpoints, services: {}, dialect: dialects[dialect], problemOptions, countCall: async () => ({}), log })
  const host = createHost(routes, fallbacksOf(problemOptions, generalAreaOf), log)
  const origin = `http://127.0.0.1:${await host.listen(0, '127.0.0.1')}`
  return { lines, origin, [Symbol.asyncDispose]: () => host.close() }
}

test('a body has at most as many bytes as its endpoint takes, whatever another method of the path takes', async () => {
  const small = endpoint({ ...shared, name: 'putThing', route: 'PUT /2/things', bodyLimitBytes: 2 * KB })
  const large = endpoint({ ...shared, name: 'createThing', route: 'POST /2/things', bodyLimitBytes: 300 * KB })
  await using host = await open('spec', small, large)
  const send = async (method: string, bytes: number) => {
    const headers = { 'content-type': 'application/json' }
    const { status, body } = await call(`${host.origin}/2/things`, method, { headers, body: '{}'.padEnd(bytes) })
    return [status, body.detail]
  }
  assert.deepEqual(await send('PUT', 2 * KB), [200, undefined])
  assert.deepEqual(await send('PUT', 2 * KB + 1), [413, 'The request body is larger than 2048 bytes.'])
  assert.deepEqual(await send('POST', 300 * KB), [200, undefined])
  assert.equal((await send('POST', 300 * KB + 1))[0], 413)
})

test('in the dialect x alone an answer is wrapped in data where its endpoint says so', async () => {
  const wrapped = endpoint({ ...shared, name: 'readThing', route: 'GET /2/things', params: {}, wrappedInX: true })
  const plain = endpoint({ ...shared, name: 'readOther', route: 'GET /2/others', params: {} })
  for (const [dialect, expected] of [
    ['spec', { ok: 'yes' }],
    ['x', { data: { ok: 'yes' } }],
  ] as const) {
    await using host = await open(dialect, wrapped, plain)
    assert.deepEqual((await call(`${host.origin}/2/things`, 'GET')).body, expected)
    assert.deepEqual((await call(`${host.origin}/2/others`, 'GET')).body, { ok: 'yes' })
  }
})

test('an endpoint that ignores an error in its parameters is a bug: 500, and logged', async () => {
  const params = { said: text({ max: 3 }) }
  const deferredRules = [{ message: 'said is said once' }]
  const ignoring = endpoint({ ...shared, name: 'createThing', route: 'POST /2/things', params, deferredRules })
  await using host = await open('spec', ignoring)
  const said = (value: string) => call(`${host.origin}/2/things`, 'POST', { json: { said: value } })
  assert.equal((await said('yes')).status, 200)
  assert.equal((await said('four')).status, 500)
  assert.deepEqual(
    host.lines.map(({ msg, err }) => [msg, err.message]),
    [['unhandled error in an endpoint', 'an endpoint ignored errors in its parameters']],
  )
})

test('what refers to something that is deleted meanwhile is handled once more, and then meets the deletion', async () => {
  const gone = new DeletedMeanwhile('It was deleted meanwhile.')
  const create = endpoint({
    ...shared,
    name: 'createThing',
    route: 'POST /2/things',
    async handle({ params: { said } }) {
      handled += 1
      if (handled === 1 || said === 'always') throw gone
      throw new Problem('not-found')
    },
  })
  await using host = await open('spec', create)
  let handled = 0
  assert.equal((await call(`${host.origin}/2/things`, 'POST', { json: { said: 'once' } })).status, 404)
  assert.equal(handled, 2)
  assert.equal((await call(`${host.origin}/2/things`, 'POST', { json: { said: 'always' } })).status, 503)
  assert.equal(handled, 4)
})
