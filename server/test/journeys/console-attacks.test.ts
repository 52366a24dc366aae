// What a page of a stranger, a thief of a cookie, or an operator who may only read can try at the console and the operator API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorEndpoints } from '../../scripts/all-endpoints.ts'
import { call } from '../stage/call.ts'
import { asConsole, FROM_CONSOLE, operatorApi, portalToken, requestFor, signInToConsole, signInToPortal } from '../stage/console-calls.ts'
import { demoApp, SECRET, type Stage, setStage } from '../stage/postern.ts'

const READ = 'token-that-only-reads-0123456789abcdef'
const readers = { POSTERN_OPERATOR_TOKENS: `grafana:read:${READ}` }

/** How a page that is not of this server calls, at most: no script of another origin can set the browser's own headers otherwise. */
const forgeries: Record<string, Record<string, string>> = {
  'a form': { 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example' },
  'a form of a sandboxed frame': { 'sec-fetch-site': 'cross-site', origin: 'null' },
  'a page of the same server without the header': { 'sec-fetch-site': 'same-origin' },
  'another origin, with the header': { 'x-postern-console': '1', 'sec-fetch-site': 'cross-site' },
  'another port of this host, with the header': { 'x-postern-console': '1', 'sec-fetch-site': 'same-site' },
  'an address that was typed, with the header': { 'x-postern-console': '1', 'sec-fetch-site': 'none' },
  'an old browser at another origin, with the header': { 'x-postern-console': '1', origin: 'https://elsewhere.example' },
  'an old browser without an origin, with the header': { 'x-postern-console': '1', origin: 'null' },
}

/** In development foreign pages are refused before anybody asks whose cookie it is; in production the cookie alone must hold. */
const profiles = [
  { profile: 'development', environment: readers, endpoints: operatorApi },
  {
    profile: 'production',
    environment: { ...readers, POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '0' },
    endpoints: operatorEndpoints as unknown as typeof operatorApi,
  },
]

const isAct = ({ method }: { method: string }) => method !== 'GET'

/** Everything that operators see of the state. */
async function stateOf(stage: Stage): Promise<string> {
  const lists = ['apps', 'webhooks', 'deliveries', 'replays', 'users', 'streams', 'faults', 'disorders', 'inboxes', 'snapshots', 'requests']
  const answers = await Promise.all(lists.map((list) => stage.operator('GET', `/operator/${list}`)))
  return answers.map(({ text }) => text).join('\n')
}

/** Calls of ids that exist, so that a call that came through would do something. */
const example = (endpoint: (typeof operatorApi)[number]) => ({
  ...endpoint.example,
  ...('app_id' in endpoint.params && { app_id: demoApp.id }),
})

for (const { profile, environment, endpoints } of profiles) {
  test(`no act is done with the cookie of the console for another page, of an operator or of a portal, in ${profile}`, async () => {
    await using stage = await setStage({ environment })
    const cookies = [await signInToConsole(stage), await signInToPortal(stage, demoApp.id)]
    const before = await stateOf(stage)
    for (const endpoint of endpoints.filter(isAct))
      for (const [how, headers] of Object.entries(forgeries))
        for (const cookie of cookies) {
          const { method, path, json } = requestFor(endpoint, example(endpoint))
          const answer = await call(stage.origins.operator_url + path, method, { json, headers: { cookie, ...headers } })
          // It takes a token in a header, which no other page has.
          const isWithoutToken = endpoint.name === 'createSession' && answer.status === 401
          assert.ok(answer.status === 403 || isWithoutToken, `${endpoint.name} by ${how}: ${answer.status} ${answer.text}`)
          assert.equal(answer.headers.get('set-cookie'), null)
          assert.equal(answer.headers.get('access-control-allow-origin'), null)
        }
    assert.equal(await stateOf(stage), before)
  })

  test(`no page of another origin reads with the cookie of the console, the feed included, in ${profile}`, async () => {
    await using stage = await setStage({ environment })
    const cookie = await signInToConsole(stage)
    for (const endpoint of endpoints.filter((one) => !isAct(one))) {
      // It says whether a browser is signed in, to whoever may read its answer: no other origin.
      if (endpoint.name === 'getSession') continue
      for (const [how, headers] of Object.entries(forgeries)) {
        const { path } = requestFor(endpoint, { ...endpoint.example })
        const answer = await call(stage.origins.operator_url + path, 'GET', { headers: { cookie, ...headers } })
        assert.equal(answer.status, 403, `${endpoint.name} by ${how}: ${answer.text}`)
        assert.equal(answer.headers.get('access-control-allow-origin'), null)
      }
    }
  })

  test(`an operator who may only read does no act, by the token and by the cookie, in ${profile}`, async () => {
    await using stage = await setStage({ environment })
    const cookie = await signInToConsole(stage, READ)
    const before = await stateOf(stage)
    const anybodys = ['createSession', 'deleteSession', 'createLocalSession', 'createPortalSession']
    for (const endpoint of endpoints.filter(isAct)) {
      if (anybodys.includes(endpoint.name)) continue
      const { method, path, json } = requestFor(endpoint, example(endpoint))
      const byCookie = { cookie, ...FROM_CONSOLE }
      for (const headers of [byCookie, { authorization: `Bearer ${READ}` }] as Record<string, string>[]) {
        const answer = await call(stage.origins.operator_url + path, method, { json, headers })
        assert.equal(answer.status, 403, `${endpoint.name}: ${answer.text}`)
        assert.match(answer.body.detail, /role read/)
      }
    }
    assert.equal(await stateOf(stage), before)
  })
}

test('no other origin is told that it may call the operator API', async () => {
  await using stage = await setStage()
  for (const { path, method } of operatorApi) {
    const asked = await call(stage.origins.operator_url + path.replace(/:\w+/g, '1'), 'OPTIONS', {
      headers: {
        origin: 'https://elsewhere.example',
        'access-control-request-method': method,
        'access-control-request-headers': 'x-postern-console, content-type',
      },
    })
    for (const name of ['origin', 'headers', 'methods', 'credentials'])
      assert.equal(asked.headers.get(`access-control-allow-${name}`), null, `${method} ${path}`)
  }
})

/** The name and the value of a cookie. */
const partsOf = (cookie: string) => cookie.split('=') as [string, string]

test('a cookie that was changed anywhere is none', async () => {
  await using stage = await setStage()
  for (const cookie of [await signInToConsole(stage), await signInToPortal(stage, demoApp.id)]) {
    const [name, value] = partsOf(cookie)
    const ask = async (changed: string) => (await asConsole(stage, `${name}=${changed}`)('GET', '/operator/webhooks')).status
    assert.equal(await ask(value), 200)
    const bytes = Buffer.from(value, 'base64url')
    for (let at = 0; at < bytes.length; at += 5) {
      const changed = Buffer.from(bytes)
      changed[at]! ^= 1
      assert.equal(await ask(changed.toString('base64url')), 401, `byte ${at}`)
    }
    for (const changed of ['', 'x', value.slice(0, -4), bytes.subarray(0, 20).toString('base64url'), 'A'.repeat(3000), '%00', '"', '{}'])
      assert.equal(await ask(changed), 401, changed)
  }
})

test('a link is no cookie, and a cookie no link', async () => {
  await using stage = await setStage()
  const cookie = await signInToPortal(stage, demoApp.id)
  const [name, value] = partsOf(cookie)
  const link = await portalToken(stage, demoApp.id)
  assert.equal((await asConsole(stage, `${name}=${link}`)('GET', '/operator/webhooks')).status, 401)
  const used = await call(`${stage.origins.operator_url}/operator/portal-session`, 'POST', {
    json: { token: value },
    headers: FROM_CONSOLE,
  })
  assert.equal(used.status, 403)
})

test('a cookie of a server with another secret is none, nor that of a token that was removed', async () => {
  await using stage = await setStage({ environment: readers })
  await using other = await setStage({ environment: { POSTERN_SECRET: `another-${SECRET}` } })
  const cookies = [await signInToConsole(other), await signInToPortal(other, demoApp.id), await signInToConsole(other)]
  const port = (of: Stage) => new URL(of.origins.operator_url).port
  for (const cookie of cookies) {
    const renamed = cookie.replace(`_${port(other)}=`, `_${port(stage)}=`)
    assert.equal((await asConsole(stage, renamed)('GET', '/operator/webhooks')).status, 401)
  }
  await using without = await setStage({ fresh: true })
  const reading = (await signInToConsole(stage, READ)).replace(`_${port(stage)}=`, `_${port(without)}=`)
  assert.equal((await asConsole(without, reading)('GET', '/operator/webhooks')).status, 401)
})

test('a cookie is for this path of this host alone, never for scripts or other sites, and over TLS alone where that is used', async () => {
  await using stage = await setStage({ environment: { POSTERN_TRUST_PROXY: '127.0.0.1/32' } })
  const begin = (headers: Record<string, string> = {}) =>
    call(`${stage.origins.operator_url}/operator/session`, 'POST', { json: {}, headers: { authorization: `Bearer ${'x'}`, ...headers } })
  assert.equal((await begin()).headers.get('set-cookie'), null)
  const flagsOf = async (path: string, json: unknown, headers: Record<string, string>) => {
    const answer = await call(stage.origins.operator_url + path, 'POST', { json, headers: { 'x-forwarded-proto': 'https', ...headers } })
    assert.equal(answer.status, 200, answer.text)
    return answer.headers.get('set-cookie')!.split('; ').slice(1)
  }
  const operator = await flagsOf('/operator/session', {}, { authorization: 'Bearer operator-token-of-the-tests-0123456789' })
  assert.deepEqual(operator, ['Max-Age=43200', 'HttpOnly', 'SameSite=Strict', 'Secure'])
  const portal = await flagsOf('/operator/portal-session', { token: await portalToken(stage, demoApp.id) }, FROM_CONSOLE)
  assert.deepEqual(portal, ['Max-Age=28800', 'HttpOnly', 'SameSite=Strict', 'Secure'])
})

test('no page shows the console in a frame, and no answer of the operator API is taken for a page', async () => {
  await using stage = await setStage()
  for (const path of ['', 'webhooks', 'portal', 'assets/none.js']) {
    const { headers } = await call(`${stage.origins.operator_url}/console/${path}`, 'GET')
    assert.match(headers.get('content-security-policy')!, /frame-ancestors 'none'/)
    assert.equal(headers.get('x-frame-options'), 'DENY', path)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
  }
  const answer = await stage.operator('GET', '/operator/apps')
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  assert.match(answer.headers.get('content-type')!, /^application\/json/)
  assert.match(answer.headers.get('cache-control') ?? '', /no-store/)
})
