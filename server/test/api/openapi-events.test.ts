import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { allEndpoints } from '../../scripts/all-endpoints.ts'
import { dialects } from '../../src/api/declare/dialect.ts'
import { openApi } from '../../src/api/openapi.ts'
import { describedEvents } from '../../src/endpoints/events/described-events.ts'
import { CANONICAL } from '../stage/specified-events.ts'

const servers = { base_url: 'http://a', ads_base_url: 'http://b', ads_sandbox_base_url: 'http://c' }

const describeIn = (name: 'spec' | 'x') => {
  const described = { endpoints: allEndpoints, events: describedEvents(dialects[name]) }
  return JSON.parse(JSON.stringify(openApi(described, dialects[name], servers, () => undefined)))
}

for (const name of ['spec', 'x'] as const) {
  const description = describeIn(name)

  test(`${name}: the webhooks of the description are every type of events`, () => {
    assert.deepEqual(Object.keys(description.webhooks).sort(), [...CANONICAL].sort())
    const ids = Object.values<{ post: { operationId: string } }>(description.webhooks).map(({ post }) => post.operationId)
    assert.equal(new Set(ids).size, CANONICAL.length)
  })

  test(`${name}: the example of every event follows its schema, and so does one with more members`, () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema(description, 'description')
    for (const type of CANONICAL) {
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

test('the example of a webhook has a filter of its type, and includes only where its payload refers to something', () => {
  const { webhooks, components } = describeIn('spec')
  const exampleOf = (type: string) => webhooks[type].post.requestBody.content['application/json'].example.data
  assert.deepEqual(exampleOf('like.create').filter, { user_id: '101' })
  assert.deepEqual(exampleOf('news.new').filter, { keyword: 'lighthouse' })
  assert.ok('includes' in exampleOf('post.create') && !('includes' in exampleOf('profile.update.bio')))
  const names = Object.keys(components.schemas).filter((name) => /(Post|User)$/.test(name))
  for (const name of ['EventPost', 'EventUser', 'Post', 'User']) assert.ok(names.includes(name), names.join())
  assert.ok(!names.some((name) => name.startsWith('EventEvent')), names.join())
})

test('a webhook says its filters, whose consent it needs, and its other names', () => {
  const { webhooks } = describeIn('spec')
  const descriptionOf = (type: string): string => webhooks[type].post.description
  assert.match(descriptionOf('like.create'), /Filters: `user_id`, `direction`\./)
  assert.match(descriptionOf('like.create'), /Private: .*OAuth 1\.0a with the access `read`, or OAuth 2\.0 with `like\.read`/)
  assert.match(descriptionOf('post.create'), /Public/)
  assert.match(descriptionOf('profile.update.verified'), /Other names: `profile\.update\.verified_badge`\./)
  assert.match(descriptionOf('profile.update.verified'), /Deprecated names: `ProfileVerifiedBadgeUpdate`\./)
  assert.match(descriptionOf('oauth.revoke'), /Sent only to the app that the payload names\./)
  assert.doesNotMatch(descriptionOf('like.create'), /Sent only to the app/)
  assert.doesNotMatch(descriptionOf('news.new'), /Other names/)
  assert.match(descriptionOf('block.block'), /No sample is published: it is that of `follow\.follow`\./)
  assert.match(describeIn('x').webhooks['post.mention.create'].post.description, /`tweet\.read`/)
  assert.match(descriptionOf('dm.read'), /No sample is published/)
})
