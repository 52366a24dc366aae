import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { generalEndpoints } from '../../scripts/all-endpoints.ts'
import type { Endpoint } from '../../src/api/declare/endpoint.ts'
import { asUser, fullWorld } from '../stage/full-world.ts'
import { confidential, oauth2Seed, obtainTokens } from '../stage/oauth2.ts'
import { setStage } from '../stage/postern.ts'
import { PASSWORD } from '../stage/sign-in.ts'

/** The users and posts of the full world, with the clients of OAuth 2.0. */
const seed = {
  ...fullWorld,
  apps: oauth2Seed.apps,
  users: fullWorld.users!.map((user) => (user.id === '101' ? { ...user, password: PASSWORD } : user)),
}

const staged = async (scope: string) => {
  const stage = await setStage({ seed })
  const username = seed.users.find(({ id }) => id === '101')!.username
  const { access_token: token } = await obtainTokens(stage, { scope, client: confidential, username })
  return {
    stage,
    get: (path: string) => stage.api('GET', path, { token }),
    token,
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  }
}

const READS = 'post.read users.read'

suite('the approval page keeps its word', () => {
  test('without users.email an app does not see the email address of the user, alone, in a list and in includes', async () => {
    await using it = await staged(READS)
    for (const path of ['/2/users/me?', '/2/users/101?', '/2/users?ids=101&', '/2/users/by/username/ada?']) {
      const { status, body, text } = await it.get(`${path}user.fields=confirmed_email`)
      assert.equal(status, 200)
      assert.doesNotMatch(text, /@example\.com/, path)
      assert.deepEqual([body.errors[0].field, body.errors[0].type.split('/').at(-1)], ['confirmed_email', 'not-authorized-for-field'], path)
    }
    const included = await it.get('/2/posts/1000?expansions=author_id&user.fields=confirmed_email')
    assert.equal(included.status, 200)
    assert.doesNotMatch(included.text, /@example\.com/)
    assert.equal(included.body.errors[0].field, 'confirmed_email')
    assert.equal((await it.get('/2/users/me')).body.data.id, '101')
  })

  test('an app that asks for the email address beside other fields gets these without users.email, and the error', async () => {
    await using it = await staged(READS)
    const { status, body } = await it.get('/2/users/me?user.fields=confirmed_email,created_at')
    assert.deepEqual([status, body.data], [200, { id: '101', name: 'Ada', username: 'ada', created_at: '2020-01-02T03:04:05.006Z' }])
    assert.deepEqual(
      body.errors.map(({ field, section }: Record<string, string>) => [field, section]),
      [['confirmed_email', 'data']],
    )
  })

  test('with users.email it does, and so does an OAuth 1.0a access token, which scopes do not limit', async () => {
    await using it = await staged(`${READS} users.email`)
    const path = '/2/users/me?user.fields=confirmed_email'
    assert.equal((await it.get(path)).body.data.confirmed_email, 'ada@example.com')
    assert.equal((await asUser(it.stage, '101', path)).body.data.confirmed_email, 'ada@example.com')
  })

  test('who may only see Spaces starts none and ends none: that takes post.write too', async () => {
    for (const [scope, status] of [
      [`${READS} space.read`, 403],
      [`${READS} post.write`, 403],
      [`${READS} space.read post.write`, 200],
    ] as const) {
      await using it = await staged(scope)
      const answer = await it.stage.api('POST', '/2/spaces', { token: it.token, json: { title: 'Knots' } })
      assert.equal(answer.status, status, scope)
      const id = answer.body.data?.id ?? '1zqKVXPQhvZJB'
      const ended = await it.stage.api('PUT', `/2/spaces/${id}`, { token: it.token, json: { state: 'ended' } })
      assert.equal(ended.status, status, scope)
    }
  })
})

const takingTokens = (generalEndpoints as unknown as readonly Endpoint[]).filter(({ scopes }) => scopes.length > 0)

test('a token without the scopes of an endpoint is refused on each, with the header that names them', async () => {
  await using it = await staged('users.email')
  assert.ok(takingTokens.length > 70, `${takingTokens.length} endpoints need scopes`)
  for (const { name, method, path, scopes } of takingTokens) {
    const { status, headers } = await it.stage.api(method, path.replace(/:\w+/g, '1'), { token: it.token })
    assert.equal(status, 403, name)
    assert.equal(headers.get('www-authenticate'), `Bearer realm="postern", error="insufficient_scope", scope="${scopes.join(' ')}"`, name)
  }
})

test('in the dialect x the header names scopes as that dialect does', async () => {
  await using stage = await setStage({ seed, environment: { POSTERN_DIALECT: 'x' } })
  const { access_token: token } = await obtainTokens(stage, { scope: 'users.email' })
  const { headers } = await stage.api('GET', '/2/users/me', { token })
  assert.equal(headers.get('www-authenticate'), 'Bearer realm="postern", error="insufficient_scope", scope="tweet.read users.read"')
})

test('where only an app may call, the token of a disabled user is 401, that of a suspended app says so (code 416), and any other of a user 403', async () => {
  await using it = await staged(READS)
  const get = async () => (await it.get('/2/webhooks')).status
  assert.equal(await get(), 403)
  await it.stage.operator('PATCH', '/operator/apps/1', { suspended: true })
  const suspended = await it.get('/2/webhooks')
  assert.equal(suspended.status, 401)
  assert.match(suspended.text, /416|suspended/)
  await it.stage.operator('PATCH', '/operator/apps/1', { suspended: false })
  await it.stage.operator('PATCH', '/operator/users/101', { disabled: true })
  const disabled = await it.get('/2/webhooks')
  assert.equal(disabled.status, 401)
  assert.doesNotMatch(disabled.text, /416|suspended/)
})
