// Private events go to an app for as long as their user has granted it what they need, and public ones always.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatMinute } from '../../src/endpoints/webhooks/start-replay.ts'
import { type Answer, call } from '../stage/call.ts'
import { isSlowLane } from '../stage/cases.ts'
import { seedConsent } from '../stage/consent.ts'
import type { Flavour } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { authorization } from '../stage/oauth-client.ts'
import { oauth2Seed, obtainTokens, revoke as revokeGrant } from '../stage/oauth2.ts'
import { setPair } from '../stage/pair.ts'
import { demoApp, otherApp, type Stage, setStage } from '../stage/postern.ts'
import { startReceiver, type TestReceiver } from '../stage/receiver.ts'
import { signed } from '../stage/sign-in.ts'
import { rawRows } from '../storage/samples.ts'

const flavours = databasesOf(import.meta)

const SUBSCRIPTIONS = '/2/activity/subscriptions'

const user = (id: string, more: object = {}) => ({ id, username: `user${id}`, ...more })

/** What the users have granted the demo app, and the event types that they may be subscribed to with it. */
const GRANTED = {
  '101': ['read_write_dm', ['dm.received', 'chat.sent', 'like.create', 'mute.mute', 'block.block', 'post.mention.create']],
  '102': ['read_write', ['like.create', 'mute.mute', 'block.block', 'post.mention.create']],
  '103': ['read', ['like.create', 'mute.mute', 'block.block', 'post.mention.create']],
  // Nothing, as far as the demo app is concerned.
  '104': [null, []],
  // Everything, but the user is disabled.
  '105': ['read_write_dm', []],
  // Everything, but to another app.
  '106': [null, []],
  // With OAuth 2.0: one scope, or none of these.
  '107': [null, ['dm.received', 'chat.sent']],
  '108': [null, ['like.create', 'post.mention.create']],
  '109': [null, []],
  // An expired grant, and one beside an access that decides alone.
  '110': [null, []],
  '111': ['read', ['like.create', 'mute.mute', 'block.block', 'post.mention.create']],
  // Nobody.
  '999': [null, []],
} as const

const PRIVATE = GRANTED['101'][1]
const PUBLIC = ['post.create', 'follow.follow', 'profile.update.bio', 'oauth.revoke']

const OTHERS = ['106', '107', '108', '109', '110', '111']

/** The scopes of grants of OAuth 2.0 to the demo app. */
const SCOPES: Record<string, string> = {
  '107': 'dm.read users.read',
  '108': 'like.read post.read offline.access',
  '109': 'dm.write users.read',
  '110': 'dm.read like.read mute.read block.read post.read',
  '111': 'dm.read',
}

const HOUR_MS = 3_600_000

/** Adds the grants, as the storage has them. One has expired. */
const addGrants = (stage: Stage) =>
  Promise.all(
    Object.entries(SCOPES).map(([userId, scopes]) => {
      const untilMs = stage.clock.now() + (userId === '110' ? -1 : HOUR_MS)
      return rawRows(
        stage.databaseUrl,
        `insert into oauth2_grants (id, app_id, user_id, scopes, code_sha256, created_at_ms, expires_at_ms)
          values ('${userId}', '${demoApp.id}', '${userId}', '${scopes}', '${userId}', 1, ${untilMs})`,
      )
    }),
  )

const seed = {
  apps: [demoApp, otherApp],
  users: [user('101'), user('102'), user('103'), user('104'), user('105', { disabled: true }), ...OTHERS.map((id) => user(id))],
  tokens: [
    seedConsent(demoApp, '101', 'read_write_dm'),
    seedConsent(demoApp, '102', 'read_write'),
    seedConsent(demoApp, '103', 'read'),
    seedConsent(demoApp, '105', 'read_write_dm'),
    seedConsent(demoApp, '111', 'read'),
    seedConsent(otherApp, '106', 'read_write_dm'),
  ],
}

/** Credentials with the access token of a seed. */
const tokenOf = ({ oauth_token, oauth_token_secret }: ReturnType<typeof seedConsent>) => ({ ...demoApp, oauth_token, oauth_token_secret })

const adas = tokenOf(seedConsent(demoApp, '101'))

const subscribe = (stage: Stage, token: string, event_type: string, user_id: string, more: object = {}) =>
  stage.api('POST', SUBSCRIPTIONS, { token, json: { event_type, filter: { user_id }, ...more } })

/** The same as a user: with the access token of the user. */
function subscribeAs(stage: Stage, credentials: typeof adas, event_type: string, user_id: string): Promise<Answer> {
  const url = stage.origins.base_url + SUBSCRIPTIONS
  const headers = { authorization: authorization({ ...credentials, method: 'POST', url, nowMs: stage.clock.now() }) }
  return call(url, 'POST', { headers, json: { event_type, filter: { user_id } } })
}

for (const flavour of flavours) {
  test(`${flavour}: an app subscribes to private events of those alone who have granted what they need`, async () => {
    await using stage = await setStage({ flavour, seed, environment: { POSTERN_RATE_LIMITS: 'off' } })
    const token = await stage.token()
    await addGrants(stage)
    const refusals = new Set<string>()
    for (const [userId, [, allowed]] of Object.entries(GRANTED)) {
      for (const type of PUBLIC) {
        const answer = await subscribe(stage, token, type, userId)
        assert.equal(answer.status, 200, `${type} of ${userId}: ${answer.text}`)
        assert.equal(answer.body.data.subscription.state, undefined)
      }
      for (const type of PRIVATE) {
        const answer = await subscribe(stage, token, type, userId)
        const isAllowed = (allowed as readonly string[]).includes(type)
        assert.equal(answer.status, isAllowed ? 200 : 403, `${type} of ${userId}: ${answer.text}`)
        if (isAllowed) assert.equal(answer.body.data.subscription.state, 'active')
        else if (type === 'dm.received') refusals.add(answer.text.replace(stage.origins.base_url, '').replaceAll(userId, 'USER'))
      }
    }
    assert.equal(refusals.size, 1, 'whoever it is, and whether or not there is such a user')
  })

  test(`${flavour}: a grant of OAuth 2.0 ends with its time, for the subscription, for publishing and for what is due`, async () => {
    await using stage = await setStage({ flavour, seed, environment: { POSTERN_RETRY_PLAN: '1h,1h' } })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await addGrants(stage)
    const token = await stage.token()
    const webhook_id = await stage.register(receiver.url, token)
    assert.equal((await subscribe(stage, token, 'dm.received', '107', { webhook_id })).status, 200)
    const publish = async () => {
      const answer = await stage.operator('POST', '/operator/events', { event_type: 'dm.received', user_id: '107', payload: {} })
      return answer.body.data[0].event_uuid
    }
    const state = async () => (await stage.api('GET', SUBSCRIPTIONS, { token })).body.data[0].state
    await publish()
    await receiver.received(1)
    receiver.answerPosts(500)
    const uuid = await publish()
    await stage.deliveriesWhen(`event_uuid=${uuid}`, ([found]) => found?.state === 'retrying')
    assert.equal(await state(), 'active')
    stage.clock.advance(HOUR_MS)
    const [ended] = await stage.deliveriesWhen(`event_uuid=${uuid}`, ([found]) => found.state !== 'retrying')
    assert.deepEqual([ended.state, ...lastOf(ended)], ['not_sent', ...REVOKED])
    assert.equal(await state(), 'consent_revoked')
    const late = await publish()
    assert.deepEqual((await stage.operator('GET', `/operator/deliveries?event_uuid=${late}`)).body.data, [])
  })

  test(`${flavour}: a permission of the app that is lowered ends no consent, because tokens keep what they were granted`, async () => {
    await using stage = await setStage({ flavour, seed })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const token = await stage.token()
    const webhook_id = await stage.register(receiver.url, token)
    assert.equal((await subscribe(stage, token, 'dm.received', '101', { webhook_id })).status, 200)
    for (const permissions of ['read_write_dm', 'read'])
      assert.equal((await stage.operator('PATCH', `/operator/apps/${demoApp.id}`, { permissions })).status, 200)
    await stage.operator('POST', '/operator/events', { event_type: 'dm.received', user_id: '101', payload: {} })
    await receiver.received(1)
    assert.equal((await stage.api('GET', SUBSCRIPTIONS, { token })).body.data[0].state, 'active')
    assert.equal((await signed(stage, 'GET', '/2/dm_events', adas)).status, 403, 'a call needs the permission as it is now')
    await stage.operator('POST', '/operator/tokens/revoke', { app_id: demoApp.id })
    const after = await stage.api('GET', SUBSCRIPTIONS, { token: await stage.token() })
    assert.equal(after.body.data[0].state, 'consent_revoked')
  })

  test(`${flavour}: a revoked token ends the private events of a webhook at once, whichever process is asked, and no public ones`, async () => {
    await using pair = await setPair({ flavour, seed })
    const { one, other } = pair
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const token = await one.token()
    const webhook_id = await one.register(receiver.url, token)
    for (const type of ['dm.received', 'post.create']) assert.equal((await subscribe(one, token, type, '101', { webhook_id })).status, 200)
    const states = async (stage: Stage) => {
      const { data } = (await stage.api('GET', SUBSCRIPTIONS, { token })).body
      return data.map(({ event_type, state }: { event_type: string; state?: string }) => [event_type, state])
    }
    const publish = async () => {
      const uuids: string[] = []
      for (const stage of [one, other])
        for (const event_type of ['dm.received', 'post.create']) {
          const answer = await stage.operator('POST', '/operator/events', { event_type, user_id: '101', payload: {} })
          uuids.push(answer.body.data[0].event_uuid)
        }
      return uuids
    }
    const typesOf = () => receiver.events.map(({ data }) => data!.event_type).sort()

    await publish()
    await receiver.received(4)
    assert.deepEqual(typesOf(), ['dm.received', 'dm.received', 'post.create', 'post.create'])
    assert.deepEqual(await states(one), [
      ['dm.received', 'active'],
      ['post.create', undefined],
    ])

    const revoked = await signed(other, 'POST', '/1.1/oauth/invalidate_token.json', adas)
    assert.equal(revoked.status, 200, revoked.text)
    const uuids = await publish()
    await receiver.received(6)
    assert.deepEqual(typesOf(), ['dm.received', 'dm.received', 'post.create', 'post.create', 'post.create', 'post.create'])
    for (const uuid of [uuids[0], uuids[2]]) {
      const { data } = (await one.operator('GET', `/operator/deliveries?event_uuid=${uuid}`)).body
      assert.deepEqual(data, [], 'nothing private is kept for the app')
    }
    for (const stage of [one, other])
      assert.deepEqual(await states(stage), [
        ['dm.received', 'consent_revoked'],
        ['post.create', undefined],
      ])
    assert.equal((await subscribe(one, token, 'dm.sent', '101')).status, 403)

    const granted = await other.operator('POST', '/operator/seed', { tokens: [seedConsent(demoApp, '101')] })
    assert.equal(granted.status, 200, granted.text)
    await publish()
    await receiver.received(10)
    assert.equal(typesOf().filter((type) => type === 'dm.received').length, 4)
    assert.deepEqual((await states(one))[0], ['dm.received', 'active'])
  })
}

/** How a consent ends. */
const REVOCATIONS: Record<string, (stage: Stage) => Promise<Answer>> = {
  'by the app': (stage) => signed(stage, 'POST', '/1.1/oauth/invalidate_token.json', adas),
  'by its token': (stage) => stage.operator('POST', '/operator/tokens/revoke', { token: adas.oauth_token }),
  'of the user': (stage) => stage.operator('POST', '/operator/tokens/revoke', { user_id: '101' }),
  'of the user to the app': (stage) => stage.operator('POST', '/operator/tokens/revoke', { user_id: '101', app_id: demoApp.id }),
  'with the user disabled': (stage) => stage.operator('PATCH', '/operator/users/101', { disabled: true }),
}

interface Private extends AsyncDisposable {
  one: Stage
  other: Stage
  receiver: TestReceiver
  webhookId: string
  revoke(): Promise<void>
}

/** Subscribed to the direct messages of user 101, with a revocation that another process is asked for. */
async function stagePrivate(flavour: Flavour, revoke: (stage: Stage) => Promise<Answer>): Promise<Private> {
  await using begun = new AsyncDisposableStack()
  const { one, other } = begun.use(await setPair({ flavour, seed, environment: { POSTERN_RETRY_PLAN: '1h,1h' } }))
  const receiver = begun.use(await startReceiver([demoApp.consumer_secret]))
  const { webhookId } = await one.connect(receiver)
  const owned = begun.move()
  return {
    one,
    other,
    receiver,
    webhookId,
    async revoke() {
      const answer = await revoke(other)
      assert.equal(answer.status, 200, answer.text)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

interface Attempted {
  outcome: string
  error: string
  replay_job_id: string | null
}

const lastOf = ({ attempts }: { attempts: Attempted[] }) => {
  const { outcome, error } = attempts.at(-1)!
  return [outcome, error]
}

const REVOKED = ['not_sent', 'consent revoked']

/** How many deliveries of a webhook are under way at once. */
const AT_ONCE = 4

/** When it ends, and what becomes of a private event that was accepted before. */
const MOMENTS: Record<string, (staged: Private) => Promise<void>> = {
  async 'while events wait to be sent'({ one, receiver, revoke }) {
    receiver.hold('POST')
    await one.publish(...Array.from({ length: 6 }, (_, n) => ({ n })))
    await receiver.holding(4)
    await revoke()
    receiver.letGo()
    const ended = await one.deliveriesWhen('', (found) => found.length === 6 && found.every(({ state }) => state !== 'pending'))
    assert.deepEqual(ended.map(({ state }) => state).sort(), [...Array(4).fill('delivered'), 'not_sent', 'not_sent'])
    for (const delivery of ended.filter(({ state }) => state === 'not_sent')) assert.deepEqual(lastOf(delivery), REVOKED)
    assert.equal(receiver.events.length, 4)
  },
  async 'while hundreds of events are matched and sent'({ one, receiver, revoke }) {
    const batches = Array.from({ length: 30 }, () => one.publish(...Array.from({ length: 30 }, (_, n) => ({ n }))))
    await receiver.when(() => receiver.posts >= 40)
    await revoke()
    const sent = receiver.posts
    await Promise.all(batches)
    const ended = await one.deliveriesWhen('max_results=1000', (found) =>
      found.every(({ state }) => state === 'delivered' || state === 'not_sent'),
    )
    assert.ok(receiver.posts <= sent + AT_ONCE, `${receiver.posts - sent} were sent after the revocation was answered`)
    assert.equal(ended.filter(({ state }) => state === 'delivered').length, receiver.events.length)
    for (const delivery of ended.filter(({ state }) => state === 'not_sent')) assert.deepEqual(lastOf(delivery), REVOKED)
    assert.ok(sent < 900, 'the consent ended before everything was sent')
    assert.deepEqual((await one.operator('GET', '/operator/deliveries?state=pending')).body.data, [])
  },
  async 'between two attempts'({ one, receiver, revoke }) {
    receiver.answerPosts(500)
    const [uuid] = await one.publish({ n: 1 })
    await one.deliveriesWhen(`event_uuid=${uuid}`, ([found]) => found?.state === 'retrying')
    receiver.intercept = undefined
    await revoke()
    one.clock.advance(3_600_000)
    const [ended] = await one.deliveriesWhen(`event_uuid=${uuid}`, ([found]) => found.state !== 'retrying')
    assert.deepEqual([ended.state, ended.attempts.length, ...lastOf(ended)], ['not_sent', 2, ...REVOKED])
    assert.equal(receiver.events.length, 0)
  },
  async 'before it is sent again'({ one, receiver, revoke, webhookId }) {
    const [uuid] = await one.publish({ n: 1 })
    await one.deliveriesWhen(`event_uuid=${uuid}`, ([found]) => found?.state === 'delivered')
    await revoke()
    const answer = await one.operator('POST', '/operator/deliveries/resend', { webhook_id: webhookId, event_uuid: uuid })
    assert.equal(answer.status, 200, answer.text)
    const [ended] = await one.deliveriesWhen(`event_uuid=${uuid}`, ([found]) => found.attempts.length === 2)
    assert.deepEqual(lastOf(ended), REVOKED)
    assert.equal(receiver.posts, 1)
  },
  async 'before a replay'({ one, receiver, revoke, webhookId }) {
    const [uuid] = await one.publish({ n: 1 })
    await one.deliveriesWhen(`event_uuid=${uuid}`, ([found]) => found?.state === 'delivered')
    await revoke()
    const window = { from_date: formatMinute(one.clock.now() - 3_600_000), to_date: formatMinute(one.clock.now() + 60_000) }
    const answer = await one.operator('POST', '/operator/replays', { webhook_id: webhookId, ...window })
    assert.equal(answer.status, 200, answer.text)
    const job = await one.until(async () => {
      const { data } = (await one.operator('GET', `/operator/replays/${answer.body.data.job_id}`)).body
      return data.reported && data
    })
    assert.deepEqual([job.state, job.delivered, job.failed], ['complete', 0, 0], 'what may not be sent is not missing')
    const [found] = await one.deliveriesWhen(`event_uuid=${uuid}`, ([delivery]) => delivery.attempts.length === 2)
    assert.deepEqual([found.state, ...lastOf(found)], ['delivered', ...REVOKED])
    assert.equal(receiver.posts, 2, 'the event, and the end of the replay')
  },
}

/**
 * Every moment has the first way and another one, or on PostgreSQL, where each case starts two servers, only that. In the slow lane SQLite
 * tries every way at every moment.
 */
const waysAt = (flavour: Flavour, moment: number) =>
  Object.entries(REVOCATIONS).filter(
    (_, way) => way === moment + 1 || (way === 0 && (flavour === 'sqlite' || isSlowLane)) || (flavour === 'sqlite' && isSlowLane),
  )

for (const flavour of flavours)
  for (const [place, [moment, check]] of Object.entries(MOMENTS).entries())
    test(`${flavour}: a consent that ends ${moment} holds back what is private`, async (t) => {
      for (const [how, revoke] of waysAt(flavour, place))
        await t.test(how, async () => {
          await using staged = await stagePrivate(flavour, revoke)
          await check(staged)
        })
    })

test('the access token of a user subscribes to private events of this user alone, as far as it reaches', async () => {
  const both = { ...seed, tokens: [...seed.tokens, { ...seedConsent(demoApp, '101', 'read'), oauth_token: '101-read' }] }
  await using stage = await setStage({ seed: both })
  const read = { ...adas, oauth_token: '101-read' }
  const graces = tokenOf(seedConsent(demoApp, '102', 'read_write'))
  const rows: [credentials: typeof adas, type: string, userId: string, status: number][] = [
    [adas, 'dm.received', '101', 200],
    [adas, 'like.create', '102', 403],
    [graces, 'dm.sent', '101', 403],
    [graces, 'like.create', '102', 200],
    [read, 'dm.sent', '101', 403],
    [read, 'like.create', '101', 200],
    [graces, 'follow.follow', '101', 200],
  ]
  for (const [credentials, type, userId, status] of rows) {
    const answer = await subscribeAs(stage, credentials, type, userId)
    assert.equal(answer.status, status, `${credentials.oauth_token}, ${type} of ${userId}: ${answer.text}`)
  }
})

test('a refusal names the user as the specification says, and nothing of who it is', async () => {
  await using stage = await setStage({ seed })
  const { status, headers, body } = await subscribe(stage, await stage.token(), 'dm.received', '104')
  assert.equal(headers.get('content-type'), 'application/problem+json')
  const { detail, ...problem } = body
  assert.deepEqual(
    [status, problem],
    [
      403,
      {
        type: `${stage.origins.base_url}/2/problems/not-authorized-for-resource`,
        title: 'Authorization Error',
        status: 403,
        value: '104',
        resource_id: '104',
        resource_type: 'user',
        parameter: 'filter.user_id',
        section: 'data',
      },
    ],
  )
  assert.match(detail, /^Sorry, you are not authorized to see the User with filter\.user_id: \[104\]\./)
  assert.match(detail, /granted this app OAuth 1\.0a with the access `read_write_dm`, or OAuth 2\.0 with `dm\.read`\.$/)
})

test('a private event type needs a user, in a seed too', async () => {
  await using stage = await setStage({ seed })
  const token = await stage.token()
  for (const filter of [{}, { keyword: 'sea' }]) {
    const answer = await stage.api('POST', SUBSCRIPTIONS, { token, json: { event_type: 'post.mention.create', filter } })
    assert.match(answer.body.type, /noncompliant-rules$/)
    assert.match(answer.body.detail, /needs filter\.user_id$/)
  }
})

test('a seed brings subscriptions without consent, which are without effect and say so', async () => {
  const subscriptions = ['101', '104'].map((user_id, n) => ({
    subscription_id: String(n + 1),
    consumer_key: demoApp.consumer_key,
    event_type: 'dm.received',
    filter: { user_id },
  }))
  await using stage = await setStage({ seed: { ...seed, subscriptions } })
  const token = await stage.token()
  const { data } = (await stage.api('GET', SUBSCRIPTIONS, { token })).body
  assert.deepEqual(
    data.map(({ state }: { state: string }) => state),
    ['active', 'consent_revoked'],
  )
  const changed = await stage.api('PUT', `${SUBSCRIPTIONS}/2`, { token, json: { tag: 'x' } })
  assert.equal(changed.body.data.subscription.state, 'consent_revoked')
})

for (const flavour of flavours)
  test(`${flavour}: oauth.revoke goes only to the app that it names`, async () => {
    await using stage = await setStage({ flavour, seed })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await using others = await startReceiver([otherApp.consumer_secret])
    for (const [app, { url }] of [
      [demoApp, receiver],
      [otherApp, others],
    ] as const) {
      const token = await stage.token(app)
      const webhook_id = await stage.register(url, token)
      assert.equal(
        (await stage.api('POST', SUBSCRIPTIONS, { token, json: { event_type: 'oauth.revoke', filter: {}, webhook_id } })).status,
        200,
      )
    }
    const events = [otherApp.id, demoApp.id, 'nobody', undefined].map((app_id, n) => ({
      event_type: 'oauth.revoke',
      user_id: '101',
      payload: { date_time: '2026-11-22T00:00:00Z', user_id: '101', app_id, n },
    }))
    assert.equal((await stage.operator('POST', '/operator/events', { events })).status, 202)
    await stage.deliveriesWhen('state=delivered', (found) => found.length === 2)
    const numbersOf = ({ events: received }: TestReceiver) => received.map(({ data }) => (data!.payload as { n: number }).n)
    assert.deepEqual([numbersOf(receiver), numbersOf(others)], [[1], [0]])
    assert.equal((await stage.operator('GET', '/operator/deliveries')).body.data.length, 2)
  })

test('where the user granted access with OAuth 1.0a it decides alone, whatever the scopes of the OAuth 2.0 token are', async () => {
  const seed = { ...oauth2Seed, tokens: [seedConsent(demoApp, '101', 'read')] }
  await using stage = await setStage({ seed })
  const { access_token } = await obtainTokens(stage, { scope: 'dm.read post.read users.read' })
  const statusOf = async (type: string, userId: string) => (await subscribe(stage, access_token, type, userId)).status
  assert.deepEqual([await statusOf('like.create', '101'), await statusOf('like.create', '102')], [200, 403])
  assert.equal(await statusOf('dm.received', '101'), 403, 'its access is `read`')
})

test('a deprecated name of an event type is answered with its end, and with the canonical name', async () => {
  await using stage = await setStage({ seed })
  const token = await stage.token()
  const headersOf = ({ headers }: Answer) => ['deprecation', 'sunset', 'link'].map((name) => headers.get(name))
  const deprecated = await subscribe(stage, token, 'ProfileBioUpdate', '104')
  assert.equal(deprecated.body.data.subscription.event_type, 'profile.update.bio')
  const expected = ['@1774915200', 'Wed, 31 Mar 2027 00:00:00 GMT', '</docs>; rel="deprecation"']
  assert.deepEqual(headersOf(deprecated), expected)
  assert.deepEqual(headersOf(await subscribe(stage, token, 'ProfileBioUpdate', '104')), expected, 'a refusal too')
  for (const type of ['profile.update.url', 'profile.update.verified_badge'])
    assert.deepEqual(headersOf(await subscribe(stage, token, type, '104')), [null, null, null], type)
})

for (const flavour of flavours)
  test(`${flavour}: an access token of OAuth 2.0 subscribes as far as its scopes reach, and its revocation ends private events at once`, async () => {
    await using pair = await setPair({ flavour, seed: oauth2Seed })
    const { one, other } = pair
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const { access_token } = await obtainTokens(one, { scope: 'dm.read post.read users.read offline.access' })
    const bearer = await one.token()
    const webhook_id = await one.register(receiver.url, bearer)
    const rows: [token: string, type: string, userId: string, status: number][] = [
      [access_token, 'dm.received', '101', 200],
      [access_token, 'post.mention.create', '101', 200],
      [access_token, 'like.create', '101', 403],
      [access_token, 'dm.received', '102', 403],
      [access_token, 'follow.follow', '102', 403],
      [access_token, 'follow.follow', '101', 200],
      [bearer, 'dm.sent', '101', 200],
      [bearer, 'like.create', '101', 403],
      [bearer, 'dm.sent', '102', 403],
    ]
    for (const [token, type, userId, status] of rows) {
      const answer = await subscribe(one, token, type, userId, { webhook_id })
      assert.equal(answer.status, status, `${token === bearer ? 'app' : 'user'}, ${type} of ${userId}: ${answer.text}`)
    }
    for (const stage of [one, other]) {
      const { data, meta } = (await stage.api('GET', `${SUBSCRIPTIONS}?max_results=2`, { token: access_token })).body
      assert.deepEqual([data.length, meta.total_subscriptions], [2, 4])
    }
    for (const stage of [one, other]) await stage.publish({})
    await receiver.received(2)
    assert.equal((await revokeGrant(other, access_token)).status, 200)
    for (const stage of [one, other]) {
      const [uuid] = await stage.publish({})
      assert.deepEqual((await one.operator('GET', `/operator/deliveries?event_uuid=${uuid}`)).body.data, [])
    }
    const { data } = (await one.api('GET', SUBSCRIPTIONS, { token: bearer })).body
    assert.deepEqual(
      data.map(({ event_type, state }: { event_type: string; state?: string }) => [event_type, state]),
      [
        ['dm.received', 'consent_revoked'],
        ['post.mention.create', 'consent_revoked'],
        ['follow.follow', undefined],
        ['dm.sent', 'consent_revoked'],
      ],
    )
  })

test('an access token of OAuth 2.0 lists and creates the subscriptions of its own user only; a signature and the bearer token those of the app', async () => {
  await using stage = await setStage({ seed: oauth2Seed })
  const bearer = await stage.token()
  const listed = async (token: string) => {
    const { data, meta } = (await stage.api('GET', SUBSCRIPTIONS, { token })).body
    const users = data.map(({ filter }: { filter: { user_id?: string; keyword?: string } }) => filter.user_id ?? filter.keyword)
    return [users, meta.result_count, meta.total_subscriptions]
  }
  const create = (token: string, event_type: string, filter: object) =>
    stage.api('POST', SUBSCRIPTIONS, { token, json: { event_type, filter } })
  for (const user_id of ['101', '102']) assert.equal((await create(bearer, 'follow.follow', { user_id })).status, 200)
  assert.equal((await create(bearer, 'news.new', { keyword: 'tides' })).status, 200)
  const { access_token } = await obtainTokens(stage, { scope: 'dm.read post.read users.read' })
  assert.deepEqual(await listed(access_token), [['101'], 1, 1])
  assert.deepEqual(await listed(bearer), [['101', '102', 'tides'], 3, 3])
  for (const filter of [{ user_id: '102' }, { user_id: '999' }])
    assert.equal((await create(access_token, 'profile.update.bio', filter)).status, 403)
  assert.equal((await create(access_token, 'news.new', { keyword: 'waves' })).status, 403)
  const created = await create(access_token, 'profile.update.bio', { user_id: '101' })
  assert.deepEqual([created.status, created.body.meta.total_subscriptions], [200, 2])
  assert.deepEqual(await listed(access_token), [['101', '101'], 2, 2])
  assert.deepEqual(await listed(bearer), [['101', '102', 'tides', '101'], 4, 4])
})
