import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demoApp, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'

test('the keyword of a subscription is a query over the text of the event', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const token = await stage.token()
  const webhookId = await stage.register(receiver.url, token)
  const keyword = '(lighthouse OR "light house") -dark #news'
  await stage.subscribe(webhookId, token, { event_type: 'news.new', filter: { keyword } })
  const texts = [
    'The Lighthouse is lit #News',
    'A light house #news',
    'A lighthouse in the dark #news',
    'Lighthouses #news',
    'The lighthouse, no news',
    'A house of light #news',
  ]
  const events = texts.map((text, place) => ({ event_type: 'news.new', user_id: '9', payload: { place }, text }))
  assert.equal((await stage.operator('POST', '/operator/events', { events })).status, 202)
  const received = await receiver.received(2)
  assert.deepEqual(received.map(({ data }) => (data!.payload as { place: number }).place).sort(), [0, 1])
  await stage.deliveriesWhen('state=delivered', (found) => found.length === 2)
  assert.equal((await stage.operator('GET', '/operator/deliveries')).body.data.length, 2)
})

test('a keyword that is no query, or needs more than the text, is refused with a sentence and the place', async () => {
  await using stage = await setStage()
  const token = await stage.token()
  for (const [keyword, detail] of [
    ['cat (dog', 'this bracket is not closed (at position 5)'],
    ['"cat', 'this quote is not closed (at position 1)'],
    ['cat from:bob', 'from:bob needs more than the text, and cannot be used here (at position 5)'],
    ['cat has:media', 'has:media needs more than the text, and cannot be used here (at position 5)'],
    ['bio:x', "'bio:' is not a supported operator. Supported are url:, has:; put other text in quotes (at position 1)"],
    ['!', "'!' has no letter, digit or emoji to look for (at position 1)"],
  ]) {
    const json = { event_type: 'news.new', filter: { keyword } }
    const { status, body, text } = await stage.api('POST', '/2/activity/subscriptions', { token, json })
    assert.equal(status, 400, text)
    assert.match(body.type, /invalid-rules$/)
    assert.equal(body.detail, `filter.keyword: ${detail}`)
  }
})
