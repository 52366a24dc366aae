import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '../stage/call.ts'
import { openWith, untilClosed } from '../stage/hostile/bare-host.ts'
import { demoApp, OPERATOR_TOKEN, SECRET, type Stage, setStage } from '../stage/postern.ts'
import { askForSignIn, atApprovalPage, PASSWORD, pinOf, signed, signIn, signInSeed } from '../stage/sign-in.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const basic = (key: string, secret: string) => `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`

const ledger = async (stage: Stage, query = '') => {
  const answer = await stage.operator('GET', `/operator/requests?max_results=1000${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer
}

test('the ledger has every call of the public hosts with its answer, and none of the operator', async () => {
  await using stage = await setStage()
  const token = await stage.token()
  await stage.operator('DELETE', '/operator/requests')
  await stage.api('GET', '/2/webhooks?webhook_config.fields=url', { token })
  await stage.api('POST', '/2/webhooks', { token, json: { url: 'http://example.com/' } })
  await stage.api('GET', '/2/webhooks', { token: 'wrong' })
  await stage.api('GET', '/2/nowhere')
  await call(`${stage.origins.ads_base_url}/12/accounts`, 'GET')
  await call(`${stage.origins.base_url}/docs`, 'GET')
  await stage.operator('GET', '/operator/apps')
  const { data, meta } = (await ledger(stage)).body
  assert.deepEqual(
    data.map((one: Record<string, unknown>) => [one.method, one.url, one.endpoint, one.app_id, one.status]),
    [
      ['GET', '/2/webhooks?webhook_config.fields=url', 'listWebhooks', '1', 200],
      ['POST', '/2/webhooks', 'createWebhook', '1', 400],
      ['GET', '/2/webhooks', 'listWebhooks', null, 401],
      ['GET', '/2/nowhere', null, null, 404],
      ['GET', '/12/accounts', 'listAccounts', null, 401],
    ],
  )
  assert.equal(meta.next, data.at(-1).sequence)
  const [read, written, wrong, nowhere] = data
  assert.equal(read.request.headers.authorization, 'Bearer ***')
  assert.equal(read.host, new URL(stage.origins.base_url).host)
  assert.deepEqual([read.request.body, read.response.body, read.refused], [null, '{"data":[],"meta":{"result_count":0}}', undefined])
  assert.equal(written.request.body, '{"url":"http://example.com/"}')
  assert.match(written.refused.reason, /UrlValidationFailed/)
  assert.match(wrong.refused.explain_url, /^http:\/\/127\.0\.0\.1:\d+\//)
  await call(wrong.refused.explain_url, 'GET')
  await call(wrong.refused.explain_url, 'GET', { headers: { accept: 'application/json' } })
  assert.equal(nowhere.refused.reason, 'No endpoint has this path on this host: /2/nowhere')
  assert.deepEqual((await ledger(stage, `&after=${meta.next}`)).body, { data: [], meta: { next: meta.next } })
  const statuses = async (query: string) => (await ledger(stage, query)).body.data.map(({ status }: { status: number }) => status)
  assert.deepEqual(await statuses('&status=401'), [401, 401])
  assert.deepEqual(await statuses('&app_id=1'), [200, 400])
  assert.deepEqual(await statuses('&path=/12/'), [401])
  const { id } = (await stage.operator('POST', '/operator/faults', { call: 'GET /2/users/:id', status: 503 })).body.data
  await stage.api('GET', '/2/users/101')
  const hit = (await ledger(stage)).body.data.at(-1)
  assert.deepEqual([hit.fault, hit.refused], [id, { reason: `Fault ${id} refused the call with 503.` }])
  await stage.operator('POST', '/operator/reset', {})
  assert.deepEqual((await ledger(stage)).body.data, [])
})

test('of a host of its own nothing of the operator is in the ledger, broken or not', async () => {
  await using stage = await setStage({ environment: { POSTERN_OPERATOR_PORT: '0' } })
  const { base_url, operator_url } = stage.origins
  await stage.operator('GET', '/nowhere')
  assert.equal((await untilClosed(openWith(operator_url, 'NONSENSE\r\n\r\n')))[0]!.status, 400)
  assert.deepEqual((await ledger(stage)).body.data, [])
  assert.equal((await untilClosed(openWith(base_url, 'NONSENSE\r\n\r\n')))[0]!.status, 400)
  const { data } = (await ledger(stage)).body
  assert.deepEqual(
    data.map((one: Record<string, unknown>) => [one.method, one.url, one.status]),
    [['?', '?', 400]],
  )
})

test('the ledger has the method, URL and headers of what is refused once they were read', async () => {
  await using stage = await setStage()
  const { base_url } = stage.origins
  const statusOf = async (bytes: string) => (await untilClosed(openWith(base_url, bytes)))[0]!.status
  const head = 'Host: a\r\nAuthorization: Bearer token-of-tea\r\n'
  assert.equal(await statusOf(`POST /2/tweets?a=b HTTP/1.1\r\n${head}Expect: tea\r\nContent-Length: 2\r\n\r\n{}`), 417)
  assert.equal(await statusOf(`CONNECT example.com:443 HTTP/1.1\r\n${head}\r\n`), 400)
  await statusOf(`POST /operator/apps HTTP/1.1\r\n${head}Expect: tea\r\nContent-Length: 2\r\n\r\n{}`)
  const { data } = (await ledger(stage)).body
  assert.deepEqual(
    data.map(({ method, url, status, request }: Record<string, unknown> & { request: { headers: Record<string, string> } }) => [
      method,
      url,
      status,
      request.headers.authorization,
    ]),
    [
      ['POST', '/2/tweets?a=b', 417, 'Bearer ***'],
      ['CONNECT', 'example.com:443', 400, 'Bearer ***'],
    ],
  )
})

test('no secret is in the ledger, wherever it was sent or answered', async () => {
  const client = {
    oauth2_client_id: 'client-of-the-ledger',
    oauth2_client_type: 'confidential',
    oauth2_client_secret: 'secret-of-the-ledger-client',
  }
  const [first, ...others] = signInSeed.apps!
  await using stage = await setStage({ seed: { ...signInSeed, apps: [{ ...first!, ...client } as never, ...others] } })
  const secrets = new Set<string>([demoApp.consumer_secret, client.oauth2_client_secret, PASSWORD, OPERATOR_TOKEN, SECRET])
  const keep = <T extends Record<string, string>>(found: T) => {
    for (const [name, value] of Object.entries(found)) if (/token|secret|verifier/.test(name)) secrets.add(value)
    return found
  }
  // Sign-in by OAuth 1.0a: a request token, the page with the password, a PIN or a verifier, an access token.
  const asked = keep(await askForSignIn(stage))
  const decided = await atApprovalPage(stage).decide(asked.oauth_token, 'allow')
  secrets.add(new URL(decided.headers.get('location')!).searchParams.get('oauth_verifier')!)
  const byPin = keep(await askForSignIn(stage, demoApp, 'oob'))
  secrets.add(pinOf((await atApprovalPage(stage).decide(byPin.oauth_token, 'allow')).text))
  const user = keep((await signIn(stage)) as unknown as Record<string, string>)
  await signed(stage, 'GET', '/1.1/account/verify_credentials.json', user as never)
  await signed(stage, 'GET', '/2/users/me', { ...user, consumer_secret: 'wrong-secret-of-the-ledger' } as never)
  // App-only tokens, in the header, the form, JSON and the query, right and wrong.
  const token = await stage.token()
  secrets.add(token).add('a-wrong-bearer-token')
  await stage.api('GET', '/2/webhooks', { token })
  await stage.api('GET', '/2/webhooks', { token: 'a-wrong-bearer-token' })
  await stage.api('GET', `/2/webhooks?access_token=${token}`)
  await stage.api('POST', '/2/webhooks', { token, json: { url: `http://127.0.0.1/?access_token=${token}`, access_token: token } })
  await stage.api('POST', '/oauth2/token', {
    headers: { authorization: basic(demoApp.consumer_key, 'wrong-app-secret'), ...FORM },
    body: 'grant_type=client_credentials',
  })
  secrets.add('wrong-app-secret')
  await stage.api('POST', '/2/oauth2/token', {
    headers: { authorization: basic(client.oauth2_client_id, client.oauth2_client_secret), ...FORM },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: 'code-of-the-ledger',
      redirect_uri: 'http://127.0.0.1:3009/cb',
      code_verifier: 'v'.repeat(43),
    }).toString(),
  })
  secrets.add('code-of-the-ledger').add('v'.repeat(43))
  await stage.api('POST', '/2/oauth2/revoke', {
    headers: { ...FORM },
    body: new URLSearchParams({
      token: 'token-to-revoke-of-the-ledger',
      client_id: client.oauth2_client_id,
      client_secret: client.oauth2_client_secret,
    }).toString(),
  })
  secrets.add('token-to-revoke-of-the-ledger')
  await stage.api('GET', '/2/users/me', { headers: { cookie: 'session=cookie-of-the-ledger' } })
  secrets.add('cookie-of-the-ledger')
  const referer = 'https://me:password-in-a-header@example.com/'
  await stage.api('POST', '/2/webhooks', { token, json: { url: 'https://me:password-in-a-url@example.com/' }, headers: { referer } })
  secrets.add('password-in-a-header').add('password-in-a-url')
  await stage.api('POST', '/2/webhooks', {
    token,
    headers: { 'content-type': 'application/json' },
    body: '{"secret":"broken-json-of-the-ledger"',
  })
  secrets.add('broken-json-of-the-ledger')
  await stage.api('POST', '/oauth2/invalidate_token', {
    headers: { authorization: basic(demoApp.consumer_key, demoApp.consumer_secret), ...FORM },
    body: `access_token=${token}`,
  })

  const { text, body } = await ledger(stage)
  assert.ok(body.data.length > 15)
  assert.ok(secrets.size > 15)
  for (const secret of secrets)
    for (const spelling of [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      Buffer.from(secret).toString('base64'),
    ])
      assert.ok(
        !text.includes(spelling),
        `the ledger has ${spelling}: ${text.slice(Math.max(0, text.indexOf(spelling) - 200), text.indexOf(spelling) + 100)}`,
      )
})

test('the ledger keeps the last 1,000 calls, bodies of at most 4,096 characters, and nothing of uploads', async () => {
  await using stage = await setStage({ environment: { POSTERN_RATE_LIMITS: 'off' } })
  const token = await stage.token()
  await stage.operator('DELETE', '/operator/requests')
  for (let batch = 0; batch < 21; batch += 1)
    await Promise.all(Array.from({ length: 50 }, () => stage.api('GET', '/2/webhooks', { token })))
  const { data } = (await ledger(stage)).body
  assert.equal(data.length, 1000)
  assert.equal(data.at(-1).sequence - data[0].sequence, 999)
  await stage.operator('DELETE', '/operator/requests')
  await stage.api('POST', '/2/webhooks', { token, json: { url: 'x'.repeat(5000) } })
  const form = new FormData()
  form.set('media', new Blob(['bytes of an image that are not kept']), 'a.png')
  await fetch(`${stage.origins.base_url}/2/media/upload`, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: form })
  await stage.api('POST', '/2/webhooks', { token, json: { url: 'y'.repeat(70_000) } })
  const [long, upload, large] = (await ledger(stage)).body.data
  assert.deepEqual([long.request.body.length, long.request.truncated, long.request.body_bytes], [4096, true, 5010])
  assert.deepEqual([upload.request.body, large.request.body, large.request.body_bytes], [null, null, 70_010])
})

test('in production there is no ledger', async () => {
  const environment = { POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '0' }
  await using stage = await setStage({ environment })
  for (const method of ['GET', 'DELETE']) assert.equal((await stage.operator(method, '/operator/requests')).status, 404)
})
