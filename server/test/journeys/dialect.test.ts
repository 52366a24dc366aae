import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { generalAreaOf } from '../../src/api/areas.ts'
import { noAuth } from '../../src/api/declare/auth.ts'
import { type DialectName, dialects } from '../../src/api/declare/dialect.ts'
import { endpoint } from '../../src/api/declare/endpoint.ts'
import { requires } from '../../src/api/declare/rules.ts'
import { anyObject, commaList, id, listOf, object, oneOf, optional, text } from '../../src/api/declare/words.ts'
import { fallbacksOf } from '../../src/api/http/fallbacks.ts'
import { createHost } from '../../src/api/http/http.ts'
import { routesOf } from '../../src/api/routes.ts'
import { type Answer, call } from '../stage/call.ts'
import { listed } from '../stage/listed.ts'
import { demoApp, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'

const both: DialectName[] = ['spec', 'x']

const postView = object({
  id: id(),
  edit_history_post_ids: listOf(id()),
  referenced_posts: optional(listOf(object({ type: oneOf(['quoted']), id: id() }))),
  quote_count: text(),
})

/** Answers what it was given, with names that differ between the dialects at every depth. */
const readPosts = endpoint({
  name: 'readPosts',
  route: 'GET /2/posts',
  section: '',
  summary: '',
  auth: noAuth,
  params: {
    'post.fields': optional(commaList(oneOf(['id', 'text', 'lang']))),
    post_id: id(),
    quoting_post_id: optional(id()),
    reason: optional(text()),
  },
  rules: [requires('quoting_post_id', 'reason')],
  answer: object({
    posts: listOf(postView),
    given: listOf(text()),
    errors: listOf(object({ resource_type: { ...oneOf(['post', 'user']), 'x-dialect': 'value' as const }, title: text() })),
  }),
  handle: async ({ params }) => ({
    posts: [
      {
        id: params.post_id,
        edit_history_post_ids: [params.post_id],
        referenced_posts: [{ type: 'quoted' as const, id: '5' }],
        quote_count: 'post',
      },
    ],
    given: params['post.fields'] ?? [],
    errors: [
      { resource_type: 'post' as const, title: 'post' },
      { resource_type: 'user' as const, title: 'posts' },
    ],
  }),
})

const createPost = endpoint({
  name: 'createPost',
  route: 'POST /2/posts/:post_id/cards',
  section: '',
  summary: '',
  auth: noAuth,
  params: {
    post_id: id(),
    card: object({ first_cta_post: text({ max: 5 }), second_cta_post: optional(text()) }),
    free: optional(anyObject()),
  },
  answer: object({ said: listOf(text()), free: optional(anyObject()) }),
  handle: async ({ params: { post_id, card, free } }) => ({
    said: [post_id, card.first_cta_post, ...(card.second_cta_post === undefined ? [] : [card.second_cta_post])],
    ...(free && { free }),
  }),
})

/** A host of its own with the two endpoints, on a free port. */
async function open(dialect: DialectName) {
  const log = pino({ level: 'silent' })
  const problemOptions = { problemBaseUrl: 'https://api.example.com/2/problems' }
  const endpoints = [listed(readPosts), listed(createPost)]
  const routes = routesOf({ endpoints, services: {}, dialect: dialects[dialect], problemOptions, countCall: async () => ({}), log })
  const host = createHost(routes, fallbacksOf(problemOptions, generalAreaOf), log)
  const origin = `http://127.0.0.1:${await host.listen(0, '127.0.0.1')}`
  return {
    get: (target: string) => call(origin + target, 'GET'),
    post: (json: unknown, path = '/2/posts/7/cards') => call(origin + path, 'POST', { json }),
    [Symbol.asyncDispose]: () => host.close(),
  }
}

function messagesOf(answer: Answer): string[] {
  assert.equal(answer.status, 400, answer.text)
  return answer.body.errors.map(({ message }: { message: string }) => message)
}

for (const dialect of both) {
  test(`${dialect}: both spellings of a path are one endpoint, for every method`, async () => {
    await using host = await open(dialect)
    const [post, tweet] = [await host.get('/2/posts?post_id=1'), await host.get('/2/tweets?post_id=1')]
    assert.deepEqual([post.status, tweet.status], [200, 200])
    assert.equal(tweet.text, post.text)
    const card = { card: { first_cta_post: 'a' } }
    for (const path of ['/2/posts/7/cards', '/2/tweets/7/cards']) assert.deepEqual((await host.post(card, path)).body, { said: ['7', 'a'] })
    const refused = [await host.post({}, '/2/posts'), await host.post({}, '/2/tweets')]
    assert.deepEqual([refused[0]?.status, refused[1]?.status], [405, 405])
    assert.equal((await host.get('/2/tweet')).status, 404)
  })

  test(`${dialect}: both spellings of a parameter are accepted, and two lists of one parameter are merged`, async () => {
    await using host = await open(dialect)
    const given = async (query: string) => (await host.get(`/2/posts?${query}`)).body.given
    assert.deepEqual(await given('post_id=1&post.fields=id,text'), ['id', 'text'])
    assert.deepEqual(await given('tweet_id=1&tweet.fields=id,text'), ['id', 'text'])
    assert.deepEqual(await given('tweet_id=1&post.fields=id,text&tweet.fields=text,lang'), ['id', 'text', 'lang'])
    assert.deepEqual(await given('post_id=1&tweet.fields=lang&post.fields=id'), ['lang', 'id'])
  })

  test(`${dialect}: one value in two spellings is a duplicate, in a query and in a body`, async () => {
    await using host = await open(dialect)
    assert.deepEqual(messagesOf(await host.get('/2/posts?post_id=1&tweet_id=2')), [
      'Duplicate parameters are not allowed: the `post_id` query parameter and the `tweet_id` query parameter',
    ])
    assert.deepEqual(messagesOf(await host.post({ card: { first_cta_post: 'a', first_cta_tweet: 'b' } })), [
      '$.first_cta_post: sent twice, as first_cta_post and as first_cta_tweet; send one of them',
    ])
  })

  test(`${dialect}: both spellings of a nested member of a body are accepted, and undeclared members stay unchanged`, async () => {
    await using host = await open(dialect)
    const own = { first_cta_tweet: 'c', deeper: [{ first_cta_post: 'd' }] }
    const answer = await host.post({ card: { first_cta_tweet: 'a', second_cta_post: 'b' }, free: own })
    assert.deepEqual(answer.body, { said: ['7', 'a', 'b'], free: own })
  })

  test(`${dialect}: a message names a parameter as the client sent it, in a query, in a body and in a rule`, async () => {
    await using host = await open(dialect)
    for (const [fields, postId, quoting] of [
      ['post.fields', 'post_id', 'quoting_post_id'],
      ['tweet.fields', 'tweet_id', 'quoting_tweet_id'],
    ]) {
      const answer = await host.get(`/2/posts?${fields}=id,nonsense&${postId}=x&${quoting}=3`)
      assert.deepEqual(messagesOf(answer).sort(), [
        `The \`${fields}\` query parameter value [nonsense] is not one of [id,text,lang]`,
        `The \`${postId}\` query parameter value [x] does not match ^[0-9]{1,19}$`,
        `\`reason\` is required when \`${quoting}\` is set.`,
      ])
      assert.deepEqual(
        answer.body.errors.flatMap(({ parameters }: { parameters: object }) => Object.keys(parameters)).sort(),
        [`${fields}`, postId, 'reason'].sort(),
      )
    }
    for (const [query, wrong] of [
      ['post.fields=bad&tweet.fields=lang', 'post.fields'],
      ['tweet.fields=lang&post.fields=bad', 'post.fields'],
      ['tweet.fields=bad&post.fields=lang', 'tweet.fields'],
    ] as const) {
      const answer = await host.get(`/2/posts?post_id=1&${query}`)
      assert.deepEqual(messagesOf(answer), [`The \`${wrong}\` query parameter value [bad] is not one of [id,text,lang]`])
      assert.deepEqual(answer.body.errors[0].parameters, { [wrong]: ['bad'] })
    }
    for (const name of ['first_cta_post', 'first_cta_tweet'])
      assert.deepEqual(messagesOf(await host.post({ card: { [name]: 'too long' } })), [`$.card.${name}: must be at most 5 characters long`])
    for (const name of ['cta_post', 'cta_tweet'])
      assert.match(
        messagesOf(await host.post({ card: { first_cta_post: 'a', [name]: 'b' } }))[0]!,
        new RegExp(`^\\$\\.card\\.${name}: is not`),
      )
  })
}

test('a missing parameter is named as in the dialect', async () => {
  for (const [dialect, name] of [
    ['spec', 'post'],
    ['x', 'tweet'],
  ] as const) {
    await using host = await open(dialect)
    assert.deepEqual(messagesOf(await host.get('/2/posts')), [`The \`${name}_id\` query parameter can not be empty`])
    assert.deepEqual(messagesOf(await host.post({ card: {} })), [`$.card.first_cta_${name}: is missing but it is required`])
  }
})

test('in x responses are renamed at every depth, including values that are names; in spec nothing is', async () => {
  for (const [dialect, name] of [
    ['spec', 'post'],
    ['x', 'tweet'],
  ] as const) {
    await using host = await open(dialect)
    const { body } = await host.get('/2/posts?post_id=1&post.fields=text')
    assert.deepEqual(body, {
      [`${name}s`]: [
        {
          id: '1',
          [`edit_history_${name}_ids`]: ['1'],
          [`referenced_${name}s`]: [{ type: 'quoted', id: '5' }],
          quote_count: 'post',
        },
      ],
      given: ['text'],
      errors: [
        { resource_type: name, title: 'post' },
        { resource_type: 'user', title: 'posts' },
      ],
    })
  }
})

const published = {
  event_type: 'post.create',
  user_id: '101',
  text: 'a post of the service',
  payload: {
    id: '1',
    edit_history_post_ids: ['1'],
    referenced_posts: [{ type: 'reposted', id: '2' }],
    event_type: 'post.create',
    text: 'posts',
    quote_count: 3,
  },
  includes: { posts: [{ id: '2', conversation: { post_id: '2', tweet_id: '3' } }], users: [{ id: '101' }] },
}

const delivered = {
  spec: { payload: published.payload, includes: published.includes },
  x: {
    payload: {
      id: '1',
      edit_history_tweet_ids: ['1'],
      referenced_tweets: [{ type: 'retweeted', id: '2' }],
      event_type: 'post.create',
      text: 'posts',
      quote_count: 3,
    },
    includes: { tweets: [{ id: '2', conversation: { post_id: '2', tweet_id: '3' } }], users: [{ id: '101' }] },
  },
}

for (const dialect of both) {
  test(`${dialect}: an event's type and texts are delivered as published, and its names as the dialect spells them`, async () => {
    await using stage = await setStage({ environment: { POSTERN_DIALECT: dialect } })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const token = await stage.token()
    const webhookId = await stage.register(receiver.url, token)
    const filter = { user_id: '101', keyword: 'post' }
    await stage.subscribe(webhookId, token, { event_type: 'post.create', filter, tag: 'posts' })
    const { body } = await stage.operator('POST', '/operator/events', published)
    const [event] = await receiver.received(1)
    const { event_uuid } = body.data[0]
    assert.deepEqual(event, { data: { event_uuid, event_type: 'post.create', filter, tag: 'posts', ...delivered[dialect] } })
  })
}

test('a problem has the same format in both dialects', async () => {
  for (const dialect of both) {
    await using stage = await setStage({ environment: { POSTERN_DIALECT: dialect } })
    const token = await stage.token()
    const answer = await stage.api('GET', '/2/webhooks?tweet.fields=id', { token })
    assert.deepEqual(messagesOf(answer), ['The query parameter [tweet.fields] is not one of [webhook_config.fields]'])
    const refused = await stage.api('POST', '/2/webhooks/replay', { token, json: {} })
    assert.deepEqual(refused.headers.get('content-type'), 'application/problem+json')
    assert.equal(messagesOf(refused)[0], '$.webhook_id: is missing but it is required')
  }
})
