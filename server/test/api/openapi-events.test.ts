import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { allEndpoints } from '../../scripts/all-endpoints.ts'
import { dialects } from '../../src/api/declare/dialect.ts'
import { openApi } from '../../src/api/openapi.ts'
import { describedEvents } from '../../src/endpoints/events/described-events.ts'

const servers = { base_url: 'http://a', ads_base_url: 'http://b', ads_sandbox_base_url: 'http://c' }

const describeIn = (name: 'spec' | 'x') => {
  const described = { endpoints: allEndpoints, events: describedEvents(dialects[name]) }
  return JSON.parse(JSON.stringify(openApi(described, dialects[name], servers, () => undefined)))
}

/** §6 and public practice. */
const TYPES = [
  ...['profile.update.bio', 'profile.update.profile_picture', 'profile.update.banner_picture', 'profile.update.screenname'],
  ...['profile.update.geo', 'profile.update.url', 'profile.update.verified', 'profile.update.affiliate', 'profile.update.handle'],
  ...['news.new', 'follow.follow', 'follow.unfollow', 'spaces.start', 'spaces.end', 'broadcast.start', 'broadcast.end', 'broadcast.chat'],
  ...['dm.received', 'dm.sent', 'dm.read', 'dm.indicate_typing', 'chat.received', 'chat.sent', 'chat.conversation_join'],
  ...['chat.conversation.member_added', 'chat.conversation.member_removed', 'chat.conversation.admin_added'],
  ...['chat.conversation.admin_removed', 'chat.update.group_name', 'chat.update.restrictions'],
  ...['post.create', 'post.delete', 'post.mention.create', 'post.reply.create', 'post.quote.create', 'post.repost.create'],
  ...['like.create', 'mute.mute', 'mute.unmute', 'block.block', 'block.unblock', 'oauth.revoke'],
]

for (const name of ['spec', 'x'] as const) {
  const description = describeIn(name)

  test(`${name}: the webhooks of the description are every type of events`, () => {
    assert.deepEqual(Object.keys(description.webhooks).sort(), [...TYPES].sort())
    const ids = Object.values<{ post: { operationId: string } }>(description.webhooks).map(({ post }) => post.operationId)
    assert.equal(new Set(ids).size, TYPES.length)
  })

  test(`${name}: the example of every event follows its schema, and so does one with more members`, () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema(description, 'description')
    for (const type of TYPES) {
      const { schema, example }: Content = description.webhooks[type].post.requestBody.content['application/json']
      const validate = ajv.compile({ $id: type, ...withAbsoluteReferences(schema) })
      assert.ok(validate(example), `${type}: ${JSON.stringify(validate.errors)}`)
      assert.ok(validate({ ...example, data: { ...example.data, payload: { ...example.data.payload, more: 1 } } }), type)
      assert.ok(!validate({ ...example, data: { ...example.data, payload: {} } }), type)
      assert.ok(!validate({ ...example, data: { ...example.data, event_type: 'other' } }), type)
    }
  })
}

interface Content {
  schema: object
  example: { data: { payload: object } }
}

const withAbsoluteReferences = (schema: object) => JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"description#/'))

test('a webhook is a signed POST; names follow the dialect, event types do not', () => {
  const [spec, x] = [describeIn('spec'), describeIn('x')]
  const nameOf = ({ webhooks }: typeof spec) => {
    const [{ name, in: place, required }] = webhooks['post.create'].post.parameters
    return [name, place, required]
  }
  assert.deepEqual(nameOf(spec), ['x-service-webhooks-signature', 'header', true])
  assert.deepEqual(nameOf(x), ['x-twitter-webhooks-signature', 'header', true])
  const exampleOf = ({ webhooks }: typeof spec) => webhooks['post.create'].post.requestBody.content['application/json'].example.data
  const historyOf = (description: typeof spec) => Object.keys(exampleOf(description).payload).filter((name) => /^edit_history_/.test(name))
  assert.deepEqual(historyOf(spec), ['edit_history_post_ids'])
  assert.deepEqual(historyOf(x), ['edit_history_tweet_ids'])
  assert.equal(exampleOf(x).event_type, 'post.create')
})

test('a webhook says its filters, whose consent it needs, and its other names', () => {
  const { webhooks } = describeIn('spec')
  const descriptionOf = (type: string): string => webhooks[type].post.description
  assert.match(descriptionOf('like.create'), /Filters: `user_id`, `direction`\./)
  assert.match(descriptionOf('like.create'), /Private: .*OAuth 1\.0a with the access `read`, or OAuth 2\.0 with `like\.read`/)
  assert.match(descriptionOf('post.create'), /Public/)
  assert.match(descriptionOf('profile.update.verified'), /Other names: `profile\.update\.verified_badge`\./)
  assert.match(descriptionOf('profile.update.verified'), /Deprecated names: `ProfileVerifiedBadgeUpdate`\./)
  assert.match(describeIn('x').webhooks['post.mention.create'].post.description, /`tweet\.read`/)
  assert.match(descriptionOf('dm.read'), /No sample is published/)
})
