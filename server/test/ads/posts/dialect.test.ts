import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCOUNT, adsCaller, dataOf, mistakesOf } from '../../stage/ads.ts'
import { addMedia, composers, postsSeed } from '../../stage/ads-posts.ts'
import { setStage } from '../../stage/postern.ts'
import { ada } from '../../stage/sign-in.ts'

test('in dialect x posts are tweets: in paths, parameters and members', async () => {
  await using stage = await setStage({ seed: postsSeed, environment: { POSTERN_DIALECT: 'x' } })
  await addMedia(stage)
  const ads = adsCaller(stage)
  const of = `/12/accounts/${ACCOUNT}`
  const made = await ads('POST', `${of}/tweet`, { as_user_id: ada.id, text: 'Hello', tweet_mode: 'extended', media_keys: ['3_1'] })
  const { id_str, tweet_id, tweet_type, full_text, retweet_count, retweeted, favorite_count } = dataOf(made)
  assert.deepEqual([tweet_id, tweet_type, full_text, retweet_count, retweeted, favorite_count], [id_str, 'PUBLISHED', 'Hello', 0, false, 0])
  assert.deepEqual(made.body.request.params, {
    account_id: ACCOUNT,
    as_user_id: 101,
    text: 'Hello',
    tweet_mode: 'extended',
    media_keys: ['3_1'],
  })
  assert.equal(dataOf(await ads('PUT', `${of}/tweets/${id_str}/name`, { name: 'One' })).name, 'One')
  const listed = await ads('GET', `${of}/tweets`, { tweet_type: 'PUBLISHED', tweet_ids: [id_str], user_id: ada.id })
  assert.deepEqual(
    dataOf(listed).map(({ name }: { name: string }) => name),
    ['One'],
  )
  assert.deepEqual(mistakesOf(await ads('GET', `${of}/tweets`)), [400, 'MISSING_PARAMETER tweet_type'])
  const composer = adsCaller(stage, 'production', composers)
  const at = new Date(stage.clock.now() + 3_600_000).toISOString()
  const scheduled = dataOf(await composer('POST', `${of}/scheduled_tweets`, { as_user_id: '302', text: 'Later', scheduled_at: at }))
  assert.deepEqual([scheduled.tweet_id, scheduled.scheduled_status], [null, 'SCHEDULED'])
  const itself = `${of}/scheduled_tweets/${scheduled.id}`
  assert.deepEqual(mistakesOf(await ads('DELETE', itself)), [404, 'NOT_FOUND scheduled_tweet_id'], 'of a user who is not hers')
  assert.equal(dataOf(await composer('DELETE', itself)).scheduled_status, 'DELETED')
})
