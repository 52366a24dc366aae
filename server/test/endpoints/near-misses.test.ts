// Which subscriptions did not bring an event to a webhook, and why.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { otherApp, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'

interface NearMiss {
  subscription_id: string
  app_id: string
  webhook_id: string | null
  reason: string
}

test('an event tells which subscriptions to its type did not bring it to a webhook, its user’s first, and why', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([otherApp.consumer_secret])
  const token = await stage.token(otherApp)
  const webhookId = await stage.register(receiver.url, token)
  const publish = async (event: Record<string, unknown>) => {
    const answer = await stage.operator('POST', '/operator/events', {
      event_type: 'profile.update.bio',
      user_id: '101',
      payload: {},
      ...event,
    })
    return answer.body.data[0].event_uuid as string
  }
  const nearMisses = async (uuid: string) => {
    const { body } = await stage.operator('GET', `/operator/events/${uuid}/near_misses`)
    return [body.data.map(({ subscription_id, reason }: NearMiss) => [subscription_id, reason]), body.meta]
  }

  const early = await publish({})
  assert.deepEqual(await nearMisses(early), [[], { result_count: 0, more: 0 }])

  const profile = { event_type: 'profile.update.bio' }
  const ofAnother = await stage.subscribe(webhookId, token, { ...profile, filter: { user_id: '102' } })
  assert.deepEqual((await nearMisses(early))[0], [[ofAnother, 'was created after the event was accepted']])

  stage.clock.advance(1000)
  const missed = await publish({})
  assert.deepEqual(await nearMisses(missed), [[[ofAnother, 'is for user 102, not 101']], { result_count: 1, more: 0 }])

  const brought = await stage.subscribe(webhookId, token, { ...profile, filter: { user_id: '101' } })
  stage.clock.advance(1000)
  const found = await publish({})
  assert.deepEqual((await nearMisses(found))[0], [[ofAnother, 'is for user 102, not 101']])
  assert.deepEqual(
    (await nearMisses(missed))[0].map(([subscription]: [string]) => subscription),
    [brought, ofAnother],
  )
})

test('a keyword is not compared with the text of an event in the log, which is not kept', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([otherApp.consumer_secret])
  const token = await stage.token(otherApp)
  const webhookId = await stage.register(receiver.url, token)
  await stage.subscribe(webhookId, token, { event_type: 'news.new', filter: { keyword: 'tide' } })
  const event = { event_type: 'news.new', user_id: '101', payload: {}, text: 'no such word' }
  const missed = (await stage.operator('POST', '/operator/events', event)).body.data[0].event_uuid
  const { body } = await stage.operator('GET', `/operator/events/${missed}/near_misses`)
  assert.deepEqual(
    body.data.map(({ reason }: NearMiss) => reason),
    ['is for texts that match the keyword tide; the text that an event was published with is not kept'],
  )
})

test('an event that never was has no near misses', async () => {
  await using stage = await setStage()
  const answer = await stage.operator('GET', '/operator/events/1997712707928100864/near_misses')
  assert.equal(answer.status, 404)
  assert.match(answer.body.detail, /There is no event 1997712707928100864/)
})
