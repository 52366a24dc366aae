import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callAs, postAs, usersSeed } from '../stage/content.ts'
import { setStage } from '../stage/postern.ts'

const seed = usersSeed('101', '102')

test('in the dialect x reposts are retweets, and their posts are tweets', async () => {
  await using stage = await setStage({ seed, environment: { POSTERN_DIALECT: 'x' } })
  const tweet = await postAs(stage, '102', 'Hello')
  const retweeted = await callAs(stage, '101', 'POST', '/2/users/101/retweets', { json: { tweet_id: tweet } })
  const { id } = retweeted.body.data
  assert.deepEqual([retweeted.status, retweeted.body], [200, { data: { retweeted: true, id } }])
  const get = async (path: string) => {
    const { status, body, text } = await callAs(stage, '102', 'GET', path)
    assert.equal(status, 200, text)
    return (body.data ?? []).map((one: { id: string }) => one.id)
  }
  assert.deepEqual(await get(`/2/tweets/${tweet}/retweeted_by`), ['101'])
  assert.deepEqual(await get(`/2/tweets/${tweet}/retweets`), [id])
  assert.deepEqual(await get('/2/users/reposts_of_me'), [id])
  assert.deepEqual(await get(`/2/tweets/${tweet}/quote_tweets?exclude=retweets,replies`), [])
  const liked = await callAs(stage, '101', 'POST', '/2/users/101/likes', { json: { tweet_id: tweet } })
  assert.deepEqual(liked.body, { data: { liked: true } })
  assert.deepEqual(await get('/2/users/101/liked_tweets'), [tweet])
  const undone = await callAs(stage, '101', 'DELETE', `/2/users/101/retweets/${tweet}`)
  assert.deepEqual(undone.body, { data: { retweeted: false } })
  const pinned = await callAs(stage, '102', 'POST', '/1.1/account/pin_tweet.json', { form: { id: tweet } })
  assert.deepEqual(pinned.body, { pinned_tweets: [tweet] })
})
