import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type EventTypeName, eventTypeNames, eventTypes } from '../../src/delivery/events/event-types.ts'
import { call } from '../stage/call.ts'
import { demoApp, OPERATOR_TOKEN, SECRET, type Stage, setStage } from '../stage/postern.ts'
import { startReceiver, type TestReceiver } from '../stage/receiver.ts'

let stage: Stage
let receiver: TestReceiver
let token: string
let webhookId: string

const users = [
  { id: '101', username: 'ada', name: 'Ada' },
  { id: '102', username: 'grace', name: 'Grace' },
  { id: '103', username: 'saltmere_news', name: 'Saltmere News' },
]
const tokens = users.map(({ id }) => ({
  consumer_key: demoApp.consumer_key,
  user_id: id,
  oauth_token: `${id}-token-of-the-tests`,
  oauth_token_secret: `${id}-token-secret-of-the-tests`,
}))

before(async () => {
  receiver = await startReceiver([demoApp.consumer_secret])
  stage = await setStage({
    seed: { apps: [{ ...demoApp, permissions: 'read_write_dm' }], users, tokens },
    environment: { POSTERN_RATE_LIMITS: 'off' },
  })
  token = await stage.token()
  webhookId = await stage.register(receiver.url, token)
  for (const event_type of eventTypeNames) await subscribe(event_type, filterOf(event_type))
})
after(async () => {
  await stage[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

const subscribe = (event_type: string, filter: object, more: object = {}) =>
  stage.subscribe(webhookId, token, { event_type, filter, ...more })

async function trigger(json: object) {
  const { status, body, text } = await stage.operator('POST', '/operator/trigger', json)
  assert.equal(status, 202, text)
  return body
}

async function refused(json: object, expected = 400): Promise<string> {
  const { status, text } = await stage.operator('POST', '/operator/trigger', json)
  assert.equal(status, expected, text)
  return text
}

const filterOf = (name: EventTypeName) => (name === 'news.new' ? { keyword: 'lighthouse' } : { user_id: '101' })

/** The call that causes each type; all others are examples. */
const PERFORMED: Partial<Record<EventTypeName, string>> = {
  'post.create': 'POST /2/posts',
  'post.delete': 'DELETE /2/posts/:id',
  'post.mention.create': 'POST /2/posts',
  'post.reply.create': 'POST /2/posts',
  'post.quote.create': 'POST /2/posts',
  'post.repost.create': 'POST /2/users/:id/reposts',
  'profile.update.bio': 'POST /1.1/account/update_profile',
  'profile.update.screenname': 'POST /1.1/account/update_profile',
  'profile.update.geo': 'POST /1.1/account/update_profile',
  'profile.update.url': 'POST /1.1/account/update_profile',
  'like.create': 'POST /2/users/:id/likes',
  'mute.mute': 'POST /2/users/:id/muting',
  'mute.unmute': 'DELETE /2/users/:source_user_id/muting/:target_user_id',
  'block.block': 'POST /2/users/:id/blocking',
  'block.unblock': 'DELETE /2/users/:source_user_id/blocking/:target_user_id',
  'follow.follow': 'POST /2/users/:id/following',
  'follow.unfollow': 'DELETE /2/users/:source_user_id/following/:target_user_id',
  'spaces.start': 'POST /2/spaces',
  'spaces.end': 'PUT /2/spaces/:id',
  'dm.received': 'POST /2/dm_conversations/with/:participant_id/messages',
  'dm.sent': 'POST /2/dm_conversations/with/:participant_id/messages',
  'dm.read': 'POST /1.1/direct_messages/mark_read',
  'dm.indicate_typing': 'POST /1.1/direct_messages/indicate_typing',
}

test('an event of every type reaches a callback that has subscribed to it, as its type declares', async () => {
  for (const event_type of eventTypeNames) {
    const { data, meta, warnings } = await trigger({ event_type, user: 'ada' })
    assert.deepEqual([meta.subscriptions, meta.deliveries, meta.reasons], [1, 1, undefined], event_type)
    assert.equal(warnings, undefined, event_type)
    if (data.performed !== undefined) assert.ok(eventTypes[event_type]!.madeBy?.includes(data.performed), event_type)
    const expected = PERFORMED[event_type]
    const differs = `${event_type}: ${data.performed ?? 'no call'} causes it, and PERFORMED in this file has ${expected ?? 'none'}`
    assert.deepEqual([data.example, data.performed], [expected === undefined, expected], differs)
    assert.equal(meta.note !== undefined, data.example, event_type)
    assert.deepEqual([data.deliveries[0].event_uuid, data.deliveries[0].outcome], [data.event_uuid, 'delivered'], event_type)
    const received = receiver.events.find((event) => event.data?.event_uuid === data.event_uuid)!.data!
    assert.equal(received.event_type, event_type)
    assert.deepEqual(received.payload, data.event.payload)
  }
})

test('to and from name who had it done and who did it, by id or username; the type decides whom it is about', async () => {
  await subscribe('dm.received', { user_id: '103' })
  const sent = await trigger({ event_type: 'dm.received', to: 'saltmere_news', from: '102', text: 'Hello' })
  const [message] = sent.data.event.payload.direct_message_events
  assert.equal(sent.data.event.user_id, '103')
  assert.deepEqual([message.message_create.sender_id, message.message_create.target], ['102', { recipient_id: '103' }])
  assert.equal(message.message_create.message_data.text, 'Hello')
  const own = await trigger({ event_type: 'dm.sent', to: 'grace', from: '@Ada' })
  assert.equal(own.data.event.user_id, '101')
  const followed = await trigger({ event_type: 'FollowFollow', to: 'ada' })
  assert.deepEqual([followed.data.event.event_type, followed.data.event.direction], ['follow.follow', 'received'])
  assert.deepEqual([followed.data.event.user_id, followed.data.event.payload.source.data.username], ['101', 'grace'])
  const unknown = await trigger({ event_type: 'follow.follow', user_id: '7', direction: 'outbound' })
  assert.deepEqual([unknown.data.event.direction, unknown.data.event.payload.source.data.username], ['sent', 'user7'])
  assert.match(
    await refused({ event_type: 'dm.received', user: 'ada', to: 'grace' }),
    /leave user or to away, and name the other with from/,
  )
})

test('a wrong event type or username is answered with the nearest, and with where all are listed', async () => {
  const errorsOf = async (json: object) => JSON.parse(await refused(json)).errors
  assert.deepEqual(await errorsOf({ event_type: 'dm.recieved' }), [
    {
      message: '$.event_type: dm.recieved is no event type. Did you mean dm.received? They are listed at /docs/events (docs/events.md).',
      parameters: { event_type: ['dm.recieved'] },
    },
  ])
  assert.deepEqual(await errorsOf({ event_type: 'follow' }), [
    {
      message:
        '$.event_type: follow is no event type. Did you mean follow.follow or follow.unfollow? They are listed at /docs/events (docs/events.md).',
      parameters: { event_type: ['follow'] },
    },
  ])
  assert.deepEqual(await errorsOf({ event_type: 'lunch.eaten' }), [
    {
      message: '$.event_type: lunch.eaten is no event type. They are listed at /docs/events (docs/events.md).',
      parameters: { event_type: ['lunch.eaten'] },
    },
  ])
  for (const name of ['to', 'from', 'user', 'user_id'])
    assert.deepEqual(await errorsOf({ event_type: 'dm.received', [name]: '@Adda' }), [
      {
        message: `$.${name}: no user has the username Adda. Did you mean ada? GET /operator/users lists them.`,
        parameters: { [name]: ['@Adda'] },
      },
    ])
})

test('members of the payload are found by their names, and a former override never stays in the example', async () => {
  const first = await trigger({ event_type: 'dm.received', payload: { hashtags: [{ text: 'tide' }], sender_id: '9' } })
  const { message_create } = first.data.event.payload.direct_message_events[0]
  assert.deepEqual([message_create.message_data.entities.hashtags, message_create.sender_id], [[{ text: 'tide' }], '9'])
  const second = await trigger({ event_type: 'dm.received', payload: { sender_id: '8' } })
  assert.deepEqual(second.data.event.payload.direct_message_events[0].message_create.message_data.entities.hashtags, [])
  assert.match(
    await refused({ event_type: 'post.delete', payload: { author: '1', writer: '2' } }),
    /no member author, but id, author_id.*no member writer/,
  )
  assert.match(await refused({ event_type: 'mute.mute', text: 'Ahoy' }), /events of the type mute\.mute have no text/)
})

test('the app of an authorization that ends is the one that is named', async () => {
  const { data } = await trigger({ event_type: 'oauth.revoke', user: '101', app_id: '5' })
  assert.equal(data.event.payload.app_id, '5')
})

test('an event that is not as its type declares is published with a warning', async () => {
  const { warnings } = await trigger({ event_type: 'mute.mute', payload: { source: { data: {} } } })
  assert.deepEqual(warnings[0], { path: 'payload.source.data.id', message: '$.payload.source.data.id: is missing but it is required' })
})

test('where no callback gets an event, the answer says why', async () => {
  const whyNot = async (json: object) => {
    const { meta } = await trigger(json)
    assert.equal(meta.deliveries, 0)
    return meta.reasons as string[]
  }
  assert.match((await whyNot({ event_type: 'post.delete', user: '8' }))[0]!, /^Demo: subscription \d+ is for user 101, not 8$/)
  const stream = await subscribe('dm.sent', { user_id: '102' }, { webhook_id: undefined })
  const [alone] = await whyNot({ event_type: 'dm.sent', user: '102' })
  assert.equal(alone, `Demo: subscription ${stream} matches and has no webhook: its events go to the activity stream alone`)
  await subscribe('follow.unfollow', { user_id: '102', direction: 'received' })
  assert.match((await whyNot({ event_type: 'follow.unfollow', from: '102' }))[0]!, /is for the direction received, not sent/)
  await subscribe('post.create', { user_id: '102', keyword: 'lighthouse' })
  assert.match(
    (await whyNot({ event_type: 'post.create', user: '102', text: 'Rain' }))[0]!,
    /the keyword lighthouse, and the event's text is "Rain"/,
  )
  assert.equal((await trigger({ event_type: 'post.create', user: '102', text: 'A lighthouse' })).meta.deliveries, 1)
  await stage.operator('POST', '/operator/tokens/revoke', { user_id: '102' })
  assert.match(
    (await whyNot({ event_type: 'dm.sent', user: '102' }))[0]!,
    /has no effect: user 102 ended the consent or never gave it, and must grant the app OAuth 1\.0a with/,
  )
  assert.match((await whyNot({ event_type: 'oauth.revoke', user: '101', app_id: '5' }))[0]!, /payload\.app_id names, and that is 5, not 1/)
})

test('where nobody has subscribed to a type, it says how to', async () => {
  await using other = await setStage()
  const { body } = await other.operator('POST', '/operator/trigger', { event_type: 'post.create' })
  assert.deepEqual(body.meta, {
    subscriptions: 0,
    deliveries: 0,
    reasons: ['no app has a subscription to post.create: create one with POST /2/activity/subscriptions'],
  })
})

test('production has no such call', async () => {
  await using other = await setStage({ environment: { POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '0' } })
  const { status } = await call(`${other.origins.operator_url}/operator/trigger`, 'POST', {
    token: OPERATOR_TOKEN,
    json: { event_type: 'dm.sent' },
  })
  assert.equal(status, 404)
})
