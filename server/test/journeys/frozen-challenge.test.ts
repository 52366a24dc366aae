import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'

/** Longer than a challenge may take, and than it takes to notice that. */
const FROZEN_MS = 4500

/** As if the machine stood still. */
const freeze = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

test('a challenge whose deadline passes while the process is frozen is repeated instead of failed', async () => {
  await using receiver = await startReceiver(['secret-one-of-the-tests'])
  await using stage = await setStage()
  const { token, webhookId } = await stage.connect(receiver)
  let challenges = 0
  receiver.intercept = (request) => {
    if (request.method === 'GET' && ++challenges === 1) freeze(FROZEN_MS)
    return false
  }
  const answer = await stage.api('PUT', `/2/webhooks/${webhookId}`, { token })
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(answer.body, { data: { valid: true } })
  assert.equal(challenges, 2)
})
