import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { endOfTurn } from '../../src/lib/clock.ts'
import type { RateWindows, Window } from '../../src/storage/rate-windows.ts'
import { createMemoryRateWindows } from '../../src/storage/sql/rate-windows/memory-rate-windows.ts'
import { cases } from '../stage/cases.ts'
import { databasesOf } from '../stage/databases.ts'
import { opened, openedAlone, rawRows, twentyAtOnce } from './samples.ts'

for (const flavour of databasesOf(import.meta)) {
  suite(`rate windows on ${flavour}`, () => {
    test('a window begins with its first call and counts until its end', async () => {
      await using it = await openedAlone(flavour)
      const { rateWindows } = it.storage
      assert.deepEqual(await rateWindows.hit('k', 900, 1_700_000_000_000), { count: 1, resetAtMs: 1_700_000_000_900 })
      assert.deepEqual(await rateWindows.hit('k', 900, 1_700_000_000_899), { count: 2, resetAtMs: 1_700_000_000_900 })
      assert.deepEqual(await rateWindows.hit('k', 900, 1_700_000_000_900), { count: 1, resetAtMs: 1_700_000_001_800 })
    })

    test('a window that began an hour in the future, because the clock was set back, is restarted', async () => {
      await using it = await openedAlone(flavour)
      const { rateWindows } = it.storage
      const [quarterMs, hourMs, atMs] = [900_000, 3_600_000, 1_700_000_000_000]
      await rateWindows.hit('k', quarterMs, atMs + hourMs, 500)
      assert.deepEqual(await rateWindows.hit('k', quarterMs, atMs), { count: 1, resetAtMs: atMs + quarterMs })
      assert.deepEqual(await rateWindows.hit('k', quarterMs, atMs + 1), { count: 2, resetAtMs: atMs + quarterMs })
    })

    test('a window of another process whose clock is seconds ahead continues', async () => {
      await using it = await openedAlone(flavour)
      const { rateWindows } = it.storage
      const [quarterMs, atMs] = [900_000, 1_700_000_000_000]
      await rateWindows.hit('k', quarterMs, atMs + 5_000)
      assert.deepEqual(await rateWindows.hit('k', quarterMs, atMs), { count: 2, resetAtMs: atMs + 5_000 + quarterMs })
    })

    test('each key has its own window', async () => {
      await using it = await openedAlone(flavour)
      await it.storage.rateWindows.hit('a', 900, 0)
      assert.equal((await it.storage.rateWindows.hit('b', 900, 0)).count, 1)
    })

    test('a call that is taken back does not count', async () => {
      await using it = await openedAlone(flavour)
      const { rateWindows } = it.storage
      await rateWindows.hit('k', 900, 0)
      await rateWindows.hit('k', 900, 1)
      assert.deepEqual(await rateWindows.hit('k', 900, 2, -1), { count: 1, resetAtMs: 900 })
      assert.deepEqual(await rateWindows.hit('k', 900, 3), { count: 2, resetAtMs: 900 })
    })

    test('a call that is taken back after its window has ended does not count in the next', async () => {
      await using it = await openedAlone(flavour)
      const { rateWindows } = it.storage
      await rateWindows.hit('k', 900, 0)
      assert.equal((await rateWindows.hit('k', 900, 900, -1)).count, 0)
      assert.equal((await rateWindows.hit('k', 900, 901, -1)).count, 0)
      assert.equal((await rateWindows.hit('other', 900, 0, -1)).count, 0)
      assert.equal((await rateWindows.hit('k', 900, 902)).count, 1)
    })

    test('twenty concurrent calls and as many taken back leave none', async () => {
      await using it = await opened(flavour)
      await twentyAtOnce(it.storages, async ({ rateWindows }) => {
        await rateWindows.hit('k', 900, 0)
        await rateWindows.hit('k', 900, 0, -1)
      })
      assert.equal((await it.storage.rateWindows.hit('k', 900, 0)).count, 1)
    })

    test('twenty concurrent calls, over all processes, are counted one by one', async () => {
      await using it = await opened(flavour)
      const windows = await twentyAtOnce(it.storages, async (storage) => storage.rateWindows.hit('k', 900, 5))
      assert.deepEqual(
        windows.map((window) => window.count).toSorted((one, other) => one - other),
        Array.from({ length: 20 }, (_, n) => n + 1),
      )
    })
  })
}

suite('rate windows in memory', () => {
  test('ended windows are dropped', async () => {
    const windows = createMemoryRateWindows(1000, 10)
    for (let n = 0; n < 10; n++) await windows.hit(`${n}`, 900, 0)
    for (let n = 10; n < 20; n++) await windows.hit(`${n}`, 900, 900)
    assert.equal(windows.size(), 10)
    assert.equal((await windows.hit('19', 900, 901)).count, 2)
  })

  test('the number of windows of one kind and length is limited: the one that began first is evicted', async () => {
    const windows = createMemoryRateWindows(3, 1000)
    for (const key of ['a', 'b', 'c', 'd']) await windows.hit(key, 900, 0)
    assert.equal(windows.size(), 3)
    assert.equal((await windows.hit('b', 900, 1)).count, 2)
    assert.equal((await windows.hit('a', 900, 1)).count, 1)
  })

  test('however many windows of another kind or length begin, none is evicted, nor lost in a copy', async () => {
    const windows = createMemoryRateWindows(3, 1000)
    await windows.hit('login:day:1', 86_400, 0)
    await windows.hit('createPost:user:1:101', 900, 0)
    for (const key of ['a', 'b', 'c', 'd']) await windows.hit(`login:pair:${key}`, 900, 0)
    assert.equal((await windows.hit('login:day:1', 86_400, 1)).count, 2)
    windows.clear(windows.copy())
    assert.deepEqual(await windows.hit('login:day:1', 86_400, 2), { count: 3, resetAtMs: 86_400 })
    assert.deepEqual(await windows.hit('createPost:user:1:101', 900, 2), { count: 2, resetAtMs: 900 })
    assert.equal((await windows.hit('login:pair:d', 900, 2)).count, 2)
  })
})

/** What rate windows promise, as simple as it can be said. */
function oneByOne() {
  const windows = new Map<string, Window>()
  return (key: string, windowMs: number, nowMs: number, weight: number): Window => {
    const known = windows.get(key)
    const holds = known && known.resetAtMs > nowMs && known.resetAtMs <= nowMs + windowMs + 60_000
    const { count, resetAtMs } = holds ? known : { count: 0, resetAtMs: nowMs + windowMs }
    const window = { count: Math.max(0, count + weight), resetAtMs }
    windows.set(key, window)
    return window
  }
}

suite('rate windows in a table', () => {
  test('ended windows are deleted along the way', async () => {
    await using it = await openedAlone('postgres')
    await rawRows(it.url, `insert into rate_windows select 'old ' || n, 1, 100 from generate_series(1, 700) as n`)
    await rawRows(it.url, `insert into rate_windows values ('open', 1, 5000)`)
    for (let n = 0; n < 512; n++) await it.storage.rateWindows.hit('k', 900, 200)
    assert.deepEqual(await rawRows(it.url, 'select key from rate_windows order by key'), [{ key: 'k' }, { key: 'open' }])
  })

  test('concurrent calls count like sequential ones', async () => {
    await using it = await openedAlone('postgres')
    let run = 0
    const moments = fc.oneof(fc.integer({ min: 0, max: 2000 }), fc.constantFrom(899, 900, 60_900, 60_901, 200_000))
    const hit = fc.record({
      key: fc.constantFrom('a', 'b', 'longer'),
      windowMs: fc.constantFrom(900, 900, 900, 70_000),
      nowMs: moments,
      weight: fc.constantFrom(1, 1, 1, 2, 0, -1, -3),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(hit, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 }), async (batches) => {
        run += 1
        const model = oneByOne()
        for (const hits of batches) {
          const counted = hits.map(({ key, windowMs, nowMs, weight }) =>
            it.storage.rateWindows.hit(`${key} ${run}`, windowMs, nowMs, weight),
          )
          const expected = hits.map(({ key, windowMs, nowMs, weight }) => model(key, windowMs, nowMs, weight))
          assert.deepEqual(await Promise.all(counted), expected)
        }
      }),
      { numRuns: cases(40, 150) },
    )
  })

  test('of a thousand concurrent calls in each of two processes exactly the limit passes, and every count is returned once', async () => {
    await using it = await opened('postgres')
    const limit = 450
    const { storages } = it
    const counts: number[] = []
    const call = async ({ rateWindows }: { rateWindows: RateWindows }, n: number) => {
      for (let wait = 0; wait < n % 7; wait++) await endOfTurn()
      counts.push((await rateWindows.hit('k', 900, 5)).count)
    }
    await Promise.all(Array.from({ length: 2000 }, (_, n) => call(storages[n % storages.length]!, n)))
    assert.equal(counts.filter((count) => count <= limit).length, limit)
    assert.deepEqual(
      counts.toSorted((one, other) => one - other),
      Array.from({ length: 2000 }, (_, n) => n + 1),
    )
  })

  test('processes that count the same keys in different orders do not deadlock', async () => {
    await using it = await opened('postgres')
    const keys = Array.from({ length: 300 }, (_, n) => `${n}`)
    const orders = [keys, keys.toReversed()]
    for (let round = 1; round <= 10; round++) {
      const windows = await Promise.all(
        orders.flatMap((order, n) => order.map((key) => it.storages[n % it.storages.length]!.rateWindows.hit(key, 900, 0))),
      )
      const counts = windows.map(({ count }) => count)
      assert.equal(counts.filter((count) => count === 2 * round - 1 || count === 2 * round).length, 600)
    }
  })

  test('a window from before the clock was set back is restarted, one of another process with a clock slightly ahead continues', async () => {
    await using it = await openedAlone('postgres')
    const { rateWindows } = it.storage
    await rateWindows.hit('k', 900, 60_000)
    assert.deepEqual(await rateWindows.hit('k', 900, 0), { count: 2, resetAtMs: 60_900 })
    await rateWindows.hit('k', 900, 200_000)
    assert.deepEqual(await rateWindows.hit('k', 900, 0), { count: 1, resetAtMs: 900 })
  })

  test('only the call with a key that PostgreSQL rejects fails', async () => {
    await using it = await openedAlone('postgres')
    const settled = await Promise.allSettled(['a', 'a \0 byte', 'b', 'a'].map((key) => it.storage.rateWindows.hit(key, 900, 0)))
    assert.deepEqual(
      settled.map((each) => each.status === 'fulfilled' && each.value.count),
      [1, false, 1, 2],
    )
  })
})
