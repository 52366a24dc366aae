import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwitterApi } from 'twitter-api-v2'
import { startPostern } from '../../src/index.ts'

const keys = { appKey: 'demo-consumer-key', appSecret: 'demo-consumer-secret-for-development-only' }
const token = { accessToken: '101-demo-access-token', accessSecret: 'demo-access-token-secret-for-development-only' }

test('a client in a test reaches the Postern that took its hosts over, and the one of before once that is disposed', async () => {
  const bot = new TwitterApi({ ...keys, ...token })
  await using outer = await startPostern({ dialect: 'x' })
  outer.takeOver()
  const { data: post } = await bot.v2.tweet('Low tide at noon')
  {
    await using inner = await startPostern({ dialect: 'x' })
    inner.takeOver()
    assert.ok((await bot.v2.singleTweet(post.id)).errors)
  }
  assert.equal((await bot.v2.singleTweet(post.id)).data.text, 'Low tide at noon')
})
