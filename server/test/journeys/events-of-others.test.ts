// What a user does with one app reaches another app, at its webhook and on its stream, as far as the user has granted it that.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwitterApi } from 'twitter-api-v2'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { databasesOf } from '../stage/databases.ts'
import { outboxOf } from '../stage/heard.ts'
import { demoApp, otherApp } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { open } from '../stage/streaming.ts'
import { asTheirHosts } from '../stage/their-hosts.ts'

const tokenOf = (app: typeof demoApp, user_id: string) => ({
  consumer_key: app.consumer_key,
  user_id,
  oauth_token: `${user_id}-token-of-app-${app.id}`,
  oauth_token_secret: 'secret',
})

/** Both users use the first app; only Ada has signed in to the second. */
const seed: SeedDocument = {
  apps: [demoApp, otherApp].map((app) => ({ ...app, permissions: 'read_write_dm' })),
  users: [
    { id: '101', username: 'ada' },
    { id: '102', username: 'grace' },
  ],
  tokens: [tokenOf(demoApp, '101'), tokenOf(demoApp, '102'), tokenOf(otherApp, '101')],
}

for (const flavour of databasesOf(import.meta))
  test(`what a user does with one app reaches another app's webhook and stream while the user allows it, on ${flavour}`, async () => {
    await using hosts = await asTheirHosts(seed, flavour)
    await using receiver = await startReceiver([otherApp.consumer_secret])
    const { stage } = hosts
    const token = await stage.token(otherApp)
    const webhook_id = await stage.register(receiver.url, token)
    const subscribe = async (event_type: string, user_id: string) =>
      (await stage.api('POST', '/2/activity/subscriptions', { token, json: { event_type, filter: { user_id }, webhook_id } })).status
    assert.deepEqual([await subscribe('post.create', '101'), await subscribe('dm.sent', '101')], [200, 200])
    assert.equal(await subscribe('dm.received', '102'), 403, 'Grace has granted nothing')
    using stream = await open(stage, token)

    const { oauth_token: accessToken, oauth_token_secret: accessSecret } = tokenOf(demoApp, '101')
    const credentials = { appKey: demoApp.consumer_key, appSecret: demoApp.consumer_secret, accessToken, accessSecret }
    const ada = new TwitterApi(credentials, { httpAgent: hosts.agent })
    await ada.v2.tweet('Low tide at noon')
    await ada.v2.sendDmToParticipant('102', { text: 'Boat or bus?' })
    const typesOf = (events: readonly { event_type: string }[]) => events.map(({ event_type }) => event_type).sort()
    const heard = async (count: number) => (await receiver.received(count)).map(({ data }) => data as unknown as { event_type: string })
    assert.deepEqual(typesOf(await stream.received(2)), ['dm.sent', 'post.create'])
    assert.deepEqual(typesOf(await heard(2)), ['dm.sent', 'post.create'])

    await stage.operator('POST', '/operator/tokens/revoke', { user_id: '101', app_id: otherApp.id })
    await ada.v2.sendDmToParticipant('102', { text: 'Bus, then' })
    await ada.v2.tweet('High tide at six')
    await stage.until(async () => (await outboxOf(stage.databaseUrl)).length === 0)
    assert.deepEqual(typesOf(await stream.received(3)), ['dm.sent', 'post.create', 'post.create'])
    const deliveries = await stage.operator('GET', '/operator/deliveries?max_results=1000')
    assert.deepEqual(typesOf(deliveries.body.data), ['dm.sent', 'post.create', 'post.create'])
    assert.deepEqual(typesOf(await heard(3)), ['dm.sent', 'post.create', 'post.create'])
  })
