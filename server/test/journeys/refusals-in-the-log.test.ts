// What the log says of refused credentials: a warning with the client's address, and no secret.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { call } from '../stage/call.ts'
import { limitFile } from '../stage/limit-file.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { ada, askForSignIn, atApprovalPage } from '../stage/sign-in.ts'
import { sendSigned, signedInSeed } from '../stage/signed-calls.ts'

const [INFO, WARN] = [30, 40]
const ADDRESS = '198.51.100.7'
const headers = { 'x-forwarded-for': ADDRESS }
const READER = 'the-token-of-a-reader-with-enough-characters'
const environment = { POSTERN_OPERATOR_TOKENS: `looking:read:${READER}` }

/** Whatever is sent as a secret here holds this. */
const S = 'hunter2'

const basic = (secret: string) => ({ authorization: `Basic ${Buffer.from(`${demoApp.consumer_key}:${secret}`).toString('base64')}` })
const askBearer = (stage: Stage, secret: string) =>
  stage.api('POST', '/oauth2/token', {
    headers: { ...headers, ...basic(secret), 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  })
const asOperator = (stage: Stage, token: string, method = 'GET') =>
  call(`${stage.origins.operator_url}/operator/users/9`, method, { token, headers })

suite('a warning with the address', () => {
  let stage: Stage
  before(async () => {
    stage = await setStage({ seed: signedInSeed, environment })
  })
  after(() => stage[Symbol.asyncDispose]())

  /** The lines that an act leaves, without what each has. */
  const linesOf = async (act: () => Promise<unknown>, message: string) => {
    const from = stage.log.length
    await act()
    const lines = await stage.until(() => {
      const found = stage.log.slice(from).filter(({ msg }) => msg === message)
      return found.length > 0 && found
    })
    assert.ok(!JSON.stringify(stage.log).includes(S))
    return lines.map(({ time, msg, explain, answer, ...line }) => line)
  }

  test('for a wrong signature', async () => {
    const sent = { headers }
    assert.deepEqual(await linesOf(() => sendSigned(stage, { consumer_secret: S, sent }), 'OAuth signature rejected'), [
      { level: WARN, code: 32, why: 'The signature does not match the request.', address: ADDRESS },
    ])
    for (const path of ['/2/users/me', '/2/webhooks'])
      assert.deepEqual(await linesOf(() => sendSigned(stage, { path, oauth_token: S, sent }), 'OAuth signature rejected'), [
        {
          level: WARN,
          code: 89,
          why: 'There is no such oauth_token for this app: it was revoked, has expired, or never existed.',
          address: ADDRESS,
        },
      ])
    assert.deepEqual(await linesOf(() => sendSigned(stage, { consumer_key: S, sent }), 'OAuth signature rejected'), [
      { level: WARN, code: 89, why: 'No app has this oauth_consumer_key.', address: ADDRESS },
    ])
  })

  test('but no warning for a request without a signature', async () => {
    const lines = await linesOf(() => stage.api('GET', '/2/users/me', { headers }), 'OAuth signature rejected')
    assert.deepEqual(lines, [{ level: INFO, code: 215, why: 'The request has no OAuth 1.0a parameters.', address: ADDRESS }])
  })

  test('for a wrong bearer token', async () => {
    for (const path of ['/2/webhooks', '/2/activity/subscriptions'])
      assert.deepEqual(await linesOf(() => stage.api('GET', path, { token: S, headers }), 'wrong credentials'), [
        { level: WARN, credentials: 'bearer token', address: ADDRESS },
      ])
  })

  test('for a wrong API key secret', async () => {
    assert.deepEqual(await linesOf(() => askBearer(stage, S), 'wrong credentials'), [
      { level: WARN, credentials: 'app secret', address: ADDRESS },
    ])
  })

  test('for a wrong password', async () => {
    const { oauth_token } = await askForSignIn(stage)
    const login = () => atApprovalPage(stage, headers).decide(oauth_token, 'allow', { username: ada.username, password: S })
    assert.deepEqual(await linesOf(login, 'wrong credentials'), [{ level: WARN, credentials: 'password', address: ADDRESS }])
  })

  test('for a wrong operator token, and for one that may only read', async () => {
    assert.deepEqual(await linesOf(() => asOperator(stage, S, 'DELETE'), 'operator call'), [
      { level: WARN, endpoint: 'deleteUser', status: 401, address: ADDRESS },
    ])
    assert.deepEqual(await linesOf(() => asOperator(stage, READER, 'DELETE'), 'operator call'), [
      { level: WARN, endpoint: 'deleteUser', status: 403, token_name: 'looking', address: ADDRESS },
    ])
  })

  test('and none where the credentials are right', async () => {
    const from = stage.log.length
    const token = await stage.token()
    assert.equal((await stage.api('GET', '/2/webhooks', { token })).status, 200)
    assert.equal((await sendSigned(stage)).status, 200)
    assert.equal((await atApprovalPage(stage).decide((await askForSignIn(stage)).oauth_token, 'allow')).status, 302)
    assert.equal((await stage.operator('DELETE', '/operator/users/9')).status, 404)
    const lines = await stage.logged('operator call', 1)
    assert.deepEqual(lines.at(-1).level, INFO)
    assert.deepEqual(
      stage.log.slice(from).filter(({ level }) => level >= WARN),
      [],
    )
  })
})

test('beyond their limit wrong credentials are counted and not logged one by one', async () => {
  const file = limitFile({ failedAppSecrets: 3 })
  await using stage = await setStage({ seed: signedInSeed, environment: { POSTERN_RATE_LIMITS: file } })
  for (let n = 0; n < 9; n++) assert.equal((await askBearer(stage, S)).status, 403)
  const [failures] = (await stage.operator('GET', '/operator/audit/failures')).body.data
  assert.equal(failures.count, 9)
  assert.equal(stage.log.filter(({ msg }) => msg === 'wrong credentials').length, 4)
})
