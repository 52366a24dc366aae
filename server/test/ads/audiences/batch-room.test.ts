// Batches of users that wait: their memory is bounded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../../src/api/declare/problem.ts'
import { createBatchReader } from '../../../src/endpoints/ads/audiences/users-batch/batch-reader.ts'
import { sha, update } from '../../stage/ads-audiences.ts'

const KB = 1024
const NOW = Date.parse('2026-11-01T10:00:00Z')

/** A body of so many bytes; each counts with 16 KB more for its request. */
const bodyOf = (bytes: number) => Buffer.from(JSON.stringify([update([{ email: [sha('x')] }])]).padEnd(bytes))

/** A reader with room for ten batches of 4 KB, and of one account for five, whose batches are held back until they are let go. */
function heldReader() {
  const reader = createBatchReader({ mostBytes: 200 * KB, mostBytesOfAccount: 100 * KB })
  const gate = Promise.withResolvers<void>()
  const send = (accountId: string, bytes = 4 * KB) =>
    reader.read(bodyOf(bytes), { kind: 'customAudience', dialect: 'spec', accountId, nowMs: NOW }, async (batch) => {
      await gate.promise
      return 'packed' in batch ? batch.users : batch
    })
  return { send, letGo: gate.resolve, [Symbol.asyncDispose]: () => reader.close() }
}

const isBusy = (error: unknown) => {
  assert.ok(error instanceof Problem, String(error))
  assert.deepEqual([error.status, error.headers['retry-after']], [503, '1'])
  return true
}

test('batches that fit into the memory for them wait and are all read; one that does not is 503 with retry-after', async () => {
  await using held = heldReader()
  const waiting = ['a', 'b'].flatMap((accountId) => Array.from({ length: 5 }, () => held.send(accountId)))
  await assert.rejects(held.send('c'), isBusy)
  held.letGo()
  assert.deepEqual(await Promise.all(waiting), Array(10).fill(1))
  assert.equal(await held.send('c'), 1)
})

test('one account fills no more than its share, and another still has room', async () => {
  await using held = heldReader()
  const waiting = Array.from({ length: 5 }, () => held.send('a'))
  await assert.rejects(held.send('a'), isBusy)
  waiting.push(held.send('b'))
  held.letGo()
  assert.deepEqual(await Promise.all(waiting), Array(6).fill(1))
})

test('while batches of one account are handled or wait, that of another is handled', async () => {
  const reader = createBatchReader()
  const gate = Promise.withResolvers<void>()
  const send = (accountId: string, handle: () => Promise<void>) =>
    reader.read(bodyOf(4 * KB), { kind: 'customAudience', dialect: 'spec', accountId, nowMs: NOW }, handle)
  let handled = 0
  const waiting = Array.from({ length: 5 }, () =>
    send('a', async () => {
      handled += 1
      if (handled > 1) gate.resolve()
      await gate.promise
    }),
  )
  await send('b', async () => {})
  assert.equal(handled, 1)
  gate.resolve()
  await Promise.all(waiting)
  await reader.close()
})

test('a batch that is larger than the share of its account waits beside those of others', async () => {
  await using held = heldReader()
  const waiting = [held.send('b'), held.send('a', 120 * KB)]
  await assert.rejects(held.send('a'), isBusy)
  held.letGo()
  assert.deepEqual(await Promise.all(waiting), [1, 1])
})

test('a batch that is larger than all of the room is read alone', async () => {
  await using held = heldReader()
  const large = held.send('a', 300 * KB)
  await assert.rejects(held.send('b'), isBusy)
  held.letGo()
  assert.equal(await large, 1)
})

test('once the thread that reads has ended, the next batch is read by another', async () => {
  const reader = createBatchReader()
  const read = () =>
    reader.read(bodyOf(4 * KB), { kind: 'customAudience', dialect: 'spec', accountId: 'a', nowMs: NOW }, async (batch) => 'packed' in batch)
  assert.equal(await read(), true)
  await reader.close()
  assert.equal(await read(), true)
  await reader.close()
})
