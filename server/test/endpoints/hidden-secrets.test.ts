// Errors about passwords and secrets show a mark where others show the value.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Answer, call } from '../stage/call.ts'
import { OPERATOR_TOKEN, type Stage, setStage } from '../stage/postern.ts'
import { APPROVAL_PAGE, signInSeed } from '../stage/sign-in.ts'

/** Whatever is sent as a secret here holds this. */
const S = 'hunter2'
const LONG = S.repeat(100)

suite('an error about a secret does not repeat it', () => {
  let stage: Stage
  before(async () => {
    stage = await setStage({ seed: signInSeed })
  })
  after(() => stage[Symbol.asyncDispose]())

  const parametersOf = (answer: Answer) => {
    assert.equal(answer.status, 400, answer.text)
    assert.ok(!answer.text.includes(S), answer.text)
    return Object.assign({}, ...answer.body.errors.map(({ parameters }: { parameters?: object }) => parameters))
  }
  const sendText = (method: string, path: string, body: string) =>
    call(stage.origins.operator_url + path, method, { token: OPERATOR_TOKEN, body, headers: { 'content-type': 'application/json' } })
  const refused = async (method: string, path: string, json?: unknown) => parametersOf(await stage.operator(method, path, json))

  test('of the wrong length or type', async () => {
    const hidden = (name: string) => ({ [name]: ['***'] })
    for (const password of [S, LONG, [S], { [S.slice(0, 3)]: S }, `$argon2id$${S}`])
      assert.deepEqual(await refused('PATCH', '/operator/users/101', { password }), hidden('password'))
    for (const consumer_secret of [S, LONG, [S]]) {
      assert.deepEqual(await refused('POST', '/operator/apps', { name: 'x', consumer_secret }), hidden('consumer_secret'))
      assert.deepEqual(
        await refused('PATCH', '/operator/apps/1', { rotate_secret: { consumer_secret } }),
        hidden('rotate_secret.consumer_secret'),
      )
    }
    assert.deepEqual(await refused('POST', '/operator/tokens/revoke', { token: [S] }), hidden('token'))
    assert.deepEqual(
      await refused('POST', '/operator/seed', { apps: [{ name: 'x', consumer_secret: LONG }] }),
      hidden('apps.0.consumer_secret'),
    )
    assert.deepEqual(await refused('POST', '/operator/seed', { users: [{ username: 'x', password: LONG }] }), hidden('users.0.password'))
    const token = { consumer_key: 'x', user_id: '1', oauth_token: LONG, oauth_token_secret: LONG }
    assert.deepEqual(await refused('POST', '/operator/seed', { tokens: [token] }), {
      ...hidden('tokens.0.oauth_token'),
      ...hidden('tokens.0.oauth_token_secret'),
    })
  })

  test('in what should be the object around it', async () => {
    assert.deepEqual(await refused('PATCH', '/operator/apps/1', { rotate_secret: S }), { rotate_secret: ['***'] })
    for (const users of [S, { username: 'x', password: S }])
      assert.deepEqual(await refused('POST', '/operator/seed', { users }), { users: ['***'] })
    assert.deepEqual(await refused('POST', '/operator/seed', { users: [S] }), { 'users.0': ['***'] })
  })

  test('in the query, where it does not belong', async () => {
    assert.deepEqual(await refused('PATCH', `/operator/users/101?password=${S}`, { disabled: false }), { password: ['***'] })
    assert.deepEqual(await refused('PATCH', `/operator/apps/1?consumer_secret=${S}`, { name: 'x' }), { consumer_secret: ['***'] })
    assert.deepEqual(await refused('PATCH', `/operator/users/101?password=${S}&password=${S}`), { password: ['***', '***'] })
    assert.deepEqual(await refused('PATCH', `/operator/users/101?password=${S}%ff`), {})
  })

  test('in a body that is not JSON', async () => {
    for (const body of [`{"password": ${S}}`, S, `{"password": "${S}"} ${S}`, `{"password": "${S}`])
      parametersOf(await sendText('PATCH', '/operator/users/101', body))
  })

  test('in the approval form and in a form of OAuth 2.0', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const page = await stage.api('POST', APPROVAL_PAGE, {
      headers,
      body: `oauth_token=a&proof=b&decision=allow&username=ada&password=${LONG}`,
    })
    assert.equal(page.status, 400)
    assert.ok(!page.text.includes(S))
    const authorization = `Basic ${Buffer.from(`${signInSeed.apps![0]!.consumer_key}:${signInSeed.apps![0]!.consumer_secret}`).toString('base64')}`
    const answer = await stage.api('POST', '/oauth2/invalidate_token', {
      headers: { ...headers, authorization },
      body: `access_token=${LONG}`,
    })
    assert.deepEqual([answer.status, answer.text.includes(S)], [403, false])
  })

  test('while other values are shown', async () => {
    const answer = await stage.operator('PATCH', '/operator/users/101', { disabled: 'maybe' })
    assert.deepEqual(answer.body.errors[0].parameters, { disabled: ['maybe'] })
    const listed = await stage.operator('GET', '/operator/apps?nothing=shown')
    assert.deepEqual(listed.body.errors[0].parameters, { nothing: ['shown'] })
    const broken = await sendText('POST', '/operator/events', '{"events": shown}')
    assert.match(broken.body.errors[0].message, /shown/)
  })
})
