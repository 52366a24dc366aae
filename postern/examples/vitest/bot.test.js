// npx vitest run
import { startPostern } from 'postern'
import { TwitterApi } from 'twitter-api-v2'
import { expect, test, vi } from 'vitest'

// The first server of a process may take longer to start than the 5 s that vitest gives a test.
vi.setConfig({ testTimeout: 30_000 })

test('the bot posts as its user', async () => {
  await using postern = await startPostern({ dialect: 'x' })
  // Requests of this process to api.x.com and its neighbours lead to Postern until the end of the scope.
  using _hosts = postern.takeOver()
  const bot = new TwitterApi(postern.app.userCredentials('ada'))

  const { data } = await bot.v2.tweet('Low tide at noon')

  expect((await bot.v2.singleTweet(data.id)).data.text).toBe('Low tide at noon')
})

test('the bot hears of a direct message', async () => {
  await using postern = await startPostern({ dialect: 'x' })
  await postern.inbox.register({ events: ['dm.received'] })

  await postern.trigger('dm.received', { to: 'ada', text: 'Hello' })

  expect(await postern.inbox.next('dm.received')).toMatchObject({ verified: true, user_id: '101' })
})
