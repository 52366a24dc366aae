// What a call would have caused, had a subscription matched, and what keeps subscriptions of a webhook from having an effect.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '../stage/call.ts'
import { authorization, type SigningCredentials } from '../stage/oauth-client.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { ada, grace, signed, signIn, signInSeed } from '../stage/sign-in.ts'

const CONSENT = 'OAuth 1.0a with the access `read_write_dm`, or OAuth 2.0 with `dm.read`'

async function post(stage: Stage, path: string, credentials: SigningCredentials, json: unknown) {
  const url = `${stage.origins.base_url}${path}`
  const headers = { authorization: authorization({ ...credentials, method: 'POST', url, nowMs: stage.clock.now() }) }
  const answer = await call(url, 'POST', { headers, json })
  assert.equal(answer.status, 201, answer.text)
}

const lastCall = async (stage: Stage) => (await stage.operator('GET', '/operator/requests?last=1')).body.data[0]

const nearMisses = async (stage: Stage, { sequence }: { sequence: number }) =>
  (await stage.operator('GET', `/operator/requests/${sequence}/near_misses`)).body.data

test('a call whose events nobody has subscribed to tells of them, and of each near miss with its reason', async () => {
  await using stage = await setStage({ seed: signInSeed })
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const adas = await signIn(stage)
  const token = await stage.token()
  const webhookId = await stage.register(receiver.url, token)
  const posts = { event_type: 'post.create', filter: { user_id: grace.id } }
  const ofGrace = await stage.subscribe(webhookId, token, posts)
  await post(stage, '/2/posts', adas, { text: 'Low tide at noon' })
  const found = await lastCall(stage)
  assert.deepEqual([found.caused, found.unmatched], [[], [{ event_type: 'post.create', user_id: ada.id }]])
  const miss = { subscription_id: ofGrace, app_id: demoApp.id, webhook_id: webhookId, reason: `is for user ${grace.id}, not ${ada.id}` }
  const missed = { event_type: 'post.create', user_id: ada.id, near_misses: [miss], more: 0 }
  assert.deepEqual(await nearMisses(stage, found), [missed])

  stage.clock.advance(1000)
  const later = await stage.subscribe(webhookId, token, { ...posts, filter: { user_id: ada.id } })
  assert.deepEqual(
    (await nearMisses(stage, found))[0].near_misses.map((one: typeof miss) => [one.subscription_id, one.reason]),
    [
      [later, 'was created after the event was accepted'],
      [ofGrace, miss.reason],
    ],
  )
  await post(stage, '/2/posts', adas, { text: 'High tide at six' })
  const caused = await stage.until(async () => {
    const last = await lastCall(stage)
    return last.caused.length === 1 && last
  })
  assert.deepEqual(caused.unmatched, [])
  assert.deepEqual(await nearMisses(stage, caused), [])
})

test('a call tells that the consent had ended, also after a new one was given', async () => {
  await using stage = await setStage({ seed: signInSeed })
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const [adas, graces] = [await signIn(stage), await signIn(stage, demoApp, grace.username)]
  const token = await stage.token()
  const webhookId = await stage.register(receiver.url, token)
  const subscription = await stage.subscribe(webhookId, token, { event_type: 'dm.received', filter: { user_id: grace.id } })
  const subscriptions = async () => (await stage.operator('GET', `/operator/webhooks/${webhookId}/subscriptions`)).body.data
  const shown = async () => (await subscriptions()).map((one: Record<string, string>) => [one.subscription_id, one.state, one.no_effect])
  assert.deepEqual(await shown(), [[subscription, 'active', undefined]])

  assert.equal((await signed(stage, 'POST', '/1.1/oauth/invalidate_token', graces)).status, 200)
  const ended = `user ${grace.id} ended the consent or never gave it, and must grant the app ${CONSENT}`
  assert.deepEqual(await shown(), [[subscription, 'consent_revoked', ended]])
  await post(stage, `/2/dm_conversations/with/${grace.id}/messages`, adas, { text: 'Supper at the pier?' })
  const found = await lastCall(stage)
  assert.deepEqual(
    found.unmatched.map((one: Record<string, string>) => [one.event_type, one.user_id]),
    [
      ['dm.sent', ada.id],
      ['dm.received', grace.id],
    ],
  )
  const reasons = async () =>
    (await nearMisses(stage, found)).map(({ near_misses: near }: { near_misses: { reason: string }[] }) => near.map(({ reason }) => reason))
  assert.deepEqual(await reasons(), [[], [`has no effect: ${ended}`]])
  await signIn(stage, demoApp, grace.username)
  assert.deepEqual(await reasons(), [[], [`has no effect: ${ended}`]])
  assert.deepEqual(await shown(), [[subscription, 'active', undefined]])
})

test('a call that is not kept has no near misses, and a webhook that never was no subscriptions', async () => {
  await using stage = await setStage()
  assert.equal((await stage.operator('GET', '/operator/requests/999/near_misses')).status, 404)
  assert.equal((await stage.operator('GET', '/operator/webhooks/1997712707928100864/subscriptions')).status, 404)
})
