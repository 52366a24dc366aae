// node --test
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPostern } from 'postern'
import { TwitterApi } from 'twitter-api-v2'

test('the bot posts as its user', async () => {
  await using postern = await startPostern({ dialect: 'x' })
  // Requests of this process to api.x.com and its neighbours lead to Postern until the end of the scope.
  using _hosts = postern.takeOver()
  const bot = new TwitterApi(postern.app.userCredentials('ada'))

  const { data } = await bot.v2.tweet('Low tide at noon')

  assert.equal((await bot.v2.singleTweet(data.id)).data.text, 'Low tide at noon')
})

test('the bot hears of a direct message', async () => {
  await using postern = await startPostern({ dialect: 'x' })
  await postern.inbox.register({ events: ['dm.received'] })

  await postern.trigger('dm.received', { to: 'ada', text: 'Hello' })

  const received = await postern.inbox.next('dm.received')
  assert.equal(received.verified, true)
  assert.equal(received.user_id, '101')
})

test('the webhook is challenged every hour', async () => {
  await using postern = await startPostern()
  await postern.inbox.register({ events: ['dm.received'] })

  const { happened } = await postern.clock.advance('3h')

  const challenges = happened.filter(({ kind }) => kind === 'challenge')
  assert.ok(challenges.length >= 3)
})
