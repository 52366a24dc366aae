import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dialects } from '../../src/api/declare/dialect.ts'
import type { EventTypeName } from '../../src/delivery/events/event-types.ts'
import { eventTypeNames } from '../../src/delivery/events/event-types.ts'
import { eventMistakes } from '../../src/endpoints/events/check-event.ts'
import { ADA, contentSchema, type ExampleEvent, exampleEvent, GRACE, printedExample } from '../../src/endpoints/events/event-content.ts'
import { setMember } from '../../src/endpoints/events/set-member.ts'

/** The members of each payload, where a sample is published or its form is known (§6.8). */
const PAYLOADS: readonly [types: readonly EventTypeName[], members: readonly string[]][] = [
  [
    [
      ...(['profile.update.bio', 'profile.update.profile_picture', 'profile.update.banner_picture', 'profile.update.screenname'] as const),
      ...(['profile.update.geo', 'profile.update.url', 'profile.update.verified', 'profile.update.affiliate'] as const),
      'profile.update.handle',
    ],
    ['before', 'after'],
  ],
  [
    ['dm.received', 'dm.sent'],
    ['direct_message_events', 'users'],
  ],
  [['dm.read'], ['direct_message_mark_read_events', 'users']],
  [['dm.indicate_typing'], ['direct_message_indicate_typing_events', 'users']],
  [
    ['spaces.start', 'spaces.end', 'broadcast.start', 'broadcast.end'],
    ['user', 'broadcast_id', 'event_type'],
  ],
  [
    ['follow.follow', 'follow.unfollow', 'mute.mute', 'mute.unmute', 'block.block', 'block.unblock'],
    ['source', 'target'],
  ],
  [['post.delete'], ['id', 'author_id']],
  [['news.new'], ['id', 'name', 'category', 'hook', 'summary', 'contexts', 'cluster_posts_results', 'updated_at', 'disclaimer']],
  [
    ['chat.received', 'chat.sent'],
    [
      ...['conversation_token', 'id', 'created_at_msec', 'sender_id', 'conversation_id', 'conversation_key_version', 'encoded_event'],
      ...['conversation_key_change_event', 'message_event_signature'],
    ],
  ],
  [['like.create'], ['id', 'liked_post_id', 'liked_post_author_id', 'created_at', 'timestamp_ms']],
  [['oauth.revoke'], ['date_time', 'user_id', 'app_id']],
]

const POSTS = ['post.create', 'post.mention.create', 'post.reply.create', 'post.quote.create', 'post.repost.create'] as const

const mistakesOf = ({ event_type, user_id, direction, payload, includes }: ExampleEvent) =>
  eventMistakes({ eventType: event_type, userId: user_id, direction, payload, includes })

const exampleWith = (name: EventTypeName, direction: 'sent' | 'received') =>
  exampleEvent(name, { subject: GRACE, other: ADA, direction, id: '9223372036854775807', atMs: 0 })

test('a count beyond 2^53, which is read as a bigint, is no mistake', () => {
  const example = structuredClone(exampleWith('follow.follow', 'sent'))
  const { data } = example.payload.source as { data: { public_metrics: { followers_count: number | bigint } } }
  assert.equal(data.public_metrics.followers_count, 12)
  data.public_metrics.followers_count = 9_007_199_254_740_993n
  assert.deepEqual(mistakesOf(example), [])
})

test('the example of every type has no mistake, in either spelling, whichever of the two it is about', () => {
  for (const name of eventTypeNames)
    for (const example of [printedExample(name), exampleWith(name, 'sent'), exampleWith(name, 'received')]) {
      assert.deepEqual(mistakesOf(example), [], name)
      const { payload, includes } = dialects.x.anything(example) as ExampleEvent
      assert.deepEqual(mistakesOf({ ...example, payload, includes }), [], `${name} in the dialect x`)
    }
})

test('payloads have the members of the published samples', () => {
  for (const [types, members] of PAYLOADS)
    for (const name of types) assert.deepEqual(Object.keys(printedExample(name).payload).sort(), [...members].sort(), name)
  for (const name of POSTS) {
    const { payload, includes = {} } = printedExample(name)
    for (const member of ['id', 'text', 'edit_history_post_ids', 'author_id', 'created_at', 'public_metrics'])
      assert.ok(member in payload, `${name}: ${member}`)
    assert.ok((includes.users as object[]).length > 0, name)
  }
  const [message] = printedExample('dm.sent').payload.direct_message_events as Record<string, unknown>[]
  assert.deepEqual(message!.message_create, {
    target: { recipient_id: '102' },
    sender_id: '101',
    message_data: { text: 'Ahoy', entities: { hashtags: [], symbols: [], user_mentions: [], urls: [] } },
  })
  assert.deepEqual(printedExample('post.delete').includes, {
    users: [{ data: (printedExample('follow.follow').payload.source as { data: object }).data }],
  })
})

/** Members of what payloads hold, in the order of their declarations; `?`: may be missing (§6.8). */
const SHAPES: readonly [name: EventTypeName, shape: string][] = [
  [
    'chat.received',
    '{id conversation_id sender_id encoded_event conversation_token? created_at_msec? conversation_key_version? conversation_key_change_event? message_event_signature?{public_key_version? signature signature_version? signing_public_key?}}',
  ],
  [
    'news.new',
    '{id name category? hook? summary? contexts?{entities?{events?[] organizations?[] people?[] places?[] products?[]} topics?[] finance?{tickers?[]} sports?{teams?[]}} cluster_posts_results?[{post_id}] updated_at? disclaimer?}',
  ],
  ['spaces.start', '{user broadcast_id event_type}'],
  ['like.create', '{id liked_post_id liked_post_author_id created_at timestamp_ms}'],
  ['oauth.revoke', '{date_time user_id app_id}'],
  [
    'dm.received',
    '{direct_message_events[{type id created_timestamp message_create{target{recipient_id} sender_id message_data{text entities?}}}] users}',
  ],
  ['dm.read', '{direct_message_mark_read_events[{created_timestamp sender_id target{recipient_id} last_read_event_id}] users}'],
  ['dm.indicate_typing', '{direct_message_indicate_typing_events[{created_timestamp sender_id target{recipient_id}}] users}'],
  ['post.delete', '{id author_id}'],
  ['profile.update.bio', '{before after}'],
  ['follow.follow', '{source target}'],
]

interface Word {
  properties?: Record<string, Word>
  required?: string[]
  items?: Word
}

/** Users, which are declared with the data objects, are not looked into. */
function shapeOf({ properties, required = [], items }: Word): string {
  if (items) return `[${shapeOf(items)}]`
  if (!properties || properties.data) return ''
  return `{${Object.entries(properties)
    .map(([name, word]) => `${name}${required.includes(name) ? '' : '?'}${shapeOf(word)}`)
    .join(' ')}}`
}

test('the payload of a type has these members, and some may be missing', () => {
  for (const [name, shape] of SHAPES) {
    const { payload } = (contentSchema(name) as { properties: { payload: Word } }).properties
    assert.equal(shapeOf(payload), shape, name)
  }
})

test('printed examples are of Ada and Grace at noon of 1 March 2026', () => {
  const { payload } = printedExample('like.create')
  assert.deepEqual([payload.created_at, payload.timestamp_ms], ['2026-03-01T12:00:00.000Z', '1772366400000'])
  assert.equal(printedExample('spaces.start').payload.broadcast_id, '1zqKVXPQhvZJB')
  assert.deepEqual(printedExample('follow.follow').payload.source, {
    data: {
      id: '101',
      name: 'Ada',
      username: 'ada',
      created_at: '2019-03-04T10:15:00.000Z',
      protected: false,
      verified: false,
      verified_type: 'none',
      public_metrics: { followers_count: 12, following_count: 8, post_count: 30, listed_count: 1, like_count: 40, media_count: 3 },
    },
  })
  const { possibly_sensitive, public_metrics } = printedExample('post.create').payload
  assert.deepEqual(
    [possibly_sensitive, public_metrics],
    [false, { repost_count: 0, reply_count: 0, like_count: 0, quote_count: 0, bookmark_count: 0, impression_count: 0 }],
  )
})

test('an example has a direction where its user may be either of two', () => {
  assert.equal(exampleWith('like.create', 'received').direction, 'received')
  assert.equal(printedExample('chat.conversation_join').direction, 'sent')
  for (const name of ['dm.received', 'post.delete'] as const) assert.ok(!('direction' in exampleWith(name, 'sent')), name)
})

test('an empty signature, and what was encrypted to nothing, are no mistake', () => {
  const { payload, ...example } = exampleWith('chat.received', 'sent')
  const signature = { ...(payload.message_event_signature as object), signature: '' }
  assert.deepEqual(mistakesOf({ ...example, payload: { ...payload, encoded_event: '', message_event_signature: signature } }), [])
})

test('a member that is no text takes a text as the JSON that it is, to the digit, and any other value as it is', () => {
  const payload: Record<string, unknown> = { count: 1, name: 'Ada', list: [] }
  for (const [name, value] of Object.entries({ count: '9007199254740993', name: '7', list: { a: 1 } })) setMember(payload, name, value)
  assert.deepEqual(payload, { count: 9_007_199_254_740_993n, name: '7', list: { a: 1 } })
  setMember(payload, 'list', 'no JSON')
  assert.equal(payload.list, 'no JSON')
})

/** Wrong events with the place of each mistake, and its message. */
const WRONG: readonly [event: Omit<ExampleEvent, 'user_id'>, mistakes: Record<string, string>][] = [
  [
    { event_type: 'profile.update.bio', payload: { before: 1 } },
    {
      'payload.before': '$.payload.before: number found, string expected',
      'payload.after': '$.payload.after: is missing but it is required',
    },
  ],
  [
    { event_type: 'dm.received', payload: { direct_message_events: [], users: { 101: { data: { id: '101', name: 'Ada' } } } } },
    {
      'payload.direct_message_events': '$.payload.direct_message_events: must have at least 1 items',
      'payload.users.101.data.username': '$.payload.users.101.data.username: is missing but it is required',
    },
  ],
  [
    {
      event_type: 'post.create',
      payload: { id: '1', text: '', edit_history_tweet_ids: ['x'], author_id: '101' },
      includes: { tweets: [{ id: 7, text: '', edit_history_tweet_ids: [] }] },
    },
    {
      'payload.edit_history_tweet_ids.0': '$.payload.edit_history_tweet_ids.0: does not match the regex pattern ^[0-9]{1,19}$',
      'includes.tweets.0.id': '$.includes.tweets.0.id: number found, string expected',
    },
  ],
  [
    { event_type: 'post.delete', payload: { id: '1', author_id: '102' } },
    { 'payload.author_id': "$.payload.author_id: is 102, but the event's user_id is 101" },
  ],
  [
    { event_type: 'follow.follow', direction: 'received', payload: printedExample('follow.follow').payload },
    { 'payload.target.data.id': "$.payload.target.data.id: is 102, but the event's user_id is 101" },
  ],
  [
    {
      event_type: 'post.repost.create',
      payload: printedExample('post.create').payload,
      includes: { posts: [{ ...printedExample('post.create').payload, author_id: '103' }] },
    },
    { 'includes.posts.*.author_id': "$.includes.posts.*.author_id: is 103, but the event's user_id is 101" },
  ],
  [
    { event_type: 'like.create', payload: { ...printedExample('like.create').payload, liked_tweet_id: '1' } },
    { liked_post_id: '$.liked_post_id: sent twice, as liked_post_id and as liked_tweet_id; send one of them' },
  ],
]

test('a mistake names the place, as it was sent, and the rule', () => {
  for (const [event, mistakes] of WRONG)
    assert.deepEqual(
      Object.fromEntries(mistakesOf({ ...event, user_id: '101' }).map(({ path, message }) => [path, message])),
      mistakes,
      event.event_type,
    )
})

test('members that are not declared are no mistake, at any depth', () => {
  const more = { more: [1] }
  const { payload } = printedExample('follow.follow')
  const { data } = payload.source as { data: { public_metrics: object } }
  const source = { data: { ...data, ...more, public_metrics: { ...data.public_metrics, followers_count_str: '12' } }, ...more }
  assert.deepEqual(
    mistakesOf({ event_type: 'follow.follow', user_id: '101', payload: { ...payload, source, ...more }, includes: more }),
    [],
  )
  const post = { ...printedExample('post.create').payload, ...more }
  assert.deepEqual(mistakesOf({ event_type: 'post.create', user_id: '101', payload: post, includes: { posts: [post], ...more } }), [])
})

test('an event without a direction may be about either of its two users', () => {
  const { payload } = printedExample('follow.follow')
  for (const user_id of ['101', '102']) assert.deepEqual(mistakesOf({ event_type: 'follow.follow', user_id, payload }), [])
  assert.equal(mistakesOf({ event_type: 'follow.follow', user_id: '103', payload }).length, 1)
  // The payload of a like does not name who likes.
  const like = printedExample('like.create').payload
  for (const user_id of ['101', '102']) assert.deepEqual(mistakesOf({ event_type: 'like.create', user_id, payload: like }), [])
  assert.equal(mistakesOf({ event_type: 'like.create', user_id: '101', direction: 'received', payload: like }).length, 1)
})
