import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import { createSharedRead } from '../../src/lib/shared-read.ts'

suite('a shared read', () => {
  test('is shared while it runs and for as long as its value is kept, and no longer', async () => {
    const clock = createClock()
    let reads = 0
    const read = createSharedRead(clock, 10_000, async () => ++reads)
    assert.deepEqual(await Promise.all([read(), read()]), [1, 1])
    assert.equal(await read(), 1)
    clock.advance(10_000)
    assert.deepEqual(await Promise.all([read(), read()]), [2, 2])
  })

  test('of which nothing is kept is shared only while it runs', async () => {
    let reads = 0
    const read = createSharedRead({ elapsed: () => 0 }, 0, async () => ++reads)
    assert.deepEqual(await Promise.all([read(), read()]), [1, 1])
    assert.equal(await read(), 2)
  })

  test('is shared while it runs, however long that takes', async () => {
    const clock = createClock()
    const { promise, resolve } = Promise.withResolvers<string>()
    const read = createSharedRead(clock, 10, () => promise)
    const first = read()
    clock.advance(1_000_000)
    assert.equal(read(), first)
    resolve('done')
    assert.equal(await first, 'done')
  })

  test('that failed is not kept, also if it were kept for ever', async () => {
    let reads = 0
    const read = createSharedRead({ elapsed: () => 0 }, Number.POSITIVE_INFINITY, async () => {
      reads += 1
      if (reads === 1) throw new Error('no file descriptor is left')
      return reads
    })
    await assert.rejects(read(), /no file descriptor/)
    assert.deepEqual([await read(), await read()], [2, 2])
  })
})
