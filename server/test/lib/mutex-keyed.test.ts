import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKeyedMutex, TooManyWaiting } from '../../src/lib/mutex.ts'

test('tasks of one key run one at a time, in order, also after a failure; other keys do not wait', async () => {
  const inQueue = createKeyedMutex()
  const done: string[] = []
  const gate = Promise.withResolvers<void>()
  const run = (name: string, waitsFor?: Promise<void>) => async () => {
    await waitsFor
    done.push(name)
    if (name === 'fails') throw new Error(name)
    return name
  }
  const first = inQueue('a', run('first', gate.promise))
  const fails = assert.rejects(inQueue('a', run('fails')), /fails/)
  const last = inQueue('a', run('last'))
  assert.equal(await inQueue('b', run('other')), 'other')
  assert.deepEqual(done, ['other'])
  gate.resolve()
  assert.deepEqual([await first, await fails, await last], ['first', undefined, 'last'])
  assert.deepEqual(done, ['other', 'first', 'fails', 'last'])
})

test('beyond the maximum of waiting tasks of a key others are rejected at once and never run; other keys are not affected', async () => {
  const inQueue = createKeyedMutex(2)
  const gate = Promise.withResolvers<void>()
  const done: number[] = []
  const run = (n: number) => async () => {
    await gate.promise
    done.push(n)
  }
  const waiting = [1, 2, 3].map((n) => inQueue('a', run(n)))
  await assert.rejects(inQueue('a', run(4)), TooManyWaiting)
  const other = inQueue('b', run(5))
  gate.resolve()
  await Promise.all([...waiting, other])
  await inQueue('a', run(6))
  assert.deepEqual(done, [1, 5, 2, 3, 6])
})
