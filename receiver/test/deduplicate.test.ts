import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDeduplicator } from '../src/deduplicate.ts'

/** Calls a deduplicator with ids, and returns those that ran. */
function counting(cacheSize: number) {
  const runOnce = createDeduplicator(cacheSize)
  return async (...ids: string[]) => {
    const ran: string[] = []
    for (const id of ids) if (await runOnce(id, async () => {})) ran.push(id)
    return ran.join('')
  }
}

test('an id that succeeded does not run again', async () => {
  const run = counting(10)
  assert.equal(await run('a', 'b', 'a', 'b', 'c'), 'abc')
})

test('the cache holds the last ids and no more', async () => {
  const run = counting(3)
  assert.equal(await run('a', 'b', 'c', 'd'), 'abcd')
  assert.equal(await run('b', 'c', 'd'), '')
  assert.equal(await run('a'), 'a')
})

test('an id that is seen again counts as recently used', async () => {
  const run = counting(2)
  assert.equal(await run('a', 'b', 'a', 'c', 'a', 'b'), 'abcb')
})

test('two concurrent calls run once, and both wait for the end', async () => {
  const runOnce = createDeduplicator(10)
  const gate = Promise.withResolvers<void>()
  const first = runOnce('a', () => gate.promise)
  const second = runOnce('a', () => assert.fail('ran twice'))
  gate.resolve()
  assert.deepEqual(await Promise.all([first, second]), [true, false])
})

test('when the one run fails, both that wait for it fail, and the next one runs', async () => {
  const runOnce = createDeduplicator(10)
  const gate = Promise.withResolvers<void>()
  const both = Promise.allSettled([runOnce('a', () => gate.promise), runOnce('a', () => assert.fail('ran twice'))])
  gate.reject(new Error('no'))
  assert.deepEqual(
    (await both).map((result) => result.status),
    ['rejected', 'rejected'],
  )
  assert.equal(await runOnce('a', async () => {}), true)
})
