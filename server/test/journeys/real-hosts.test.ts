import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Origins } from '../../src/assemble.ts'
import { adsSeed } from '../stage/ads.ts'
import { call } from '../stage/call.ts'
import { freePort } from '../stage/free-port.ts'
import { headerOf, oauthParameters } from '../stage/oauth-client.ts'
import { SECRET, setStage } from '../stage/postern.ts'
import { adas, VERIFY } from '../stage/signed-calls.ts'

type Listener = 'base_url' | 'ads_base_url' | 'ads_sandbox_base_url'

/** The hosts that clients have built in, and the listener that stands in for each. */
const HOSTS: Record<string, Listener> = {
  'api.x.com': 'base_url',
  'api.twitter.com': 'base_url',
  'upload.x.com': 'base_url',
  'upload.twitter.com': 'base_url',
  'stream.x.com': 'base_url',
  'stream.twitter.com': 'base_url',
  'www.x.com': 'base_url',
  'www.twitter.com': 'base_url',
  'x.com': 'base_url',
  'twitter.com': 'base_url',
  'ads-api.x.com': 'ads_base_url',
  'ads-api.twitter.com': 'ads_base_url',
  'ads-api-sandbox.x.com': 'ads_sandbox_base_url',
  'ads-api-sandbox.twitter.com': 'ads_sandbox_base_url',
}

const PATHS: Record<Listener, string> = { base_url: VERIFY, ads_base_url: '/12/accounts', ads_sandbox_base_url: '/12/accounts' }

/** A call that a client signs for a URL and a proxy on loopback passes on to a listener. */
async function forwarded({ origins }: { origins: Origins }, listener: Listener, url: string, more: Record<string, string> = {}) {
  const { protocol, host, pathname } = new URL(url)
  const headers = { 'x-forwarded-proto': protocol.slice(0, -1), 'x-forwarded-host': host, ...more }
  const authorization = headerOf(oauthParameters({ ...adas, url }))
  return call(origins[listener] + pathname, 'GET', { headers: { ...headers, authorization } })
}

const settings: [how: string, environment: Record<string, string>][] = [
  ['without a setting', {}],
  ['also with configured origins', { POSTERN_BASE_URL: 'https://api.test', POSTERN_ADS_BASE_URL: 'https://ads-api.test' }],
]

suite('in development', () => {
  for (const [how, configured] of settings)
    test(`signatures for the real hosts are accepted at their listeners, ${how}`, async () => {
      const ports = { POSTERN_PORT: await freePort(), POSTERN_ADS_PORT: await freePort(), POSTERN_ADS_SANDBOX_PORT: await freePort() }
      const environment = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)]))
      await using _stage = await setStage({ seed: adsSeed, environment: { ...environment, ...configured } })
      const [base_url, ads_base_url, ads_sandbox_base_url] = Object.values(ports).map((port) => `http://127.0.0.1:${port}`) as [
        string,
        string,
        string,
      ]
      const listening = { base_url, ads_base_url, ads_sandbox_base_url, operator_url: base_url }
      for (const [host, listener] of Object.entries(HOSTS))
        for (const scheme of ['https', 'http']) {
          const { status, text } = await forwarded({ origins: listening }, listener, `${scheme}://${host}${PATHS[listener]}`)
          assert.equal(status, 200, `${scheme}://${host}: ${text}`)
        }
    })

  test('a signature for a real host is refused at another listener, and where nobody forwarded it', async () => {
    await using stage = await setStage({ seed: adsSeed })
    const elsewhere = await forwarded(stage, 'base_url', `https://ads-api.x.com${VERIFY}`)
    const direct = await forwarded(stage, 'base_url', `https://api.x.com${VERIFY}`, { 'x-forwarded-host': '127.0.0.1' })
    assert.deepEqual([elsewhere.status, direct.status], [401, 401])
  })

  test('a page tells which host leads to which listener, and the dialect', async () => {
    await using stage = await setStage({ environment: { POSTERN_DIALECT: 'x' } })
    const { status, body } = await stage.api('GET', '/.well-known/postern')
    const hosts = Object.fromEntries(Object.entries(HOSTS).map(([host, listener]) => [host, stage.origins[listener]]))
    assert.deepEqual([status, body], [200, { dialect: 'x', hosts }])
  })
})

test('in production signatures for the real hosts are refused, and no page tells of them', async () => {
  const environment = { POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '0' }
  await using stage = await setStage({ seed: adsSeed, environment })
  assert.equal((await forwarded(stage, 'base_url', `https://api.test${VERIFY}`)).status, 200)
  for (const [host, listener] of Object.entries(HOSTS)) {
    const { status, headers } = await forwarded(stage, listener, `https://${host}${PATHS[listener]}`)
    assert.deepEqual([status, headers.get('x-postern-explain')], [401, null], host)
  }
  assert.equal((await stage.api('GET', '/.well-known/postern')).status, 404)
})
