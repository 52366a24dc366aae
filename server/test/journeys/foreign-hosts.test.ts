import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { adsSeed } from '../stage/ads.ts'
import { freePort } from '../stage/free-port.ts'
import { openWith, untilClosed } from '../stage/hostile/bare-host.ts'
import { authorization } from '../stage/oauth-client.ts'
import { demoApp, OPERATOR_TOKEN, setStage } from '../stage/postern.ts'
import { APPROVAL_PAGE } from '../stage/sign-in.ts'
import { adas } from '../stage/signed-calls.ts'

interface Sent {
  host: string
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string
}

/** Sends a request whose Host is another than where it goes, as a browser does that was led here. */
async function send(origin: string, { host, method = 'GET', path, headers = {}, body = '' }: Sent) {
  const lines = Object.entries({ host, connection: 'close', 'content-length': String(Buffer.byteLength(body)), ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const [answer] = await untilClosed(openWith(origin, `${method} ${path} HTTP/1.1\r\n${head}\r\n${body}`))
  return answer!
}

const EVIL = 'evil.example'
const evilAt = (origin: string) => `${EVIL}:${new URL(origin).port}`
const asOperator = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' }
const event = JSON.stringify({ event_type: 'dm.received', user_id: '101', payload: {} })

suite('in development a web page that leads its own name here (DNS rebinding)', () => {
  test('reads and changes nothing on the general host, whatever it sends', async () => {
    await using stage = await setStage({ seed: adsSeed })
    const { base_url } = stage.origins
    const host = evilAt(base_url)
    const signedAs = (path: string, method = 'GET') => ({
      authorization: authorization({ ...adas, method, url: `http://${host}${path}`, nowMs: stage.clock.now() }),
    })
    const token = { authorization: `Bearer ${await stage.token()}` }
    const sent: Omit<Sent, 'host'>[] = [
      { path: '/2/webhooks', headers: token },
      {
        path: '/2/webhooks',
        method: 'POST',
        headers: { ...token, 'content-type': 'application/json' },
        body: '{"url":"https://example.com/a"}',
      },
      {
        path: '/oauth2/token',
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${demoApp.consumer_key}:${demoApp.consumer_secret}`)}` },
      },
      { path: '/2/users/me', headers: signedAs('/2/users/me') },
      { path: '/1.1/account/verify_credentials.json', headers: signedAs('/1.1/account/verify_credentials.json') },
      { path: '/oauth/request_token', method: 'POST', headers: signedAs('/oauth/request_token', 'POST') },
      { path: `${APPROVAL_PAGE}?oauth_token=a` },
      { path: APPROVAL_PAGE, method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'oauth_token=a' },
      { path: '/operator/apps', headers: asOperator },
      { path: '/operator/events', method: 'POST', headers: asOperator, body: event },
      { path: '/operator/events', method: 'POST', headers: { ...asOperator, 'x-forwarded-host': new URL(base_url).host }, body: event },
      { path: '/operator/reset', method: 'POST', headers: asOperator, body: '{}' },
      { path: '/openapi.json' },
      { path: '/docs' },
    ]
    for (const one of sent) {
      const answer = await send(base_url, { host, ...one })
      assert.equal(answer.status, 403, `${one.method ?? 'GET'} ${one.path}`)
      assert.match(answer.body.toString(), new RegExp(`The Host header says ${host}.*POSTERN_BASE_URL=`))
    }
    assert.deepEqual((await stage.operator('GET', '/operator/deliveries')).body.data, [])
    assert.equal((await send(base_url, { host: new URL(base_url).host, path: '/operator/apps', headers: asOperator })).status, 200)
  })

  test('is told the setting of the host that it called', async () => {
    await using stage = await setStage({ seed: adsSeed, environment: { POSTERN_OPERATOR_PORT: '0' } })
    const { ads_base_url, ads_sandbox_base_url, operator_url } = stage.origins
    for (const [origin, path, setting] of [
      [ads_base_url, '/12/accounts', 'POSTERN_ADS_BASE_URL'],
      [ads_sandbox_base_url, '/12/accounts', 'POSTERN_ADS_SANDBOX_BASE_URL'],
      [operator_url, '/operator/apps', 'POSTERN_BASE_URL'],
    ] as const) {
      const answer = await send(origin, { host: evilAt(origin), path, headers: asOperator })
      assert.equal(answer.status, 403, path)
      assert.match(answer.body.toString(), new RegExp(`set ${setting}=[^ ]*http://evil.example:\\d+ and restart`))
    }
  })

  test('is not kept from health checks, which orchestrators ask under any name', async () => {
    await using stage = await setStage()
    for (const path of ['/healthz', '/readyz', '/livez'])
      assert.equal((await send(stage.origins.base_url, { host: EVIL, path })).status, 200, path)
  })
})

test('in development a client that takes over a real host name is served with the setting that the refusal says', async () => {
  const port = String(await freePort())
  const origin = `http://127.0.0.1:${port}`
  const sent = { host: 'api.x.com', path: '/openapi.json' }
  const said = async () => {
    await using stage = await setStage({ environment: { POSTERN_PORT: port } })
    return (await send(stage.origins.base_url, sent)).body.toString()
  }
  const [, value = ''] = /set POSTERN_BASE_URL=(\S+) and restart/.exec(await said()) ?? []
  await using _stage = await setStage({ environment: { POSTERN_PORT: port, POSTERN_BASE_URL: value } })
  for (const host of ['api.x.com', `localhost:${port}`]) assert.equal((await send(origin, { ...sent, host })).status, 200, host)
  assert.equal((await send(origin, { ...sent, host: EVIL })).status, 403)
})

test('in production the proxy chooses the Host', async () => {
  const environment = {
    POSTERN_PROFILE: 'production',
    POSTERN_SECRET: 'a-sealing-secret-of-the-tests-0123456789',
    POSTERN_OPERATOR_PORT: '0',
  }
  await using stage = await setStage({ environment })
  assert.equal((await send(stage.origins.base_url, { host: 'upstream.internal', path: '/openapi.json' })).status, 200)
})
