import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callAs, postAs, setProfile, usersSeed } from '../stage/content.ts'
import { setStage } from '../stage/postern.ts'

const seed = usersSeed('101', '102', '103')

test('in the dialect x the problems of tweets name parameters and fields as clients send them', async () => {
  await using stage = await setStage({ seed, environment: { POSTERN_DIALECT: 'x' } })
  const quoted = await postAs(stage, '101', 'Hello')
  const quoting = await postAs(stage, '102', 'This', { quote_tweet_id: quoted })
  await setProfile(stage, '101', 'protected', true)
  const errorsOf = async (path: string) => (await callAs(stage, '103', 'GET', path)).body.errors
  const [hidden] = await errorsOf(`/2/tweets/${quoting}?expansions=referenced_tweets.id`)
  assert.deepEqual(
    [hidden.parameter, hidden.resource_type, hidden.detail],
    ['referenced_tweets.id', 'tweet', `Sorry, you are not authorized to see the Tweet with referenced_tweets.id: [${quoted}].`],
  )
  const fields = await errorsOf(`/2/tweets/${quoting}?tweet.fields=organic_metrics`)
  const field = fields.find((error: { field: string }) => error.field.includes('retweet'))
  assert.deepEqual(
    [field?.field, field?.detail],
    [
      'organic_metrics.retweet_count',
      `Sorry, you are not authorized to access 'organic_metrics.retweet_count' on the Tweet with id : [${quoting}].`,
    ],
  )
})

test('in the dialect x a write about a tweet that is not there names it as a tweet', async () => {
  await using stage = await setStage({ seed, environment: { POSTERN_DIALECT: 'x' } })
  const removed = await callAs(stage, '101', 'DELETE', '/2/tweets/9')
  const hidden = await callAs(stage, '101', 'PUT', '/2/tweets/9/hidden', { json: { hidden: true } })
  for (const { status, body } of [removed, hidden])
    assert.deepEqual([status, body.resource_type, body.detail, body.parameter], [404, 'tweet', 'Could not find tweet with id: [9].', 'id'])
})

test('a token of another list is refused by the name of its parameter', async () => {
  await using stage = await setStage({ seed })
  for (const name of ['next_token', 'pagination_token']) {
    const { status, body } = await callAs(stage, '103', 'GET', `/2/posts/search/recent?query=hello&${name}=abcdefgh`)
    const message = `The \`${name}\` query parameter value [abcdefgh] is not a token of this list`
    assert.deepEqual([status, body.errors], [400, [{ message, parameters: { [name]: ['abcdefgh'] } }]])
  }
})

test('in the dialect x the values that a parameter may have are spelled as clients send them', async () => {
  await using stage = await setStage({ seed, environment: { POSTERN_DIALECT: 'x' } })
  const messageOf = async (query: string) => (await callAs(stage, '101', 'GET', `/2/tweets?ids=1&${query}`)).body.errors[0].message
  for (const query of ['expansions=nonsense', 'tweet.fields=nonsense']) {
    const message = await messageOf(query)
    assert.match(message, /nonsense.* is not one of \[.*referenced_tweets/)
    assert.doesNotMatch(message, /post/)
  }
  await using spec = await setStage({ seed })
  assert.match((await callAs(spec, '101', 'GET', '/2/posts?ids=1&expansions=nonsense')).body.errors[0].message, /referenced_posts/)
})

test('a seed says the types of referenced posts in either spelling', async () => {
  const referring = (id: string, type: string) => ({
    id,
    author_id: '101',
    text: `As ${type}`,
    created_at: '2026-01-02T00:00:00.000Z',
    referenced_posts: [{ type, id: '1000' }],
  })
  const posts = [
    { id: '1000', author_id: '102', text: 'Hello', created_at: '2026-01-01T00:00:00.000Z' },
    ...[referring('1001', 'retweeted'), referring('1002', 'replied_to')],
  ]
  await using stage = await setStage({ seed })
  assert.equal((await stage.operator('POST', '/operator/seed', { posts })).status, 200)
  const { body } = await callAs(stage, '101', 'GET', '/2/posts/1001?post.fields=referenced_posts')
  assert.deepEqual(body.data.referenced_posts, [{ type: 'reposted', id: '1000' }])
})

test('a path that no endpoint has is not found, also below a path with an id', async () => {
  await using stage = await setStage({ seed })
  for (const path of ['/2/users/nonsense/path', '/2/users/101/nothing', '/2/users/by/nothing', '/2/posts/nonsense/path'])
    assert.equal((await callAs(stage, '101', 'GET', path)).status, 404, path)
})
