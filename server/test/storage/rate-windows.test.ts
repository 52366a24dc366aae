import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createMemoryRateWindows } from '../../src/storage/sql/memory-rate-windows.ts'
import { flavours } from '../stage/database.ts'
import { opened, rawRows, twentyAtOnce } from './samples.ts'

for (const flavour of flavours) {
  suite(`rate windows on ${flavour}`, () => {
    test('a window begins with its first call and counts until its end', async () => {
      await using it = await opened(flavour)
      const { rateWindows } = it.storage
      assert.deepEqual(await rateWindows.hit('k', 900, 1_700_000_000_000), { count: 1, resetAtMs: 1_700_000_000_900 })
      assert.deepEqual(await rateWindows.hit('k', 900, 1_700_000_000_899), { count: 2, resetAtMs: 1_700_000_000_900 })
      assert.deepEqual(await rateWindows.hit('k', 900, 1_700_000_000_900), { count: 1, resetAtMs: 1_700_000_001_800 })
    })

    test('a window that began an hour in the future, because the clock was set back, begins anew', async () => {
      await using it = await opened(flavour)
      const { rateWindows } = it.storage
      const [quarterMs, hourMs, atMs] = [900_000, 3_600_000, 1_700_000_000_000]
      await rateWindows.hit('k', quarterMs, atMs + hourMs, 500)
      assert.deepEqual(await rateWindows.hit('k', quarterMs, atMs), { count: 1, resetAtMs: atMs + quarterMs })
      assert.deepEqual(await rateWindows.hit('k', quarterMs, atMs + 1), { count: 2, resetAtMs: atMs + quarterMs })
    })

    test('a window that another process began, whose clock is seconds ahead, goes on', async () => {
      await using it = await opened(flavour)
      const { rateWindows } = it.storage
      const [quarterMs, atMs] = [900_000, 1_700_000_000_000]
      await rateWindows.hit('k', quarterMs, atMs + 5_000)
      assert.deepEqual(await rateWindows.hit('k', quarterMs, atMs), { count: 2, resetAtMs: atMs + 5_000 + quarterMs })
    })

    test('each key has its own window', async () => {
      await using it = await opened(flavour)
      await it.storage.rateWindows.hit('a', 900, 0)
      assert.equal((await it.storage.rateWindows.hit('b', 900, 0)).count, 1)
    })

    test('a call that is taken back is not counted', async () => {
      await using it = await opened(flavour)
      const { rateWindows } = it.storage
      await rateWindows.hit('k', 900, 0)
      await rateWindows.hit('k', 900, 1)
      assert.deepEqual(await rateWindows.hit('k', 900, 2, -1), { count: 1, resetAtMs: 900 })
      assert.deepEqual(await rateWindows.hit('k', 900, 3), { count: 2, resetAtMs: 900 })
    })

    test('a call that is taken back after its window has ended makes no room in the next', async () => {
      await using it = await opened(flavour)
      const { rateWindows } = it.storage
      await rateWindows.hit('k', 900, 0)
      assert.equal((await rateWindows.hit('k', 900, 900, -1)).count, 0)
      assert.equal((await rateWindows.hit('k', 900, 901, -1)).count, 0)
      assert.equal((await rateWindows.hit('other', 900, 0, -1)).count, 0)
      assert.equal((await rateWindows.hit('k', 900, 902)).count, 1)
    })

    test('of twenty calls at once and as many taken back none is left', async () => {
      await using it = await opened(flavour)
      await twentyAtOnce(it.storages, async ({ rateWindows }) => {
        await rateWindows.hit('k', 900, 0)
        await rateWindows.hit('k', 900, 0, -1)
      })
      assert.equal((await it.storage.rateWindows.hit('k', 900, 0)).count, 1)
    })

    test('twenty calls at once, over all processes, are counted one by one', async () => {
      await using it = await opened(flavour)
      const windows = await twentyAtOnce(it.storages, (storage) => storage.rateWindows.hit('k', 900, 5))
      assert.deepEqual(
        windows.map((window) => window.count).toSorted((one, other) => one - other),
        Array.from({ length: 20 }, (_, n) => n + 1),
      )
    })
  })
}

suite('rate windows in memory', () => {
  test('windows that ended are let go', async () => {
    const windows = createMemoryRateWindows(1000, 10)
    for (let n = 0; n < 10; n++) await windows.hit(`${n}`, 900, 0)
    for (let n = 10; n < 20; n++) await windows.hit(`${n}`, 900, 900)
    assert.equal(windows.size(), 10)
    assert.equal((await windows.hit('19', 900, 901)).count, 2)
  })

  test('more keys than there is room for never take more of it: the window that began first goes', async () => {
    const windows = createMemoryRateWindows(3, 1000)
    for (const key of ['a', 'b', 'c', 'd']) await windows.hit(key, 900, 0)
    assert.equal(windows.size(), 3)
    assert.equal((await windows.hit('b', 900, 1)).count, 2)
    assert.equal((await windows.hit('a', 900, 1)).count, 1)
  })
})

suite('rate windows in a table', () => {
  test('windows that ended are deleted in passing', async () => {
    await using it = await opened('postgres')
    await rawRows(it.url, `insert into rate_windows select 'old ' || n, 1, 100 from generate_series(1, 700) as n`)
    await rawRows(it.url, `insert into rate_windows values ('open', 1, 5000)`)
    for (let n = 0; n < 512; n++) await it.storage.rateWindows.hit('k', 900, 200)
    assert.deepEqual(await rawRows(it.url, 'select key from rate_windows order by key'), [{ key: 'k' }, { key: 'open' }])
  })
})
