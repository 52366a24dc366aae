import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { suite, test } from 'node:test'
import { allEndpoints } from '../../scripts/all-endpoints.ts'
import { approvalPaths, openPaths } from '../../src/development/hosts/foreign-pages.ts'
import { adsSeed } from '../stage/ads.ts'
import { authorization } from '../stage/oauth-client.ts'
import { demoApp, OPERATOR_TOKEN, type Stage, setStage } from '../stage/postern.ts'
import { APPROVAL_PAGE, askForSignIn, CALLBACK, hidden, PASSWORD, signInSeed } from '../stage/sign-in.ts'
import { adas, signedInSeed } from '../stage/signed-calls.ts'

const LONG = `https://${'x'.repeat(200)}.example`

/**
 * What browsers send with calls of foreign pages, and how the refusal names each: a script or a form, a simple GET, a page on this machine, a
 * sandboxed frame, a link.
 */
const pages: readonly (readonly [named: string, headers: Record<string, string>])[] = [
  ['of the origin https://evil.example', { origin: 'https://evil.example' }],
  [`of the origin ${LONG.slice(0, 100)}`, { origin: LONG }],
  ['of https://evil.example', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  [`of ${LONG.slice(0, 100)}`, { origin: LONG, 'sec-fetch-site': 'cross-site' }],
  ['of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
  ['of the origin http://localhost:3000', { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' }],
  ['of another site', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ['of the origin null', { origin: 'null' }],
  ['of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
]
const foreign = pages.map(([, headers]) => headers)

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const JSON_TYPE = { 'content-type': 'application/json' }
const event = JSON.stringify({ event_type: 'dm.received', user_id: '101', payload: {} })

interface Sent {
  path: string
  method?: string
  headers?: Record<string, string>
  body?: string
}

const credentialsIn = (header: string) =>
  new URLSearchParams([...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, decodeURIComponent(value)]))

/** Sends the headers as a browser does; `fetch` sets some of them itself. */
async function browse(url: string, { method = 'GET', headers = {}, body = '' }: Omit<Sent, 'path'> = {}) {
  const length = method === 'POST' ? { 'content-length': Buffer.byteLength(body) } : {}
  const sent = request(url, { method, agent: false, headers: { ...headers, ...length } }).end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) }
}

/** A call with every kind of credentials that are published, or that a page may know. */
async function callsOf(stage: Stage): Promise<Sent[]> {
  const bearer = { authorization: `Bearer ${await stage.token()}` }
  const signed = (method: string, path: string) =>
    authorization({ ...adas, method, url: stage.publicOrigins.base_url + path, nowMs: stage.clock.now() })
  const operator = { authorization: `Bearer ${OPERATOR_TOKEN}`, ...JSON_TYPE }
  return [
    { path: '/2/webhooks', headers: bearer },
    { path: '/2/webhooks', method: 'POST', headers: { ...bearer, ...JSON_TYPE }, body: '{"url":"https://example.com/a"}' },
    { path: `/2/users/me?${credentialsIn(signed('GET', '/2/users/me'))}` },
    { path: `/2/posts?${credentialsIn(signed('POST', '/2/posts'))}`, method: 'POST', headers: JSON_TYPE, body: '{"text":"hello"}' },
    {
      path: '/1.1/account/update_profile.json',
      method: 'POST',
      headers: FORM,
      body: String(credentialsIn(signed('POST', '/1.1/account/update_profile.json'))),
    },
    {
      path: '/oauth2/token',
      method: 'POST',
      headers: { ...FORM, authorization: `Basic ${btoa(`${demoApp.consumer_key}:${demoApp.consumer_secret}`)}` },
      body: 'grant_type=client_credentials',
    },
    { path: '/2/oauth2/token', method: 'POST', headers: FORM, body: 'grant_type=refresh_token&client_id=a&refresh_token=b' },
    { path: '/oauth/request_token', method: 'POST', headers: { authorization: signed('POST', '/oauth/request_token') } },
    { path: '/operator/apps', headers: operator },
    { path: '/operator/events', method: 'POST', headers: operator, body: event },
    { path: '/operator/reset', method: 'POST', headers: operator, body: '{}' },
    { path: '/metrics', headers: operator },
  ]
}

suite('in development a foreign page', () => {
  test('reads and changes nothing on the general host, with any credentials', async () => {
    await using stage = await setStage({ seed: signedInSeed })
    const { base_url } = stage.origins
    for (const [page, said] of pages)
      for (const { path, method = 'GET', headers, body } of await callsOf(stage)) {
        const answer = await browse(base_url + path, { method, headers: { ...headers, ...said }, body })
        assert.equal(answer.status, 403, `${method} ${path} ${page}: ${answer.text}`)
        assert.ok(answer.text.includes(`A page ${page} makes this call, as the headers Origin and Sec-Fetch-Site say`), answer.text)
      }
    assert.deepEqual((await stage.operator('GET', '/operator/deliveries')).body.data, [])
    assert.equal((await stage.api('GET', '/2/webhooks', { token: await stage.token() })).body.meta.result_count, 0)
  })

  test('reads nothing of the advertising hosts, nor of an operator port', async () => {
    await using stage = await setStage({ seed: adsSeed, environment: { POSTERN_OPERATOR_PORT: '0' } })
    const { ads_base_url, ads_sandbox_base_url, operator_url } = stage.origins
    for (const said of foreign) {
      for (const origin of [ads_base_url, ads_sandbox_base_url]) {
        const answer = await browse(`${origin}/12/accounts`, { headers: said })
        assert.equal(answer.status, 403)
        assert.match(JSON.parse(answer.text).errors[0].message, /^A page of .* makes this call/)
      }
      const headers = { ...said, authorization: `Bearer ${OPERATOR_TOKEN}` }
      for (const path of ['/operator/apps', '/metrics']) assert.equal((await browse(operator_url + path, { headers })).status, 403)
    }
  })

  test('reads what takes no credentials: the description, its pages, the start page, well-known addresses and media', async () => {
    await using stage = await setStage()
    for (const said of foreign) {
      for (const path of [
        '/',
        '/openapi.json',
        '/docs',
        '/docs/',
        '/docs/webhooks',
        '/console/',
        '/.well-known/postern',
        '/.well-known/oauth-authorization-server',
      ])
        for (const method of ['GET', 'HEAD']) {
          assert.equal((await browse(stage.origins.base_url + path, { method, headers: said })).status, 200, path)
        }
      assert.equal((await browse(`${stage.origins.base_url}/media/3_1/a.png`, { headers: said })).status, 404)
    }
  })

  test('leads to the pages where a user decides, by a link alone; they do not answer its scripts', async () => {
    await using stage = await setStage({ seed: signInSeed })
    const { oauth_token } = await askForSignIn(stage)
    const oauth2 = new URLSearchParams({ response_type: 'code', client_id: 'unknown', redirect_uri: CALLBACK })
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    const script = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }
    for (const [path, status] of [
      [`${APPROVAL_PAGE}?oauth_token=${oauth_token}`, 200],
      [`/i/oauth2/authorize?${oauth2}`, 400],
      [`/2/oauth2/authorize?${oauth2}`, 400],
    ] as const) {
      assert.equal((await browse(stage.origins.base_url + path, { headers: link })).status, status, path)
      assert.equal((await browse(stage.origins.base_url + path, { headers: script })).status, 403, path)
    }
  })
})

test('in development the form of the approval page is taken as browsers send it, with the origin null', async () => {
  await using stage = await setStage({ seed: signInSeed })
  const { oauth_token } = await askForSignIn(stage)
  const url = `${stage.origins.base_url}${APPROVAL_PAGE}`
  const shown = await browse(`${url}?oauth_token=${oauth_token}`, {
    headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
  })
  const cookie = shown.headers['set-cookie']![0]!.split(';', 1)[0]!
  const names = [...shown.text.matchAll(/type="hidden" name="(\w+)"/g)].map(([, name = '']) => name)
  const fields = Object.fromEntries(names.map((name) => [name, hidden(shown.text, name)]))
  const form = new URLSearchParams({ ...fields, oauth_token, username: 'ada', password: PASSWORD, decision: 'allow' })
  const headers = { ...FORM, cookie, origin: 'null', 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' }
  const answer = await browse(url, { method: 'POST', headers, body: form.toString() })
  assert.equal(answer.status, 302, answer.text)
  assert.match(answer.headers.location ?? '', /oauth_verifier=/)
})

test('in development pages of this server and programs call as before', async () => {
  await using stage = await setStage({ seed: adsSeed })
  const { base_url, ads_base_url } = stage.origins
  const token = await stage.token()
  for (const headers of [
    {},
    { origin: base_url },
    { origin: base_url.replace('127.0.0.1', 'localhost') },
    { origin: ads_base_url, 'sec-fetch-site': 'same-site' },
    { origin: 'null', 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' },
  ] as Record<string, string>[])
    assert.equal(
      (await browse(`${base_url}/2/webhooks`, { headers: { ...headers, authorization: `Bearer ${token}` } })).status,
      200,
      JSON.stringify(headers),
    )
})

test('in production Origin and Sec-Fetch-Site change nothing', async () => {
  const environment = {
    POSTERN_PROFILE: 'production',
    POSTERN_SECRET: 'a-sealing-secret-of-the-tests-0123456789',
    POSTERN_OPERATOR_PORT: '0',
  }
  await using stage = await setStage({ environment })
  for (const headers of foreign) {
    const answer = await browse(`${stage.origins.operator_url}/operator/apps`, {
      headers: { ...headers, authorization: `Bearer ${OPERATOR_TOKEN}` },
    })
    assert.equal(answer.status, 200, answer.text)
  }
})

test('the paths that foreign pages may read are those that take no credentials, and the approval pages', () => {
  const withoutCredentials = allEndpoints.filter(({ auth, method }) => auth.name === null && method === 'GET').map(({ path }) => path)
  assert.deepEqual(
    // Whether a browser is signed in to the console is for the console alone.
    withoutCredentials.filter((path) => !['/.well-known/oauth-authorization-server', '/operator/session'].includes(path)).toSorted(),
    [...approvalPaths, ...openPaths.filter((path) => path.startsWith('/oauth/'))].toSorted(),
  )
})
