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

test('a token of another list is refused by the name of its parameter', async () => {
  await using stage = await setStage({ seed })
  for (const name of ['next_token', 'pagination_token']) {
    const { status, body } = await callAs(stage, '103', 'GET', `/2/posts/search/recent?query=hello&${name}=abcdefgh`)
    const message = `The \`${name}\` query parameter value [abcdefgh] is not a token of this list`
    assert.deepEqual([status, body.errors], [400, [{ message, parameters: { [name]: ['abcdefgh'] } }]])
  }
})
