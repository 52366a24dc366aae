import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OperatorServices } from '../../src/access/operator.ts'
import type { RawRequest } from '../../src/api/declare/raw-request.ts'
import type { Given } from '../../src/development/given.ts'
import { startPageRoute } from '../../src/development/start-page/start-page-route.ts'
import { DEMO_SEED, readSeed } from '../../src/endpoints/operator/seed/read-seed.ts'
import { OPERATOR_TOKEN, SECRET, setStage } from '../stage/postern.ts'

const { document: demo } = await readSeed(DEMO_SEED)

const pageOf = async (origin: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${origin}/`, { headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('in development GET / says what runs where, which keys the demo app has, and what to paste', async () => {
  await using stage = await setStage({ seed: demo })
  const { base_url, ads_base_url, ads_sandbox_base_url } = stage.origins
  const { status, headers, text } = await pageOf(base_url)
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'text/html;charset=utf-8')
  for (const shown of [
    ...[base_url, ads_base_url, ads_sandbox_base_url],
    ...['demo-consumer-key', 'demo-consumer-secret-for-development-only', 'demo-oauth2-client', '101-demo-access-token'],
    ...['ada', 'grace', 'ada-in-development', '.postern/operator-token', `${base_url}/2/webhooks`, 'SQLite', '/docs'],
  ])
    assert.ok(text.includes(shown), shown)
})

test('it shows no secret but those of the published demo seed, and never the operator token', async () => {
  await using stage = await setStage({ seed: demo })
  const made = await stage.operator('POST', '/operator/apps', { name: 'Own', callback_urls: [], oauth2_client_type: 'confidential' })
  assert.equal(made.status, 200, made.text)
  const { consumer_key, consumer_secret, oauth2_client_secret } = made.body.data
  const rotated = await stage.operator('PATCH', '/operator/apps/1', { rotate_secret: { overlap: '0s' } })
  assert.equal(rotated.status, 200, JSON.stringify(rotated.body))
  const { text } = await pageOf(stage.origins.base_url)
  assert.ok(text.includes(consumer_key))
  for (const secret of [consumer_secret, oauth2_client_secret, rotated.body.data.consumer_secret, OPERATOR_TOKEN])
    assert.ok(typeof secret === 'string' && !text.includes(secret), `a secret of ${secret?.length} characters`)
  assert.ok(!text.includes('demo-consumer-secret-for-development-only'), 'a secret that is no longer valid')
})

test('others than this machine read only what runs where, unless they send the operator token', async () => {
  await using stage = await setStage({ seed: demo })
  const made = await stage.operator('POST', '/operator/apps', { name: 'Private name', callback_urls: [] })
  assert.equal(made.status, 200, made.text)
  const far = { 'x-forwarded-for': '203.0.113.9' }
  const told = ['Private name', made.body.data.consumer_key, 'ada', '101-demo-access-token', '/2/webhooks']
  const near = (await pageOf(stage.origins.base_url)).text
  for (const one of told) assert.ok(near.includes(one), one)
  for (const headers of [far, { ...far, authorization: 'Bearer no-operator-token' }]) {
    const { status, text } = await pageOf(stage.origins.base_url, headers)
    assert.equal(status, 200)
    assert.ok(text.includes(stage.origins.ads_base_url) && text.includes('/docs'))
    for (const one of told) assert.ok(!text.includes(one), one)
  }
  const operators = (await pageOf(stage.origins.base_url, { ...far, authorization: `Bearer ${OPERATOR_TOKEN}` })).text
  for (const one of told) assert.ok(operators.includes(one), one)
})

const where = async (origin: string, accept: string) => {
  const { status, headers } = await fetch(`${origin}/`, { headers: { accept }, redirect: 'manual' })
  return { status, location: headers.get('location'), vary: headers.get('vary') }
}

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

test('a browser is led to the console, a program reads the page', async () => {
  await using stage = await setStage()
  const { base_url } = stage.origins
  assert.deepEqual(await where(base_url, BROWSER), { status: 302, location: 'console/', vary: 'accept' })
  assert.deepEqual(await where(base_url, '*/*'), { status: 200, location: null, vary: 'accept' })
})

test('a browser is led to the operator port, where the console is there', async () => {
  await using stage = await setStage({ environment: { POSTERN_OPERATOR_PORT: '0' } })
  const { base_url, operator_url } = stage.origins
  assert.notEqual(operator_url, base_url)
  assert.equal((await where(base_url, BROWSER)).location, `${operator_url}/console/`)
})

test('a browser reads the page where the console cannot be built, as after npm ci --omit=dev', async () => {
  const origin = 'http://127.0.0.1:4000'
  const given = {
    settings: { databaseUrl: 'sqlite::memory:' },
    storage: {
      apps: { list: async () => [{ id: '1', name: 'Own', consumerKey: 'key-of-the-app', consumerSecret: 'secret-of-the-app' }] },
      users: { list: async () => [] },
    },
    clock: { now: () => 0, offset: () => 0 },
    dialect: { name: 'service' },
    listening: { origins: { base_url: origin, ads_base_url: origin, ads_sandbox_base_url: origin, operator_url: origin } },
  } as unknown as Given
  const services = { originOf: () => ({ address: '127.0.0.1' }) } as unknown as OperatorServices
  const request = { method: 'GET', target: '/', headers: { accept: BROWSER } } as unknown as RawRequest
  const answer = await startPageRoute(given, services, async () => false).respond(request)
  assert.equal(answer.status, 200)
  assert.match(String(answer.body), /key-of-the-app/)
})

test('GET /operator/keys has the keys of the demo app and the tokens of its people, until they are revoked', async () => {
  await using stage = await setStage({ seed: demo })
  const { body } = await stage.operator('GET', '/operator/keys')
  assert.deepEqual(body.data.apps[0], {
    id: '1',
    name: 'Demo',
    consumer_key: 'demo-consumer-key',
    consumer_secret: 'demo-consumer-secret-for-development-only',
    oauth2_client_id: 'demo-oauth2-client',
    oauth2_client_secret: 'demo-oauth2-client-secret-for-development-only',
  })
  const [ada] = body.data.people
  const token = '101-demo-access-token'
  assert.deepEqual(ada, {
    id: '101',
    username: 'ada',
    name: 'Ada',
    password: 'ada-in-development',
    tokens: [{ app_id: '1', oauth_token: token, oauth_token_secret: 'demo-access-token-secret-for-development-only' }],
  })
  assert.equal(body.data.pastes[0].command, 'npx postern listen')
  const changed = await stage.operator('PATCH', '/operator/users/101', { password: 'another-in-development' })
  assert.equal(changed.status, 200, changed.text)
  const revoked = await stage.operator('POST', '/operator/tokens/revoke', { token })
  assert.equal(revoked.status, 200, revoked.text)
  const [later] = (await stage.operator('GET', '/operator/keys')).body.data.people
  assert.deepEqual([later.password, later.tokens], [null, []])
})

test('GET /operator/keys shows no secret that was made here, and nothing without a token', async () => {
  await using stage = await setStage({ seed: demo })
  const made = await stage.operator('POST', '/operator/apps', { name: 'Own', callback_urls: [], oauth2_client_type: 'confidential' })
  const { consumer_key, consumer_secret, oauth2_client_secret } = made.body.data
  const { body, text } = await stage.operator('GET', '/operator/keys')
  const own = body.data.apps.find((one: { name: string }) => one.name === 'Own')
  assert.deepEqual([own.consumer_key, own.consumer_secret, own.oauth2_client_secret], [consumer_key, null, null])
  for (const secret of [consumer_secret, oauth2_client_secret, OPERATOR_TOKEN]) assert.ok(!text.includes(secret))
  assert.equal((await stage.api('GET', '/operator/keys')).status, 401)
})

test('it runs no script, stands in no frame, and a page of another origin cannot read it', async () => {
  await using stage = await setStage()
  const { headers } = await pageOf(stage.origins.base_url, { origin: 'https://elsewhere.example' })
  assert.equal(headers.get('access-control-allow-origin'), null)
  assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none';/)
  assert.equal(headers.get('x-frame-options'), 'DENY')
})

test('in production GET / is 404', async () => {
  await using stage = await setStage({ environment: { POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '0' } })
  assert.equal((await stage.api('GET', '/')).status, 404)
})
