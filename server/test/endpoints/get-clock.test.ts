import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'

const HOUR_MS = 3_600_000
/** More digits than a JavaScript number has. */
const isId = /^\d{18,19}$/

test('GET /operator/clock says the time, how far it was moved, and which retry and challenge are due, soonest first', async () => {
  await using stage = await setStage({ fresh: true })
  await using receiver = await startReceiver(['secret-one-of-the-tests'])
  const still = (await stage.operator('GET', '/operator/clock')).body.data
  assert.deepEqual([still.offset_ms, still.due], [0, []])

  const { webhookId } = await stage.connect({ url: receiver.url })
  receiver.answerPosts(500, { 'retry-after': '60' })
  const [event] = await stage.publish({ text: 'Never' })
  await stage.deliveriesWhen('state=retrying', (found) => found.length === 1)
  const rotated = await stage.operator('PATCH', '/operator/apps/1', { rotate_secret: { overlap: '24h' } })
  assert.equal(rotated.status, 200, rotated.text)

  const { due } = (await stage.operator('GET', '/operator/clock')).body.data
  assert.equal(due.length, 3)
  const [retry, challenge, secret] = ['retry', 'challenge', 'former_secret'].map((kind) =>
    due.find((one: { kind: string }) => one.kind === kind),
  )
  assert.deepEqual([retry.event_uuid, retry.event_type, retry.webhook_id], [event, 'dm.received', webhookId])
  assert.match(retry.event_uuid, isId)
  assert.equal(challenge.webhook_id, webhookId)
  assert.equal(secret.app_id, '1')
  assert.deepEqual(
    [...due].map(({ at }) => at).sort(),
    due.map(({ at }: { at: string }) => at),
  )
  const one = (await stage.operator('GET', '/operator/clock?max_results=1')).body.data
  assert.equal(one.due.length, 1)

  await stage.operator('POST', '/operator/clock', { step: '1h' })
  const moved = (await stage.operator('GET', '/operator/clock')).body.data
  assert.equal(moved.offset_ms, HOUR_MS)
  assert.ok(Math.abs(Date.parse(moved.now) - Date.now() - HOUR_MS) < 60_000)
})
