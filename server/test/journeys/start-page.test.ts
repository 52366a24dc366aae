import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEMO_SEED, readSeed } from '../../src/endpoints/operator/seed/read-seed.ts'
import { demoApp, OPERATOR_TOKEN, SECRET, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'

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

test('it shows the last deliveries with their state and status, without the address of the callback', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await stage.connect({ url: `${receiver.url}?key=of-the-callback` })
  await stage.publish({ text: 'Hello' })
  await stage.until(async () => (await pageOf(stage.origins.base_url)).text.includes('delivered (200)'))
  const { text } = await pageOf(stage.origins.base_url)
  assert.match(text, /dm\.received/)
  assert.ok(!text.includes('of-the-callback'))
})

test('it shows the last calls with their status and why one was refused, without their queries', async () => {
  await using stage = await setStage()
  await stage.api('GET', '/2/webhooks?webhook_config.fields=private-value', { token: 'no-such-token' })
  await stage.api('GET', '/2/webhooks', { token: await stage.token() })
  const { text } = await pageOf(stage.origins.base_url)
  const calls = text.slice(text.indexOf('Last calls'), text.indexOf('Last deliveries'))
  assert.match(calls, /GET \/2\/webhooks<[\s\S]*200[\s\S]*POST \/oauth2\/token<[\s\S]*200[\s\S]*GET \/2\/webhooks<[\s\S]*401/)
  assert.match(calls, /data-label="Reason">[^<]*\S[^<]* <a href="[^"]+">Why\?<\/a>/)
  assert.ok(!text.includes('private-value') && !text.includes('no-such-token'))
})

test('others than this machine read only what runs where, unless they send the operator token', async () => {
  await using stage = await setStage({ seed: demo })
  const made = await stage.operator('POST', '/operator/apps', { name: 'Private name', callback_urls: [] })
  assert.equal(made.status, 200, made.text)
  await stage.api('POST', '/oauth2/token', {
    headers: { authorization: `Basic ${Buffer.from('a:b').toString('base64')}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=MyPrivateText',
  })
  await stage.api('GET', '/2/webhooks', { token: 'no-such-token' })
  const far = { 'x-forwarded-for': '203.0.113.9' }
  const told = ['Private name', made.body.data.consumer_key, 'ada', '/2/webhooks', 'explanations/', 'Last calls', 'Last deliveries']
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

test('it says why a call was refused whose reason is in the answer alone', async () => {
  await using stage = await setStage()
  await stage.api('POST', '/2/webhooks', { token: await stage.token(), json: { url: 'http://example.com/' } })
  assert.match((await pageOf(stage.origins.base_url)).text, /data-label="Reason">UrlValidationFailed/)
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
