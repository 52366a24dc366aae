// Who may use the activity API, with which credentials, and how much of it (§5, §7).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../stage/call.ts'
import { call } from '../stage/call.ts'
import { consenting } from '../stage/consent.ts'
import { databasesOf } from '../stage/databases.ts'
import { authorization, oauthParameters, type SigningCredentials } from '../stage/oauth-client.ts'
import { demoApp, otherApp, type Stage, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { adas, othersAdas, signedInSeed } from '../stage/signed-calls.ts'

const flavours = databasesOf(import.meta)

const SUBSCRIPTIONS = '/2/activity/subscriptions'
const ofUser = (user_id: string) => ({ event_type: 'dm.received', filter: { user_id } })

const signedCall = (stage: Stage, method: string, path: string, credentials: SigningCredentials, json?: unknown): Promise<Answer> => {
  const url = stage.origins.base_url + path
  return call(url, method, { headers: { authorization: authorization({ ...credentials, method, url, nowMs: stage.clock.now() }) }, json })
}

const revoke = async (stage: Stage, credentials: SigningCredentials) =>
  assert.equal((await signedCall(stage, 'POST', '/1.1/oauth/invalidate_token.json', credentials)).status, 200)

const CODE_89 = { errors: [{ code: 89, message: 'Invalid or expired token.' }] }

for (const flavour of flavours)
  test(`${flavour}: a user token creates and lists the subscriptions of its app, each counted for the user`, async () => {
    await using stage = await setStage({ flavour, seed: signedInSeed })
    const token = await stage.token()
    const created = await signedCall(stage, 'POST', SUBSCRIPTIONS, adas, ofUser('101'))
    assert.equal(created.status, 200, created.text)
    const { subscription_id } = created.body.data.subscription
    const idsIn = ({ body }: Answer) => body.data.map((one: { subscription_id: string }) => one.subscription_id)
    const [byUser, byApp] = [
      await signedCall(stage, 'GET', `${SUBSCRIPTIONS}?max_results=5`, adas),
      await stage.api('GET', SUBSCRIPTIONS, { token }),
    ]
    assert.deepEqual([idsIn(byUser), idsIn(byApp)], [[subscription_id], [subscription_id]])
    assert.deepEqual(
      [byUser, byApp].map(({ headers }) => ['limit', 'remaining'].map((name) => headers.get(`x-rate-limit-${name}`))),
      [
        ['500', '499'],
        ['500', '499'],
      ],
    )
    assert.equal(byUser.headers.get('x-access-level'), 'read-write-directmessages')
    assert.deepEqual(idsIn(await signedCall(stage, 'GET', SUBSCRIPTIONS, othersAdas)), [])
    const url = stage.origins.base_url + SUBSCRIPTIONS
    const inQuery = new URLSearchParams(oauthParameters({ ...adas, url, nowMs: stage.clock.now() }))
    assert.deepEqual(idsIn(await call(`${url}?${inQuery}`, 'GET')), [subscription_id])
  })

test('the other endpoints of subscriptions, and those of webhooks, take the bearer token alone', async () => {
  await using stage = await setStage({ seed: signedInSeed })
  for (const [method, path] of [
    ['PUT', `${SUBSCRIPTIONS}/1`],
    ['DELETE', `${SUBSCRIPTIONS}/1`],
    ['DELETE', `${SUBSCRIPTIONS}?ids=1`],
    ['POST', '/2/webhooks'],
    ['GET', '/2/webhooks'],
    ['PUT', '/2/webhooks/1'],
    ['DELETE', '/2/webhooks/1'],
    ['POST', '/2/webhooks/replay'],
  ] as const) {
    const answer = await signedCall(stage, method, path, adas)
    assert.deepEqual(
      [answer.status, answer.body.detail],
      [
        403,
        'Authenticating with OAuth 1.0a User Context is forbidden for this endpoint.  Supported authentication types are [OAuth 2.0 Application-Only].',
      ],
      `${method} ${path}`,
    )
  }
})

test('what is neither a bearer token nor a signature is told what is taken', async () => {
  await using stage = await setStage({ seed: signedInSeed })
  const basic = await stage.api('GET', SUBSCRIPTIONS, { headers: { authorization: `Basic ${btoa('a:b')}` } })
  assert.equal(
    basic.body.detail,
    'Authenticating with Basic is forbidden for this endpoint.  Supported authentication types are [OAuth 2.0 Application-Only, OAuth 1.0a User Context, OAuth 2.0 User Context].',
  )
  const none = await stage.api('GET', SUBSCRIPTIONS)
  assert.deepEqual([none.status, none.body.title], [401, 'Unauthorized'])
  const wrong = await signedCall(stage, 'GET', SUBSCRIPTIONS, { ...adas, consumer_secret: 'wrong' })
  assert.deepEqual([wrong.status, wrong.body.title], [401, 'Unauthorized'])
  assert.equal(wrong.headers.get('www-authenticate'), `OAuth realm="${stage.origins.base_url}", api_error_code=32`)
})

for (const flavour of flavours)
  test(`${flavour}: a revoked user token, one that never was and one of another app are 401 code 89 on every host, also where no user token is taken`, async () => {
    await using stage = await setStage({ flavour, seed: signedInSeed })
    await revoke(stage, adas)
    const bad: SigningCredentials[] = [adas, { ...adas, oauth_token: '101-nothing' }, { ...adas, oauth_token: othersAdas.oauth_token }]
    for (const credentials of bad)
      for (const [method, path] of [
        ['GET', SUBSCRIPTIONS],
        ['POST', SUBSCRIPTIONS],
        ['DELETE', `${SUBSCRIPTIONS}/1`],
        ['GET', '/2/webhooks'],
        ['POST', '/2/webhooks'],
        ['POST', '/2/webhooks/replay'],
        ['GET', '/2/users/me'],
        ['GET', '/1.1/account/verify_credentials.json'],
        ['POST', '/1.1/oauth/invalidate_token.json'],
      ] as const) {
        const answer = await signedCall(stage, method, path, credentials)
        assert.deepEqual([answer.status, answer.body], [401, CODE_89], `${method} ${path}`)
        assert.equal(answer.headers.get('www-authenticate'), `OAuth realm="${stage.origins.base_url}", api_error_code=89`)
      }
    for (const origin of [stage.origins.ads_base_url, stage.origins.ads_sandbox_base_url]) {
      const url = `${origin}/12/accounts`
      const answer = await call(url, 'GET', { headers: { authorization: authorization({ ...adas, url, nowMs: stage.clock.now() }) } })
      assert.deepEqual([answer.status, answer.body], [401, CODE_89])
    }
  })

const notEnrolled = ({ status, body, headers }: Answer, origin: string) => {
  assert.equal(headers.get('content-type'), 'application/problem+json')
  const { detail, ...problem } = body
  assert.match(detail, /not enrolled in the activity API/)
  assert.deepEqual(
    [status, problem],
    [
      403,
      {
        type: `${origin}/2/problems/client-forbidden`,
        title: 'Client Forbidden',
        status: 403,
        reason: 'client-not-enrolled',
        registration_url: `${origin}/docs`,
      },
    ],
  )
}

for (const flavour of flavours)
  test(`${flavour}: an app that is not enrolled is refused with client-forbidden by the whole activity API, and enrolled by the operator`, async () => {
    const seed = { ...signedInSeed, apps: [{ ...demoApp, activity_enrolled: false }, otherApp] }
    await using stage = await setStage({ flavour, seed })
    const token = await stage.token()
    const origin = stage.origins.base_url
    for (const [method, path] of [
      ['POST', SUBSCRIPTIONS],
      ['GET', SUBSCRIPTIONS],
      ['PUT', `${SUBSCRIPTIONS}/1`],
      ['DELETE', `${SUBSCRIPTIONS}/1`],
      ['DELETE', `${SUBSCRIPTIONS}?ids=1`],
    ] as const) {
      const answer = await stage.api(method, path, { token })
      notEnrolled(answer, origin)
      assert.equal(answer.headers.get('x-rate-limit-limit'), '500')
    }
    notEnrolled(await signedCall(stage, 'GET', SUBSCRIPTIONS, adas), origin)
    assert.equal((await stage.api('GET', '/2/webhooks', { token })).status, 200)
    assert.equal((await stage.api('GET', SUBSCRIPTIONS, { token: await stage.token(otherApp) })).status, 200)
    assert.equal((await stage.operator('GET', '/operator/apps')).body.data[0].activity_enrolled, false)
    const enrolled = await stage.operator('PATCH', '/operator/apps/1', { activity_enrolled: true })
    assert.deepEqual([enrolled.status, enrolled.body.data.activity_enrolled], [200, true])
    assert.equal((await stage.api('GET', SUBSCRIPTIONS, { token })).status, 200)
  })

const LAST_DAY_OF_FEBRUARY = '2027-02-28T12:00:00.000Z'

for (const flavour of flavours)
  test(`${flavour}: at its usage cap an app gets no new subscription until the next month, and deliveries go on`, async () => {
    const seed = consenting({ apps: [{ ...demoApp, usage_cap: 3 }, otherApp] }, '1', '2', '3', '101')
    await using stage = await setStage({ flavour, seed })
    await stage.operator('POST', '/operator/clock', { set: LAST_DAY_OF_FEBRUARY })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const { token } = await stage.connect(receiver)
    const subscribe = (userId: string) => stage.api('POST', SUBSCRIPTIONS, { token, json: ofUser(userId) })
    const published = { event_type: 'dm.received', user_id: '101', payload: {}, event_uuid: '77' }
    for (const _ of [1, 2]) assert.equal((await stage.operator('POST', '/operator/events', published)).status, 202)
    await stage.publish({})
    assert.equal((await subscribe('1')).status, 200)
    await stage.publish({})
    const refused = await subscribe('2')
    assert.equal(refused.headers.get('content-type'), 'application/problem+json')
    const { detail, ...problem } = refused.body
    assert.deepEqual(problem, {
      type: `${stage.origins.base_url}/2/problems/usage-capped`,
      title: 'Usage Capped',
      status: 429,
      period: 'Monthly',
      scope: 'Product',
    })
    assert.match(detail, /^Usage cap exceeded: Monthly product cap/)
    assert.equal((await stage.api('GET', SUBSCRIPTIONS, { token })).body.data.length, 2)
    await stage.publish({})
    await receiver.received(4)
    await stage.restart()
    assert.equal((await subscribe('2')).status, 429)
    await stage.operator('PATCH', '/operator/apps/1', { usage_cap: 5 })
    assert.equal((await subscribe('2')).status, 200)
    await stage.operator('PATCH', '/operator/apps/1', { usage_cap: 4 })
    assert.equal((await subscribe('3')).status, 429)
    await stage.operator('POST', '/operator/clock', { set: '2027-03-01T00:00:00.000Z' })
    assert.equal((await subscribe('3')).status, 200)
  })

test('what is not sent is not counted, nor is what an app without a cap gets', async () => {
  await using stage = await setStage({ seed: consenting({ apps: [demoApp] }, '1', '2', '101') })
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const { token } = await stage.connect(receiver)
  await stage.publish({}, {})
  await receiver.received(2)
  const change = (settings: object) => stage.operator('PATCH', '/operator/apps/1', settings)
  assert.deepEqual((await change({ usage_cap: 1 })).body.data.usage_cap, 1)
  await change({ suspended: true })
  await stage.publish({})
  await change({ suspended: false })
  assert.equal((await stage.api('POST', SUBSCRIPTIONS, { token, json: ofUser('1') })).status, 200)
  await stage.publish({})
  assert.equal((await stage.api('POST', SUBSCRIPTIONS, { token, json: ofUser('2') })).status, 429)
  assert.deepEqual((await change({ usage_cap: null })).body.data.usage_cap, null)
  assert.equal((await stage.api('POST', SUBSCRIPTIONS, { token, json: ofUser('2') })).status, 200)
})

test('the settings are of their kinds, are reported where a seed differs, and both problems stand in the OpenAPI description', async () => {
  await using stage = await setStage()
  const change = (settings: object) => stage.operator('PATCH', '/operator/apps/1', settings)
  for (const wrong of [{ usage_cap: -1 }, { usage_cap: 1.5 }, { usage_cap: '3' }, { activity_enrolled: null }, { activity_enrolled: 'no' }])
    assert.equal((await change(wrong)).status, 400, JSON.stringify(wrong))
  const { data } = (await stage.operator('GET', '/operator/apps')).body
  assert.deepEqual([data[0].activity_enrolled, data[0].usage_cap], [true, null])
  const loaded = await stage.operator('POST', '/operator/seed', { apps: [{ ...demoApp, activity_enrolled: false, usage_cap: 9 }] })
  assert.match(loaded.text, /activityEnrolled.*usageCap/)
  const { paths } = (await stage.api('GET', '/openapi.json')).body
  const { get, post } = paths[SUBSCRIPTIONS]
  assert.match(post.description, /Errors specific to this endpoint: .*`usage-capped`.*`client-forbidden`/)
  assert.match(get.description, /Errors specific to this endpoint: .*`client-forbidden`/)
  const ways = [{ bearerToken: [] }, { signedUser: [] }]
  assert.deepEqual(get.security, [...ways, { oauth2User: ['post.read'] }])
  assert.deepEqual(post.security, [...ways, { oauth2User: ['dm.read', 'post.read'] }])
  assert.deepEqual(paths['/2/webhooks'].get.security, [{ bearerToken: [] }])
})
