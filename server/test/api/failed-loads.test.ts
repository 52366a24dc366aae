import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { generalAreaOf } from '../../src/api/areas.ts'
import { noAuth } from '../../src/api/declare/auth.ts'
import { dialects } from '../../src/api/declare/dialect.ts'
import { endpoint } from '../../src/api/declare/endpoint.ts'
import { object, optional, text } from '../../src/api/declare/words.ts'
import { fallbacksOf } from '../../src/api/http/fallbacks.ts'
import { createHost } from '../../src/api/http/http.ts'
import { routesOf } from '../../src/api/routes.ts'
import { call } from '../stage/call.ts'
import { listed } from '../stage/listed.ts'

const shared = { section: '', summary: '', auth: noAuth, answer: object({ ok: text() }), handle: async () => ({ ok: 'yes' }) }

const readThing = endpoint({ ...shared, name: 'readThing', route: 'GET /2/things', params: {} })
const createThing = endpoint({
  ...shared,
  name: 'createThing',
  route: 'POST /2/large-things',
  params: { said: optional(text()) },
  bodyLimitBytes: 1024 * 1024,
})

/** A host whose endpoints fail to load once each. */
async function open() {
  // biome-ignore lint/suspicious/noExplicitAny: log lines have members of every kind
  const lines: any[] = []
  let loads = 0
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const problemOptions = { problemBaseUrl: 'https://api.example.com/2/problems' }
  const endpoints = [readThing, createThing].map((declared) => {
    let hasFailed = false
    const load = async () => {
      loads += 1
      if (hasFailed) return declared
      hasFailed = true
      throw new Error('no such file: /secret/place')
    }
    return { ...listed(declared), load }
  })
  const routes = routesOf({ endpoints, services: {}, dialect: dialects.spec, problemOptions, countCall: async () => ({}), log })
  const host = createHost(routes, fallbacksOf(problemOptions, generalAreaOf), log)
  const origin = `http://127.0.0.1:${await host.listen(0, '127.0.0.1')}`
  return {
    lines,
    loads: () => loads,
    call: (method: string, path: string, json?: unknown) => call(origin + path, method, { json }),
    [Symbol.asyncDispose]: () => host.close(),
  }
}

type Opened = Awaited<ReturnType<typeof open>>

/** The first call is answered 500 without details, which are logged; the second is answered. */
async function assertTriesAgain({ lines, loads, ...host }: Opened, name: string, method: string, path: string, json?: unknown) {
  const failed = await host.call(method, path, json)
  assert.equal(failed.status, 500)
  assert.doesNotMatch(failed.text, /secret/)
  assert.deepEqual(
    lines.map(({ msg, endpoint: of, err }) => [msg, of, err.message]),
    [['unhandled error in an endpoint', name, 'no such file: /secret/place']],
  )
  assert.equal((await host.call(method, path, json)).status, 200)
  await host.call(method, path, json)
  assert.deepEqual([loads(), lines.length], [2, 1])
}

for (const method of ['GET', 'HEAD'])
  test(`${method}: an endpoint that failed to load is loaded again with the next request, and then kept`, async () => {
    await using host = await open()
    await assertTriesAgain(host, 'readThing', method, '/2/things')
  })

test('the same where the caller is asked for before a large body is read', async () => {
  await using host = await open()
  await assertTriesAgain(host, 'createThing', 'POST', '/2/large-things', { said: 'x'.repeat(100_000) })
})

test('another method is 405, and loads nothing', async () => {
  await using host = await open()
  for (const [method, path, allow] of [
    ['POST', '/2/things', 'GET, HEAD'],
    ['GET', '/2/large-things', 'POST'],
  ] as const) {
    const answer = await host.call(method, path)
    assert.deepEqual([answer.status, answer.headers.get('allow')], [405, allow])
  }
  assert.equal(host.loads(), 0)
})
