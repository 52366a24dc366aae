import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { adsCaller, adsSeed } from '../stage/ads.ts'
import { call } from '../stage/call.ts'
import { demoApp, OPERATOR_TOKEN, SECRET, type Stage, setStage } from '../stage/postern.ts'
import { signed } from '../stage/sign-in.ts'

const PRODUCTION = { POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '0' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const basic = { authorization: `Basic ${btoa(`${demoApp.consumer_key}:${demoApp.consumer_secret}`)}` }

/** What carries credentials to the general host (§4.1, §4.3, §5, §6), but for signatures. */
const calls: [what: string, method: string, path: string, headers: Record<string, string>, body?: string][] = [
  ['an API key and secret', 'POST', '/oauth2/token', { ...basic, ...FORM }, 'grant_type=client_credentials'],
  ['an API key and secret', 'POST', '/oauth2/invalidate_token', { ...basic, ...FORM }, 'access_token=a'],
  ['a bearer token', 'GET', '/2/webhooks', {}],
  ['a bearer token', 'POST', '/2/webhooks', { 'content-type': 'application/json' }, '{"url":"https://example.com/hook"}'],
  ['a bearer token', 'PUT', '/2/webhooks/1', {}],
  ['a bearer token', 'DELETE', '/2/webhooks/1', {}],
  ['a bearer token', 'POST', '/2/webhooks/replay', { 'content-type': 'application/json' }, '{}'],
  ['a bearer token', 'GET', '/2/activity/subscriptions', {}],
  ['a bearer token', 'POST', '/2/activity/subscriptions', { 'content-type': 'application/json' }, '{}'],
  ['a bearer token', 'DELETE', '/2/activity/subscriptions/1', {}],
]

/** Headers of calls that nobody who is trusted received over TLS. */
const unencrypted: Record<string, string>[] = [
  {},
  { 'x-forwarded-proto': 'http' },
  { 'x-forwarded-proto': 'https, http' },
  { 'x-forwarded-proto': '' },
  { forwarded: 'proto=https' },
  { 'x-forwarded-ssl': 'on' },
]

const send = (stage: Stage, [, method, path, headers, body]: (typeof calls)[number], more: Record<string, string>) =>
  call(stage.origins.base_url + path, method, { headers: { ...headers, ...more }, body })

suite('in production', () => {
  test('credentials of every kind are refused over plain http with code 92, right or wrong, before anything is looked up', async () => {
    await using stage = await setStage({ environment: PRODUCTION })
    const bearer = { authorization: `Bearer ${await stage.token()}` }
    for (const one of calls)
      for (const more of unencrypted)
        for (const credentials of [bearer, { authorization: 'Bearer wrong' }, basic, {}]) {
          const answer = await send(stage, one, { ...credentials, ...more })
          const expected = [403, { errors: [{ code: 92, message: 'SSL is required.' }] }]
          assert.deepEqual([answer.status, answer.body], expected, `${one[0]}: ${one[1]} ${one[2]} ${JSON.stringify(more)}`)
          assert.equal(answer.headers.get('www-authenticate'), null)
        }
    const listed = await stage.api('GET', '/2/webhooks', { headers: bearer })
    assert.deepEqual([listed.status, listed.body.data], [200, []], 'nothing was registered, and over TLS the token is right')
  })

  test('a proxy that is not trusted vouches for nothing', async () => {
    await using stage = await setStage({ environment: { ...PRODUCTION, POSTERN_TRUST_PROXY: '10.0.0.0/8' } })
    for (const one of calls) assert.equal((await send(stage, one, { 'x-forwarded-proto': 'https' })).body.errors[0].code, 92)
  })

  test('the advertising hosts say so in their words', async () => {
    await using stage = await setStage({ environment: PRODUCTION, seed: adsSeed })
    for (const host of ['production', 'sandbox'] as const) {
      const answer = await adsCaller(stage, host)('GET', '/12/accounts')
      assert.deepEqual([answer.status, answer.body.errors[0].message], [403, 'SSL is required.'])
    }
  })

  test('what needs no credentials answers: health checks, the description and its pages', async () => {
    await using stage = await setStage({ environment: PRODUCTION })
    for (const path of ['/healthz', '/readyz', '/livez', '/openapi.json', '/docs'])
      assert.equal((await call(stage.origins.base_url + path, 'GET')).status, 200, path)
    assert.equal((await call(`${stage.origins.base_url}/nothing`, 'GET')).status, 404)
  })

  test('the operator port takes its token without TLS: it is for this machine or its private network', async () => {
    await using stage = await setStage({ environment: PRODUCTION })
    assert.equal((await call(`${stage.origins.operator_url}/operator/apps`, 'GET', { token: OPERATOR_TOKEN })).status, 200)
  })
})

test('in development nothing needs TLS', async () => {
  await using stage = await setStage({ seed: adsSeed })
  const token = await stage.token()
  for (const [, method, path] of calls.slice(2)) {
    const { status } = await call(stage.origins.base_url + path, method, { token, ...(method === 'POST' && { json: {} }) })
    assert.ok(status !== 403 && status !== 401, `${method} ${path}: ${status}`)
  }
  assert.equal((await signed(stage, 'POST', '/oauth/request_token', demoApp, { oauth: { oauth_callback: 'oob' } })).status, 200)
})
