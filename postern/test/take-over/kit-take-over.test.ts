import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwitterApi } from 'twitter-api-v2'
import { startPostern } from '../../src/index.ts'

const keys = { appKey: 'demo-consumer-key', appSecret: 'demo-consumer-secret-for-development-only' }
const token = { accessToken: '101-demo-access-token', accessSecret: 'demo-access-token-secret-for-development-only' }

test('a stream of v1 says what Postern has instead, by the host that the client has built in', async () => {
  await using postern = await startPostern({ dialect: 'x' })
  using _ = postern.takeOver()
  for (const host of ['stream.twitter.com', 'stream.x.com']) {
    const answer = await fetch(`https://${host}/1.1/statuses/filter.json`, { method: 'POST' })
    assert.equal(answer.status, 404)
    assert.match(await answer.text(), /Postern does not have filtered and sampled streams\. Subscribe to `post\.create`/)
  }
  const other = await fetch('https://mobile.twitter.com/home')
  assert.equal(other.status, 404)
  assert.match(await other.text(), /Postern has nothing like mobile\.twitter\.com, and lets no call through to it\. It is api\.x\.com, /)
})

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
