import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { adsEndpoints } from '../../scripts/all-endpoints.ts'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { ACCOUNT, adsCaller, adsSeed, dataOf, mistakesOf } from '../stage/ads.ts'
import { type Answer, call } from '../stage/call.ts'
import { demoApp, SECRET, type Stage, setStage } from '../stage/postern.ts'
import { ada } from '../stage/sign-in.ts'
import { adas, graces, othersAdas, sendSigned } from '../stage/signed-calls.ts'

const ACCOUNTS = '/12/accounts'
const CAMPAIGNS = `${ACCOUNTS}/${ACCOUNT}/campaigns`
const HOSTS = ['production', 'sandbox'] as const

const originOf = ({ origins }: Stage, host: (typeof HOSTS)[number]) =>
  host === 'sandbox' ? origins.ads_sandbox_base_url : origins.ads_base_url

/** The only mistake of a refusal, whose request is not repeated. */
function refusalOf({ status, headers, body }: Answer): unknown[] {
  assert.deepEqual(body.request, { params: {} })
  assert.match(headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(body.errors.length, 1)
  return [status, body.errors[0].code]
}

suite('access to the advertising hosts', () => {
  for (const host of HOSTS)
    test(`a call without a user's signature is rejected (${host})`, async () => {
      await using stage = await setStage({ seed: adsSeed })
      const url = originOf(stage, host) + ACCOUNTS
      const unauthorized = [401, 'UNAUTHORIZED_ACCESS']
      assert.deepEqual(refusalOf(await call(url, 'GET')), unauthorized)
      assert.deepEqual(refusalOf(await call(url, 'GET', { token: await stage.token() })), unauthorized)
      const wrongSecret = await adsCaller(stage, host, { ...adas, consumer_secret: 'wrong' })('GET', ACCOUNTS)
      assert.deepEqual(refusalOf(wrongSecret), unauthorized)
      assert.deepEqual(wrongSecret.body.errors, [{ code: 'UNAUTHORIZED_ACCESS', message: 'This request is not properly authenticated' }])
      const { consumer_key, consumer_secret } = adas
      assert.deepEqual(refusalOf(await adsCaller(stage, host, { consumer_key, consumer_secret })('GET', ACCOUNTS)), unauthorized)
      const written = JSON.stringify(stage.log)
      for (const secret of [adas.consumer_secret, adas.oauth_token_secret, adas.oauth_token]) assert.ok(!written.includes(secret), secret)
    })

  test('an unknown or revoked token is rejected with code 89, whether there is such an app or not', async () => {
    await using stage = await setStage({ seed: adsSeed })
    const codeOf = ({ status, body }: Answer) => [status, body.errors.map(({ code }: { code: number }) => code)]
    const unknown = { ...adas, oauth_token: `${ada.id}-${'z'.repeat(40)}` }
    const unknownToken = await adsCaller(stage, 'production', unknown)('GET', ACCOUNTS)
    assert.deepEqual(codeOf(unknownToken), [401, [89]])
    for (const credentials of [adas, unknown]) {
      const unknownApp = await adsCaller(stage, 'production', { ...credentials, consumer_key: 'nobody' })('GET', ACCOUNTS)
      assert.deepEqual([unknownApp.status, unknownApp.text], [401, unknownToken.text])
    }
    dataOf(await adsCaller(stage)('GET', ACCOUNTS))
    assert.equal((await sendSigned(stage, { method: 'POST', path: '/1.1/oauth/invalidate_token' })).status, 200)
    for (const host of HOSTS) assert.deepEqual(codeOf(await adsCaller(stage, host)('GET', ACCOUNTS)), [401, [89]])
  })

  test('a suspended app and a request without TLS are rejected as on these hosts', async () => {
    const production = { POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '0' }
    await using open = await setStage({ seed: adsSeed })
    assert.equal((await open.operator('PATCH', `/operator/apps/${demoApp.id}`, { suspended: true })).status, 200)
    await using strict = await setStage({ environment: { ...production, POSTERN_TRUST_PROXY: '127.0.0.0/8' }, seed: adsSeed })
    for (const host of HOSTS)
      for (const path of [ACCOUNTS, CAMPAIGNS]) {
        const suspended = await adsCaller(open, host)('GET', path)
        assert.deepEqual(refusalOf(suspended), [401, 'UNAUTHORIZED_ACCESS'])
        assert.equal(suspended.body.errors[0].message, 'Invalid or suspended application.')
        const inTheClear = await adsCaller(strict, host)('GET', path)
        assert.deepEqual(refusalOf(inTheClear), [403, 'ACTION_NOT_ALLOWED'])
        assert.equal(inTheClear.body.errors[0].message, 'SSL is required.')
      }
  })

  test('an app without access to the API cannot read, one with read access cannot write', async () => {
    await using stage = await setStage({ seed: adsSeed })
    assert.deepEqual(refusalOf(await adsCaller(stage, 'production', othersAdas)('GET', ACCOUNTS)), [403, 'UNAUTHORIZED_CLIENT_APPLICATION'])
    const change = await stage.operator('PATCH', `/operator/apps/${demoApp.id}`, { permissions: 'read' })
    assert.equal(change.status, 200, change.text)
    const ads = adsCaller(stage)
    assert.equal(dataOf(await ads('GET', ACCOUNTS)).length, 1)
    for (const [method, path] of [
      ['POST', CAMPAIGNS],
      ['PUT', `${ACCOUNTS}/${ACCOUNT}`],
      ['DELETE', `${CAMPAIGNS}/1`],
    ] as const)
      assert.deepEqual(refusalOf(await ads(method, path)), [403, 'READONLY_CLIENT_APPLICATION'], method)
  })

  test('a read-only token cannot write', async () => {
    const tokens = adsSeed.tokens?.map((token) => ({ ...token, permissions: 'read' as const }))
    await using stage = await setStage({ seed: { ...adsSeed, tokens } })
    const ads = adsCaller(stage)
    assert.equal(dataOf(await ads('GET', ACCOUNTS)).length, 1)
    assert.deepEqual(refusalOf(await ads('PUT', `${ACCOUNTS}/${ACCOUNT}`, { name: 'x' })), [403, 'READONLY_CLIENT_APPLICATION'])
  })

  test('an account of others, of the other host and an unknown one get the same response', async () => {
    const foreign = { id: 'foreign1', name: 'Foreign', members: [{ user_id: '102', role: 'ACCOUNT_ADMIN' }] }
    const inSandbox = { id: 'sand1', name: 'Sand', sandbox: true, members: [{ user_id: ada.id, role: 'ACCOUNT_ADMIN' }] }
    const seed = { ...adsSeed, accounts: [...(adsSeed.accounts ?? []), foreign, inSandbox] } as object as SeedDocument
    await using stage = await setStage({ seed })
    const said = async (host: (typeof HOSTS)[number], id: string, path = '', method = 'GET') => {
      const answer = await adsCaller(stage, host)(method, `${ACCOUNTS}/${id}${path}`)
      assert.deepEqual(refusalOf(answer), [403, 'ACCOUNT_NOT_FOUND'])
      return answer.text.replaceAll(id, '*')
    }
    const none = await said('production', 'none1')
    assert.equal(none, '{"errors":[{"code":"ACCOUNT_NOT_FOUND","message":"Account * was not found"}],"request":{"params":{}}}')
    for (const id of ['foreign1', 'sand1', '!!']) assert.equal(await said('production', id), none, id)
    for (const path of ['/campaigns', '/features', '/curated_categories'])
      assert.equal(await said('production', 'foreign1', path), none, path)
    assert.equal(await said('production', 'foreign1', '/campaigns', 'POST'), none)
    for (const id of ['foreign1', ACCOUNT, 'none1']) assert.equal(await said('sandbox', id), none, id)
    const idsOf = (accounts: { id: string }[]) => accounts.map(({ id }) => id)
    assert.deepEqual(idsOf(dataOf(await adsCaller(stage, 'sandbox')('GET', ACCOUNTS))), ['sand1'])
    assert.deepEqual(idsOf(dataOf(await adsCaller(stage)('GET', ACCOUNTS))), [ACCOUNT])
    assert.deepEqual(dataOf(await adsCaller(stage)('GET', ACCOUNTS, { account_ids: 'foreign1' })), [])
    dataOf(await adsCaller(stage, 'sandbox')('DELETE', `${ACCOUNTS}/sand1`))
    for (const path of ['', '?with_deleted=false', '/campaigns']) assert.equal(await said('sandbox', 'sand1', path), none, path)
    for (const method of ['PUT', 'DELETE']) assert.equal(await said('sandbox', 'sand1', '', method), none, method)
  })
})

suite('routes of the advertising hosts', () => {
  test('an unknown path, a wrong method and a wrong version get different errors', async () => {
    await using stage = await setStage({ seed: adsSeed })
    for (const host of HOSTS) {
      const origin = originOf(stage, host)
      for (const path of [
        '/12/nothing',
        '/',
        '/2/webhooks',
        '/2/users/me',
        '/oauth/authorize',
        '/oauth2/token',
        '/operator/apps',
        '/openapi.json',
      ])
        assert.deepEqual(refusalOf(await call(origin + path, 'GET')), [404, 'ROUTE_NOT_FOUND'], path)
      const verb = await call(`${origin}${ACCOUNTS}/${ACCOUNT}/campaigns`, 'PATCH')
      assert.deepEqual([...refusalOf(verb), verb.headers.get('allow')], [405, 'METHOD_NOT_ALLOWED', 'POST, GET, HEAD'])
      for (const version of ['11', '5', '2', '0']) {
        const older = await call(`${origin}/${version}/accounts`, 'GET')
        assert.equal(older.status, 403)
        assert.deepEqual(older.body, {
          errors: [{ code: 'INVALID', message: `Version ${version} is not available.` }],
          request: { params: {} },
        })
      }
      assert.equal((await call(`${origin}/healthz`, 'GET')).status, 200)
      const answer = await adsCaller(stage, host)('GET', `${ACCOUNTS}/`)
      assert.deepEqual([answer.status, answer.headers.get('x-current-api-version')], [200, '12'])
    }
  })

  test('a wrong method on the health check is rejected like on other paths', async () => {
    await using stage = await setStage({ seed: adsSeed })
    for (const host of HOSTS) {
      const answer = await call(`${originOf(stage, host)}/healthz`, 'POST')
      assert.deepEqual([...refusalOf(answer), answer.headers.get('allow')], [405, 'METHOD_NOT_ALLOWED', 'GET, HEAD'])
      assert.deepEqual([answer.headers.get('api-version'), answer.headers.get('x-current-api-version')], [null, '12'])
    }
    const general = await call(`${stage.origins.base_url}/healthz`, 'POST')
    assert.deepEqual([general.status, general.headers.get('content-type')], [405, 'application/problem+json'])
  })

  test('an empty path segment is not an id', async () => {
    await using stage = await setStage({ seed: adsSeed })
    for (const path of [`${ACCOUNTS}//`, `${ACCOUNTS}//campaigns`, `${CAMPAIGNS}//`])
      assert.deepEqual(refusalOf(await adsCaller(stage)('GET', path)), [404, 'ROUTE_NOT_FOUND'], path)
    assert.equal((await call(`${stage.origins.base_url}/2/webhooks//`, 'PUT')).status, 404)
  })

  test('the general host has none of these routes', async () => {
    await using stage = await setStage({ seed: adsSeed })
    assert.equal((await call(`${stage.origins.base_url}/healthz`, 'GET')).status, 200)
    for (const path of [ACCOUNTS, '/11/accounts', '/12/advertiser_business_categories']) {
      const { status, headers } = await call(stage.origins.base_url + path, 'GET')
      assert.deepEqual([status, headers.get('content-type')], [404, 'application/problem+json'], path)
    }
  })

  test('sandbox-only routes are wrong methods on production', async () => {
    await using stage = await setStage({ seed: adsSeed })
    for (const method of ['PATCH', 'DELETE']) {
      const nowhere = await adsCaller(stage)(method, CAMPAIGNS)
      assert.equal(nowhere.body.errors[0].message, `${method} is not allowed here; allowed: POST, GET, HEAD.`)
    }
    const onlyThere = adsEndpoints.filter(({ sandboxOnly }) => sandboxOnly)
    assert.ok(onlyThere.length >= 6, `${onlyThere.length} endpoints are for the sandbox alone`)
    for (const { name, method, path } of onlyThere) {
      const answer = await adsCaller(stage)(method, path.replace(':account_id', ACCOUNT).replace(/:\w+/g, '1'))
      assert.deepEqual(refusalOf(answer), [405, 'METHOD_NOT_ALLOWED'], name)
      assert.match(answer.body.errors[0].message, new RegExp(`allowed: .*\\. The sandbox host serves ${method}\\.$`), name)
    }
  })
})

const windowOf = ({ headers }: Answer, prefix = 'x-rate-limit'): (number | null)[] =>
  ['limit', 'remaining', 'reset'].map((name) => {
    const value = headers.get(`${prefix}-${name}`)
    return value === null ? null : Number(value)
  })

test('undecodable parameters are parameter errors, not signature errors', async () => {
  await using stage = await setStage({ seed: adsSeed })
  const origin = stage.origins.ads_base_url
  const authorization = 'OAuth oauth_consumer_key="x", oauth_signature="x"'
  for (const query of ['foo=%ff', '%zz=1', 'name=%'])
    assert.deepEqual(refusalOf(await call(`${origin}${ACCOUNTS}?${query}`, 'GET', { headers: { authorization } })), [
      400,
      'INVALID_PARAMETER',
    ])
})

test('too many correctly signed parameters are rejected with the limit', async () => {
  await using stage = await setStage({ seed: adsSeed })
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, '']))
  dataOf(await adsCaller(stage)('GET', ACCOUNTS, many(900)))
  for (const [method, path] of [
    ['GET', ACCOUNTS],
    ['PUT', `${ACCOUNTS}/${ACCOUNT}`],
  ] as const) {
    const answer = await adsCaller(stage)(method, path, many(1001))
    assert.deepEqual(refusalOf(answer), [400, 'INVALID_PARAMETER'])
    assert.match(answer.body.errors[0].message, /more than 1000 parameters/)
  }
})

test('U+0000 in a path is rejected like broken percent-encoding: 400 on every host, for known and unknown paths', async () => {
  await using stage = await setStage({ seed: adsSeed })
  const { ads_base_url, ads_sandbox_base_url, base_url } = stage.origins
  for (const broken of ['%00', 'a%00b', '%zz', '%ff']) {
    for (const origin of [ads_base_url, ads_sandbox_base_url])
      for (const path of [ACCOUNTS, `${ACCOUNTS}/${ACCOUNT}/campaigns`, '/12', '']) {
        const answer = await call(`${origin}${path}/${broken}`, 'GET')
        assert.deepEqual(refusalOf(answer), [400, 'INVALID_PARAMETER'], path)
      }
    for (const path of ['/2/webhooks', '/2/activity/subscriptions', '/1.1', '/operator/apps', '/oauth', '/docs', ''])
      assert.equal((await call(`${base_url}${path}/${broken}`, 'DELETE')).status, 400, path)
  }
  assert.deepEqual(refusalOf(await adsCaller(stage)('GET', `${CAMPAIGNS}/%2500`)), [404, 'INVALID_ID_ILLEGAL_CHARACTERS'])
})

suite('rate limits of the advertising hosts', () => {
  test('reads, totals, core reads and writes are counted separately, and every response has the remaining calls', async () => {
    await using stage = await setStage({ seed: adsSeed })
    const ads = adsCaller(stage)
    const left = async (...request: Parameters<typeof ads>) => windowOf(await ads(...request)).slice(0, 2)
    assert.deepEqual(await left('GET', ACCOUNTS), [2000, 1999])
    assert.deepEqual(await left('GET', ACCOUNTS, { with_total_count: true }), [200, 199])
    assert.deepEqual(await left('GET', ACCOUNTS), [2000, 1998])
    assert.deepEqual(await left('GET', ACCOUNTS, { with_total_count: false }), [2000, 1997])
    assert.deepEqual(await left('PUT', `${ACCOUNTS}/${ACCOUNT}`, { name: 'x' }), [450, 449])
    assert.deepEqual(await left('POST', CAMPAIGNS), [450, 448])
    assert.deepEqual(await left('DELETE', `${CAMPAIGNS}/1`), [450, 447])

    const core = await ads('GET', CAMPAIGNS)
    assert.deepEqual(windowOf(core).slice(0, 2), [10_000, 9999])
    assert.deepEqual(windowOf(core, 'x-account-rate-limit'), windowOf(core))
    const anothers = await adsCaller(
      stage,
      'production',
      graces,
    )('GET', CAMPAIGNS.toUpperCase().replace('/ACCOUNTS', '/accounts').replace('/CAMPAIGNS', '/campaigns'))
    assert.deepEqual(windowOf(anothers).slice(0, 2), [10_000, 9998])
    assert.deepEqual(windowOf(await ads('GET', ACCOUNTS), 'x-account-rate-limit'), [null, null, null])
  })

  test('a total counts once in either spelling, and only where it exists', async () => {
    await using stage = await setStage({ seed: adsSeed })
    const limitOf = async (path: string) => windowOf(await adsCaller(stage)('GET', path))[0]
    for (const query of ['with_total%5Fcount=true', 'with_total_count=%74rue', 'with_total_count=TRUE'])
      assert.equal(await limitOf(`${ACCOUNTS}?${query}`), 200, query)
    assert.equal(await limitOf(`${ACCOUNTS}/${ACCOUNT}?with_total_count=true`), 2000)
  })

  test('rejected callers are counted like others, without using up the calls of others', async () => {
    const seed = { ...adsSeed, accounts: adsSeed.accounts?.map((account) => ({ ...account, members: account.members?.slice(0, 1) })) }
    await using stage = await setStage({ seed: seed as SeedDocument })
    const stranger = adsCaller(stage, 'production', graces)
    for (const remaining of [9999, 9998]) {
      const answer = await stranger('GET', CAMPAIGNS)
      assert.deepEqual(refusalOf(answer), [403, 'ACCOUNT_NOT_FOUND'])
      assert.deepEqual(windowOf(answer).slice(0, 2), [10_000, remaining])
      assert.deepEqual(windowOf(answer, 'x-account-rate-limit'), [null, null, null])
    }
    assert.deepEqual(windowOf(await adsCaller(stage)('GET', CAMPAIGNS)).slice(0, 2), [10_000, 9999])
  })

  test('the sandbox has its own counters', async () => {
    await using stage = await setStage({ seed: adsSeed })
    const left = async (host: 'production' | 'sandbox') => windowOf(await adsCaller(stage, host)('GET', ACCOUNTS)).slice(0, 2)
    for (const host of ['production', 'sandbox'] as const) assert.deepEqual(await left(host), [2000, 1999])
  })

  test('beyond a limit calls are rejected until the window ends: one minute for writes, 15 minutes for reads', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'limits-'))
    try {
      const file = join(folder, 'limits.json')
      await writeFile(file, JSON.stringify({ adsWrites: 1, adsReads: 2, adsTotals: 1 }))
      await using stage = await setStage({ seed: adsSeed, environment: { POSTERN_RATE_LIMITS: file } })
      const ads = adsCaller(stage)
      const write = () => ads('PUT', `${ACCOUNTS}/${ACCOUNT}`, { name: 'x' })
      const read = (params = {}) => ads('GET', ACCOUNTS, params)
      for (const allowed of [write, read, read, () => read({ with_total_count: true })]) dataOf(await allowed())
      for (const refused of [write, read, () => read({ with_total_count: true })]) {
        const answer = await refused()
        assert.deepEqual(refusalOf(answer), [429, 'TOO_MANY_REQUESTS'])
        assert.equal(windowOf(answer)[1], 0)
        const endsAtMs = windowOf(answer)[2]! * 1000
        assert.ok(endsAtMs > stage.clock.now(), `the window ends at ${new Date(endsAtMs).toISOString()}`)
      }
      dataOf(await adsCaller(stage, 'production', graces)('GET', ACCOUNTS))
      stage.clock.advance(60_000)
      dataOf(await write())
      assert.deepEqual(mistakesOf(await read()), [429, 'TOO_MANY_REQUESTS'])
      stage.clock.advance(14 * 60_000)
      dataOf(await read())
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
