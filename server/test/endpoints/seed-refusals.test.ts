import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, otherApp, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { signedInSeed } from '../stage/signed-calls.ts'

const flavours = databasesOf(import.meta)

const url = 'https://example.com/hook'
const webhook = { id: '77', consumer_key: demoApp.consumer_key, url }
const subscription = {
  subscription_id: '78',
  consumer_key: demoApp.consumer_key,
  event_type: 'dm.received',
  filter: { user_id: '101' },
  webhook_id: '77',
}

for (const flavour of flavours)
  test(`a seed with ids of another app, or with impossible times, is rejected by name (${flavour})`, async () => {
    await using stage = await setStage({ flavour })
    const load = (document: object) => stage.operator('POST', '/operator/seed', document)
    assert.equal((await load({ webhooks: [webhook], subscriptions: [subscription] })).status, 200)
    const refused = async (document: object, member: string) => {
      const answer = await load(document)
      assert.equal(answer.status, 400, answer.text)
      assert.deepEqual(Object.keys(answer.body.errors[0].parameters), [member])
    }
    await refused({ webhooks: [{ ...webhook, consumer_key: otherApp.consumer_key }] }, 'webhooks.id')
    await refused({ subscriptions: [{ ...subscription, filter: { user_id: '102' } }] }, 'subscriptions.subscription_id')
    for (const created_at of ['2026-02-30T12:00:00.000Z', '9999-99-99T99:99:99.999Z'])
      await refused({ webhooks: [{ consumer_key: demoApp.consumer_key, url: `${url}2`, created_at }] }, 'webhooks.0.created_at')
    for (const start_time of ['2026-02-30T12:00:00Z', '2026-13-45T99:99:99Z'])
      await refused(
        { accounts: [{ name: 'x', funding_instruments: [{ type: 'CREDIT_CARD', currency: 'USD', start_time }] }] },
        'accounts.0.funding_instruments.0.start_time',
      )
  })

for (const flavour of flavours)
  test(`a token that replaced the one of a seed stays, and the seed still loads (${flavour})`, async () => {
    await using stage = await setStage({ flavour, seed: signedInSeed })
    const token = { ...signedInSeed.tokens![0]!, oauth_token: 'another', oauth_token_secret: 'another' }
    const answer = await stage.operator('POST', '/operator/seed', { tokens: [token] })
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(answer.body.data.differing, [{ kind: 'tokens', id: '1:101:read_write_dm', fields: ['token'] }])
  })

for (const flavour of flavours)
  test(`a seed loads again after its webhook was deleted and registered again (${flavour})`, async () => {
    await using stage = await setStage({ flavour })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const document = { webhooks: [{ ...webhook, url: receiver.url }], subscriptions: [subscription] }
    assert.equal((await stage.operator('POST', '/operator/seed', document)).status, 200)
    const token = await stage.token()
    assert.equal((await stage.api('DELETE', '/2/webhooks/77', { token })).status, 200)
    const id = await stage.register(receiver.url, token)
    const answer = await stage.operator('POST', '/operator/seed', document)
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(answer.body.data.differing, [{ kind: 'webhooks', id, fields: ['id'] }])
    assert.deepEqual(answer.body.data.created, [{ kind: 'subscriptions', id: '78' }])
  })

test('a username that the platform would refuse is refused with its place', async () => {
  await using stage = await setStage()
  for (const username of ['has space', 'a-b', 'sixteen_letters_', '', 'ünal']) {
    const { status, body } = await stage.operator('POST', '/operator/seed', { users: [{ username: 'fine' }, { username }] })
    assert.equal(status, 400, username)
    assert.deepEqual(body.errors, [
      { message: 'users.1.username must be 1 to 15 letters, digits and underscores', parameters: { 'users.1.username': [username] } },
    ])
  }
  assert.equal((await stage.operator('POST', '/operator/seed', { users: [{ username: 'fifteen_letters' }] })).status, 200)
})
