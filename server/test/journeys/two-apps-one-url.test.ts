import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifySignature } from '@postern/receiver'
import { signature } from '../../src/lib/crypto.ts'
import { reasonOf } from '../stage/call.ts'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, otherApp, setStage } from '../stage/postern.ts'
import { startReceiver, type TestReceiver } from '../stage/receiver.ts'

const HEADER = 'x-service-webhooks-signature'
const SECRETS = [demoApp.consumer_secret, otherApp.consumer_secret]

/** Whose secret signed each POST that comes, as the places of the secrets that fit. */
function signers(receiver: TestReceiver) {
  const found: { secrets: number[]; event_uuid: string }[] = []
  receiver.intercept = (request) => {
    if (request.method !== 'POST') return false
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const header = request.headers[HEADER]
      const secrets = [...SECRETS.keys()].filter((place) => verifySignature({ header, body, secrets: [SECRETS[place]!] }))
      found.push({ secrets, event_uuid: JSON.parse(body.toString()).data.event_uuid })
      receiver.changed()
    })
    return false
  }
  return found
}

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: two apps with one URL are challenged and served each with its own secret, and one can be deleted`, async () => {
    await using stage = await setStage({ flavour })
    await using receiver = await startReceiver(SECRETS)
    const posts = signers(receiver)
    const webhooks = []
    for (const app of [demoApp, otherApp]) {
      const token = await stage.token(app)
      const webhookId = await stage.register(receiver.url, token)
      await stage.subscribe(webhookId, token)
      webhooks.push({ token, webhookId })
    }
    assert.equal(receiver.challenges, 2)

    const uuids = await stage.publish({ n: 1 }, { n: 2 })
    await receiver.when(() => posts.length === 4)
    for (const uuid of uuids) {
      const signedBy = posts.filter(({ event_uuid }) => event_uuid === uuid).map(({ secrets }) => secrets)
      assert.deepEqual(signedBy.sort(), [[0], [1]])
      await stage.deliveriesWhen(`event_uuid=${uuid}&state=delivered`, (found) => found.length === 2)
    }
    assert.deepEqual((await receiver.received(2)).map(({ data }) => data?.event_uuid).sort(), [...uuids].sort())

    for (const { token, webhookId } of webhooks) assert.equal((await stage.api('PUT', `/2/webhooks/${webhookId}`, { token })).status, 200)
    const [gone, left] = webhooks as [(typeof webhooks)[0], (typeof webhooks)[0]]
    assert.equal((await stage.api('DELETE', `/2/webhooks/${gone.webhookId}`, { token: gone.token })).status, 200)
    const [after] = await stage.publish({ after: true })
    await receiver.received(3)
    assert.deepEqual(posts.slice(4), [{ secrets: [1], event_uuid: after }])
    assert.equal((await stage.api('PUT', `/2/webhooks/${left.webhookId}`, { token: left.token })).status, 200)
  })
}

test('a receiver without the secret of an app rejects its challenge and its events, and accepts those of the other', async () => {
  await using stage = await setStage({ environment: { POSTERN_RETRY_PLAN: '1h' } })
  await using receiver = await startReceiver([otherApp.consumer_secret, 'a secret of nobody'])
  const refused = await stage.api('POST', '/2/webhooks', { token: await stage.token(), json: { url: receiver.url } })
  assert.equal(reasonOf(refused), 'CrcValidationFailed')
  const token = await stage.token(otherApp)
  await stage.subscribe(await stage.register(receiver.url, token), token)

  const body = JSON.stringify({ data: { event_uuid: '1', event_type: 'dm.received', payload: {} } })
  const signed = { [HEADER]: signature(demoApp.consumer_secret, body), 'content-type': 'application/json' }
  const forged = await fetch(receiver.url, { method: 'POST', headers: signed, body })
  assert.equal(forged.status, 401)
  const [uuid] = await stage.publish({})
  assert.deepEqual(
    (await receiver.received(1)).map(({ data }) => data?.event_uuid),
    [uuid],
  )
})
