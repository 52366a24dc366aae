// What sign-in answers when it refuses: statuses, texts and headers as clients match them (§4.3, §7).
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { requestToken } from '../../src/endpoints/sign-in/oauth1-tokens.ts'
import { type Answer, call } from '../stage/call.ts'
import { demoApp, otherApp, type Stage, setStage } from '../stage/postern.ts'
import { askForSignIn, CALLBACK, exchange, signed } from '../stage/sign-in.ts'
import { adas, sendSigned, signedInSeed } from '../stage/signed-calls.ts'
import { anApp } from '../storage/samples.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

const errorsOf = ({ status, body }: Answer) => [status, body?.errors]

suite('refusals of sign-in', () => {
  let stage: Stage
  before(async () => {
    stage = await setStage({ seed: signedInSeed })
  })
  after(() => stage[Symbol.asyncDispose]())

  const askWith = (oauth: Record<string, string>) => signed(stage, 'POST', '/oauth/request_token', demoApp, { oauth })

  test('a missing or wrong parameter is 403 code 38', async () => {
    for (const answer of [await askWith({}), await askWith({ oauth_callback: 'oob', x_auth_access_type: 'all' })])
      assert.deepEqual([answer.status, answer.body.errors.map(({ code }: { code: number }) => code)], [403, [38]], answer.text)
    assert.match((await askWith({})).body.errors[0].message, /^`oauth_callback` is required/)
  })

  test('a form that cannot be decoded is 400', async () => {
    const basic = `Basic ${btoa(`${demoApp.consumer_key}:${demoApp.consumer_secret}`)}`
    for (const body of ['grant_type=%', 'grant_type=%ff', 'grant_type=a%00', 'grant_type=a&grant_type=b'])
      assert.deepEqual(
        errorsOf(await stage.api('POST', '/oauth2/token', { headers: { ...FORM, authorization: basic }, body })).flat()[0],
        400,
        body,
      )
  })

  test('code 415 has its whole text, and in development the callbacks that are registered', async () => {
    assert.deepEqual(errorsOf(await askWith({ oauth_callback: 'https://elsewhere.example/cb' })), [
      403,
      [
        {
          code: 415,
          message:
            'Callback URL not approved for this client application. Approved callback URLs can be adjusted in your application settings. ' +
            `Registered for this app: ${CALLBACK}, https://demo.example/cb?a=1, demo-app://signed-in`,
        },
      ],
    ])
  })

  test('in production code 415 names no callback', async () => {
    const caller = { app: anApp({ callbackUrls: [CALLBACK] }), oauth: new Map([['oauth_callback', 'https://elsewhere.example/cb']]) }
    const refused = (requestToken.handle as (call: object, services: object) => Promise<unknown>)({ caller }, { development: false })
    await assert.rejects(refused, {
      code: 415,
      status: 403,
      message: 'Callback URL not approved for this client application. Approved callback URLs can be adjusted in your application settings',
    })
  })

  test('the ledger names the signature method that is not served', async () => {
    assert.equal((await askWith({ oauth_callback: 'oob', oauth_signature_method: 'HMAC-SHA256' })).status, 401)
    const { data } = (await stage.operator('GET', '/operator/requests?path=/oauth/request_token&status=401')).body
    assert.equal(data.at(-1).refused.reason, 'oauth_signature_method is HMAC-SHA256; only HMAC-SHA1 is served.')
  })

  test('code 99 has its label', async () => {
    const answer = await stage.api('POST', '/oauth2/token', { headers: { authorization: `Basic ${btoa('nobody:x')}` } })
    assert.deepEqual(errorsOf(answer), [
      403,
      [{ code: 99, message: 'Unable to verify your credentials', label: 'authenticity_token_error' }],
    ])
  })

  test('every 401 says that a signature is expected', async () => {
    const realm = `OAuth realm="${stage.origins.base_url}"`
    const asked = await askForSignIn(stage)
    await stage.operator('PATCH', `/operator/apps/${otherApp.id}`, { callback_urls: [] })
    const late = stage.clock.now() - 600_000
    const answers: [why: string, answer: Answer, header: string][] = [
      ['wrong secret', await sendSigned(stage, { consumer_secret: 'wrong' }), `${realm}, api_error_code=32`],
      ['wrong verifier', await exchange(stage, demoApp, asked, 'wrong'), realm],
      ['no verifier', await signed(stage, 'POST', '/oauth/access_token', { ...demoApp, ...asked }), realm],
      ['unknown request token', await exchange(stage, demoApp, adas, '1'), `${realm}, api_error_code=89`],
      ['revoked token', await sendSigned(stage, { oauth_token: '101-none' }), `${realm}, api_error_code=89`],
      ['old timestamp', await sendSigned(stage, { nowMs: late }), `${realm}, api_error_code=135`],
      [
        'no callbacks',
        await signed(stage, 'POST', '/oauth/request_token', otherApp, { oauth: { oauth_callback: CALLBACK } }),
        `${realm}, api_error_code=417`,
      ],
    ]
    await stage.operator('PATCH', `/operator/apps/${demoApp.id}`, { suspended: true })
    answers.push(['suspended app', await sendSigned(stage), `${realm}, api_error_code=416`])
    await stage.operator('PATCH', `/operator/apps/${demoApp.id}`, { suspended: false })
    for (const [why, answer, header] of answers)
      assert.deepEqual([answer.status, answer.headers.get('www-authenticate')], [401, header], `${why}: ${answer.text}`)
  })

  test('so does every 401 of the other hosts, by the credentials that they take', async () => {
    const token = await stage.token()
    const challenge = async (url: string, headers: Record<string, string> = {}) => {
      const answer = await call(url, 'GET', { headers })
      assert.equal(answer.status, 401, url)
      return answer.headers.get('www-authenticate')
    }
    const { base_url, ads_base_url } = stage.origins
    assert.equal(await challenge(`${base_url}/2/webhooks`), 'Bearer realm="postern"')
    const wrong = { authorization: 'Bearer wrong' }
    assert.equal(await challenge(`${base_url}/2/webhooks`, wrong), 'Bearer realm="postern", error="invalid_token"')
    assert.equal(await challenge(`${base_url}/2/users/me`, wrong), 'Bearer realm="postern", error="invalid_token"')
    assert.equal(await challenge(`${base_url}/operator/apps`), 'Bearer realm="postern operator"')
    assert.equal(await challenge(`${base_url}/operator/apps`, wrong), 'Bearer realm="postern operator", error="invalid_token"')
    assert.equal(await challenge(`${base_url}/2/users/me`), `OAuth realm="${base_url}", api_error_code=215`)
    assert.equal(await challenge(`${ads_base_url}/12/accounts`), `OAuth realm="${ads_base_url}", api_error_code=215`)
    assert.equal(await challenge(`${ads_base_url}/12/accounts`, { authorization: `Bearer ${token}` }), `OAuth realm="${ads_base_url}"`)
    await stage.operator('PATCH', `/operator/apps/${demoApp.id}`, { suspended: true })
    const bearer = { authorization: `Bearer ${token}` }
    assert.equal(await challenge(`${base_url}/2/webhooks`, bearer), 'Bearer realm="postern"')
    await stage.operator('PATCH', `/operator/apps/${demoApp.id}`, { suspended: false })
  })
})
