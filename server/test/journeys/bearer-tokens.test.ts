import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '../stage/call.ts'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, OPERATOR_TOKEN, otherApp, type Stage, setStage } from '../stage/postern.ts'

const basic = (key: string, secret: string) => `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

const ask = (stage: Stage, authorization: string, body = 'grant_type=client_credentials', path = '/oauth2/token') =>
  stage.api('POST', path, { headers: { ...FORM, authorization }, body })

const refused = { errors: [{ code: 99, message: 'Unable to verify your credentials', label: 'authenticity_token_error' }] }

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: the same token is returned until it is invalidated, across restarts, and then a new one`, async () => {
    await using stage = await setStage({ flavour })
    const tokens = await Promise.all(Array.from({ length: 10 }, () => stage.token()))
    await stage.restart()
    const [token = ''] = [...new Set([...tokens, await stage.token()])]
    assert.equal(new Set(tokens).size, 1)
    assert.equal((await stage.api('GET', '/2/webhooks', { token })).status, 200)

    const own = basic(demoApp.consumer_key, demoApp.consumer_secret)
    const foreign = await ask(
      stage,
      basic(otherApp.consumer_key, otherApp.consumer_secret),
      `access_token=${token}`,
      '/oauth2/invalidate_token',
    )
    assert.deepEqual([foreign.status, foreign.body], [403, refused])
    const invalidated = await ask(stage, own, `access_token=${token}`, '/oauth2/invalidate_token')
    assert.deepEqual([invalidated.status, invalidated.body], [200, { access_token: token }])
    const ended = await stage.api('GET', '/2/webhooks', { token })
    assert.deepEqual([ended.status, ended.body.errors], [401, [{ code: 89, message: 'Invalid or expired token.' }]])
    assert.equal((await ask(stage, own, `access_token=${token}`, '/oauth2/invalidate_token')).status, 403)
    assert.notEqual(await stage.token(), token)
  })
}

test('wrong keys, wrong secrets, missing and other grant types are all 403 code 99, byte by byte', async () => {
  await using stage = await setStage()
  const good = basic(demoApp.consumer_key, demoApp.consumer_secret)
  const cases: [authorization: string, body?: string][] = [
    [basic('nobody', demoApp.consumer_secret)],
    [basic(demoApp.consumer_key, 'wrong')],
    [basic(demoApp.consumer_key, '')],
    ['Basic %%%'],
    ['Basic bm9jb2xvbg=='],
    [''],
    [good, ''],
    [good, 'grant_type='],
    [good, 'grant_type=password'],
  ]
  for (const [authorization, body] of cases) {
    const answer = await ask(stage, authorization, body)
    assert.deepEqual([answer.status, answer.body], [403, refused], `${authorization} ${body}`)
  }
})

test('what follows a token or the text of HTTP Basic in the header is part of it, and makes it wrong', async () => {
  await using stage = await setStage()
  const token = await stage.token()
  const read = (authorization: string) => call(`${stage.origins.base_url}/2/webhooks`, 'GET', { headers: { authorization } })
  assert.equal((await read(`bearer  ${token}`)).status, 200)
  for (const more of [' x', ' x; y', ',', ` ${token}`]) assert.equal((await read(`Bearer ${token}${more}`)).status, 401, more)
  const operator = await call(`${stage.origins.operator_url}/operator/apps`, 'GET', {
    headers: { authorization: `Bearer ${OPERATOR_TOKEN} x` },
  })
  assert.equal(operator.status, 401)
  const good = basic(demoApp.consumer_key, demoApp.consumer_secret)
  assert.equal((await ask(stage, good)).status, 200)
  const answer = await ask(stage, `${good} junk`)
  assert.deepEqual([answer.status, answer.body], [403, refused])
})

test('keys may be percent-encoded or not', async () => {
  const app = { id: '5', name: 'Odd', consumer_key: 'a key/with+signs', consumer_secret: 's%cret:with&signs=' }
  await using stage = await setStage({ seed: { apps: [app] } })
  const plain = await ask(stage, basic(app.consumer_key, app.consumer_secret))
  const encoded = await ask(stage, basic(encodeURIComponent(app.consumer_key), encodeURIComponent(app.consumer_secret)))
  assert.deepEqual([plain.status, encoded.status], [200, 200])
  assert.equal(plain.body.access_token, encoded.body.access_token)
})

test('too many requests are 403 code 99, and every counted response has the remaining calls', async () => {
  await using stage = await setStage()
  const good = basic(demoApp.consumer_key, demoApp.consumer_secret)
  const first = await ask(stage, good)
  assert.equal(first.headers.get('x-rate-limit-limit'), '450')
  assert.equal(first.headers.get('x-rate-limit-remaining'), '449')
  const resetMs = Number(first.headers.get('x-rate-limit-reset')) * 1000
  assert.ok(resetMs > stage.clock.now() && resetMs <= stage.clock.now() + 901_000)
  for (let call = 2; call <= 450; call += 1) await ask(stage, good)
  const over = await ask(stage, good)
  assert.deepEqual([over.status, over.body, over.headers.get('x-rate-limit-remaining')], [403, refused, '0'])
  assert.equal((await ask(stage, basic(otherApp.consumer_key, otherApp.consumer_secret))).status, 200)
  stage.clock.advance(900_000)
  assert.equal((await ask(stage, good)).status, 200)
})

test('a call over its limit on the general host is a 429 problem', async () => {
  await using stage = await setStage()
  const token = await stage.token()
  for (let call = 1; call <= 100; call += 1) await stage.api('POST', '/2/webhooks/replay', { token, json: {} })
  const over = await stage.api('POST', '/2/webhooks/replay', { token, json: {} })
  assert.equal(over.status, 429)
  assert.deepEqual(over.body, { type: 'about:blank', title: 'Too Many Requests', detail: 'Too Many Requests', status: 429 })
})
