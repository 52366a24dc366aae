import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { dialects, requestTranslator, xNameOf, xPathOf } from '../../src/api/declare/dialect.ts'
import { anyObject, integer, listOf, nullable, object, oneOf, optional, type Params, text } from '../../src/api/declare/words.ts'

const { spec, x } = dialects

/** Names of the public interface in their two spellings. */
const pairs = [
  ['post', 'tweet'],
  ['posts', 'tweets'],
  ['post.fields', 'tweet.fields'],
  ['referenced_posts.id', 'referenced_tweets.id'],
  ['referenced_posts.id.author_id', 'referenced_tweets.id.author_id'],
  ['edit_history_post_ids', 'edit_history_tweet_ids'],
  ['attachments.media_source_post', 'attachments.media_source_tweet'],
  ['note_post', 'note_tweet'],
  ['pinned_post_id', 'pinned_tweet_id'],
  ['most_recent_post_id', 'most_recent_tweet_id'],
  ['first_cta_post', 'first_cta_tweet'],
  ['post_mode', 'tweet_mode'],
  ['repost_count', 'retweet_count'],
  ['reposted_by', 'retweeted_by'],
  ['post_ids', 'tweet_ids'],
  ['promoted_posts', 'promoted_tweets'],
  ['service_id', 'twitter_id'],
  ['x-service-webhooks-signature', 'x-twitter-webhooks-signature'],
] as const

/** Names that are alike in both. */
const alike = [
  ...['quote_count', 'postal_code', 'poster_media_url', 'compost', 'services', 'tweet_volume', 'tweeted', 'tweet_type'],
  ...['TWEET_IMAGE', 'PROMOTED_TWEET', 'POST', 'user.fields', 'id', 'constructor', 'has_constructor', 'valueOf', '__proto__', '', '.', '_'],
]

const everyName = fc.oneof(
  fc.string(),
  fc.constantFrom(...pairs.flat(), ...alike),
  fc
    .array(fc.constantFrom('post', 'posts', 'tweet', 'tweets', 'service', 'twitter', 'id', 'toString', 'constructor'), { minLength: 1 })
    .chain((pieces) => fc.constantFrom(...['_', '.', '-'].map((between) => pieces.join(between)))),
)

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(everyName, tie('value'), { maxKeys: 4 }),
  ),
})).value

test('every public name has its two spellings, and others have one', () => {
  for (const [post, tweet] of pairs) assert.deepEqual([xNameOf(post), xNameOf(tweet)], [tweet, tweet])
  for (const name of alike) assert.equal(xNameOf(name), name)
})

test('respelling is idempotent for every name', () => {
  fc.assert(fc.property(everyName, (name) => xNameOf(xNameOf(name)) === xNameOf(name)))
})

test('paths are respelled segment by segment, without placeholders', () => {
  const path = '/12/accounts/:account_id/promoted_posts/:post_id'
  assert.equal(xPathOf(path), '/12/accounts/:account_id/promoted_tweets/:post_id')
  assert.equal(xPathOf(xPathOf(path)), xPathOf(path))
  assert.equal(spec.path(path), path)
})

test('in dialect spec no schema costs anything: nothing is compiled or translated', () => {
  assert.equal(spec.answerTranslator(object({ posts: listOf(object({ edit_history_post_ids: text() })) })), undefined)
  fc.assert(fc.property(everyName, (name) => spec.answerTranslator(object({ [name]: text() })) === undefined && spec.out(name) === name))
  fc.assert(fc.property(json, (value) => spec.anything(value) === value))
})

test('in dialect x a schema costs nothing unless a name in it differs, at any depth', () => {
  const nestings = [
    (params: Params) => object(params),
    (params: Params) => listOf(object(params)),
    (params: Params) => object({ data: nullable(object(params)) }),
    (params: Params) => object({ data: optional(listOf(object({ inner: object(params) }))), meta: object({ count: integer() }) }),
  ]
  const named = everyName.filter((name) => name !== '__proto__')
  fc.assert(
    fc.property(named, fc.constantFrom(...nestings), (name, nest) => {
      const differs = xNameOf(name) !== name
      assert.equal(x.answerTranslator(nest({ [name]: text() })) !== undefined, differs)
      assert.equal(requestTranslator(nest({ [name]: text() })) !== undefined, differs)
    }),
  )
  assert.equal(x.answerTranslator(object({ free: anyObject(), kind: oneOf(['post', 'tweet']) })), undefined)
})

test('declared names are written in the x spelling and read in either spelling', () => {
  for (const [post, tweet] of pairs) {
    const schema = object({ data: listOf(object({ [post]: nullable(object({ [post]: text() })) })) })
    const declared = { data: [{ [post]: { [post]: post } }, { [post]: null }] }
    const respelled = { data: [{ [tweet]: { [tweet]: post } }, { [tweet]: null }] }
    const [out, back] = [x.answerTranslator(schema)!, requestTranslator(schema)!]
    assert.deepEqual(out(declared), respelled)
    assert.deepEqual(out(respelled), respelled)
    assert.deepEqual(back(respelled), declared)
    assert.deepEqual(back(declared), declared)
  }
})

test('where a schema says so, all names in a value are respelled in responses, and no others', () => {
  const free = { ...anyObject(), 'x-dialect': 'names' as const }
  const translate = x.answerTranslator(object({ data: listOf(object({ changes: free, other: anyObject() })) }))!
  const value = { post_id: { before: 'post', after: [{ posts: null }] } }
  assert.deepEqual(translate({ data: [{ changes: value, other: value }] }), {
    data: [{ changes: { tweet_id: { before: 'post', after: [{ tweets: null }] } }, other: value }],
  })
  assert.equal(spec.answerTranslator(object({ changes: free })), undefined)
  assert.equal(requestTranslator(object({ changes: free })), undefined)
})

test('values that do not match the schema pass through unchanged', () => {
  const schema = object({ posts: listOf(object({ post_id: text() })) })
  for (const value of [null, 1, 'posts', [], [{ posts: 1 }], { other: { posts: 1 } }]) {
    assert.deepEqual(x.answerTranslator(schema)!(value), value)
    assert.deepEqual(requestTranslator(schema)!(value), value)
  }
  assert.deepEqual(requestTranslator(schema)!({ tweets: { tweet_id: 1 } }), { posts: { tweet_id: 1 } })
})

test('a member in both spellings is rejected', () => {
  const translate = requestTranslator(object({ data: object({ post_id: text() }) }))!
  assert.throws(() => translate({ data: { post_id: '1', tweet_id: '1' } }), /\$\.post_id: sent twice, as post_id and as tweet_id/)
  assert.deepEqual(translate({ post_id: '1', tweet_id: '1', data: {} }), { post_id: '1', tweet_id: '1', data: {} })
})

const leaves = (value: unknown): unknown[] => (typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [value])

test('a value without a schema keeps everything, changes in no text, and translating it twice changes nothing', () => {
  fc.assert(
    fc.property(json, (value) => {
      const before = JSON.stringify(value)
      const translated = x.anything(value)
      assert.deepEqual(leaves(translated), leaves(value))
      assert.deepEqual(x.anything(translated), translated)
      assert.equal(JSON.stringify(value), before)
    }),
  )
})

test('if two names would become one, the second keeps its own', () => {
  assert.deepEqual(x.anything({ post_id: 1, tweet_id: 2 }), { post_id: 1, tweet_id: 2 })
  assert.deepEqual(x.anything({ post_tweet: 1, tweet_post: 2 }), { tweet_tweet: 1, tweet_post: 2 })
})
