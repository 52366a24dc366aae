// node --test
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { startPostern } from 'postern'
import { TwitterApi } from 'twitter-api-v2'
import { createBot } from './bot.js'

let postern
let hosts
let ada
let bot
before(async () => {
  postern = await startPostern({ dialect: 'x' })
  hosts = postern.takeOver()
  ada = new TwitterApi(postern.app.userCredentials('ada'))
  bot = createBot({ client: ada, secret: postern.app.consumerSecret, log: () => {} }).listen(0, '127.0.0.1')
  await once(bot, 'listening')
})
after(async () => {
  bot.close()
  hosts[Symbol.dispose]()
  await postern.stop()
})

// Each test has its own webhook and subscription, and none of what another did.
beforeEach(async () => {
  const app = new TwitterApi(await postern.app.bearerToken())
  const url = `http://127.0.0.1:${bot.address().port}/webhook`
  const { data: webhook } = await app.v2.post('webhooks', { url })
  const filter = { user_id: '101' }
  await ada.v2.post('activity/subscriptions', { event_type: 'post.mention.create', filter, webhook_id: webhook.id })
})
afterEach(() => postern.reset())

const mention = (text) => postern.trigger('post.mention.create', { from: 'grace', to: 'ada', text })

const repliesTo = async (id) => {
  const { tweets } = await ada.v2.search(`conversation_id:${id} from:ada`)
  return tweets.map(({ text }) => text)
}

test('the bot replies to a mention', async () => {
  const { event, deliveries } = await mention('When is high tide?')
  assert.deepEqual(
    deliveries.filter(({ event_type }) => event_type === 'post.mention.create').map(({ status }) => status),
    [200],
  )
  assert.deepEqual(await repliesTo(event.payload.id), ['High tide is at noon.'])
})

test('it answers once when the same event comes twice', async () => {
  await postern.faults.add({ delivery: 'post.mention.create', duplicate: true })
  const { event } = await mention('And low tide?')
  await postern.settled()
  assert.equal((await repliesTo(event.payload.id)).length, 1)
})

test('a reply that is refused by a rate limit is made when the event is delivered again', async () => {
  await postern.faults.add({ call: 'POST /2/tweets', status: 429 })
  const { event, deliveries } = await mention('Which tide is it?')
  assert.equal(deliveries[0].outcome, 'failed')
  assert.deepEqual(await repliesTo(event.payload.id), [])
  await postern.clock.advance('5s')
  assert.deepEqual(await repliesTo(event.payload.id), ['High tide is at noon.'])
})

test('an event with a wrong signature is not answered', async () => {
  await postern.faults.add({ delivery: 'post.mention.create', wrong_signature: true })
  const { event, deliveries } = await mention('Tide?')
  assert.equal(deliveries[0].status, 401)
  assert.deepEqual(await repliesTo(event.payload.id), [])
})
