import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { openAt, opened, openedAlone, rawRows, twentyAtOnce } from './samples.ts'

const count = (accepted: readonly boolean[]) => accepted.filter(Boolean).length
const MINUTE_MS = 60_000

const stored = async (url: string) => Number((await rawRows(url, 'select count(*) as n from nonces'))[0]!.n)

for (const flavour of databasesOf(import.meta)) {
  suite(`nonces on ${flavour}`, () => {
    test('a nonce is accepted once over all processes', async () => {
      await using it = await opened(flavour)
      assert.equal(await it.storage.nonces.accept('k', 1000, 0), true)
      for (const { nonces } of it.storages) assert.equal(await nonces.accept('k', 1000, 999), false)
      assert.equal(await it.storage.nonces.accept('K', 1000, 999), true)
    })

    test('of twenty concurrent requests over all processes one is accepted', async () => {
      await using it = await opened(flavour)
      assert.equal(count(await twentyAtOnce(it.storages, ({ nonces }) => nonces.accept('k', 1000, 0))), 1)
    })

    test('the request that has used a nonce is told so again, by every process, and no other is', async () => {
      await using it = await opened(flavour)
      const accept = ({ nonces }: Storage, requestId?: number) => nonces.accept('k', 1000, 999, requestId)
      assert.equal(await accept(it.storage, 7), true)
      for (const storage of it.storages)
        assert.deepEqual([await accept(storage, 7), await accept(storage, 8), await accept(storage)], [true, false, false])
    })

    test('a nonce that was used by a request without an id, as version 0.2 stores it, is refused to every other', async () => {
      await using it = await opened(flavour)
      assert.equal(await it.storage.nonces.accept('k', 1000, 0), true)
      assert.equal(await it.storage.nonces.accept('k', 1000, 0, 7), false)
    })

    test('of twenty concurrent requests over all processes that ask again and again the same one is accepted', async () => {
      await using it = await opened(flavour)
      const ask = () => twentyAtOnce(it.storages, ({ nonces }, n) => nonces.accept('k', 1000, 0, n))
      const first = await ask()
      assert.equal(count(first), 1)
      for (let n = 0; n < 3; n += 1) assert.deepEqual(await ask(), first)
    })

    test('a request that asks again is not kept from its nonce by a later one that is asked for in the same statement', async () => {
      await using it = await openedAlone(flavour)
      const accept = (requestId: number) => it.storage.nonces.accept('k', 1000, 0, requestId)
      assert.equal(await accept(7), true)
      assert.deepEqual(await Promise.all([accept(8), accept(7), accept(9)]), [false, true, false])
    })

    test('once it has expired it is accepted again, once', async () => {
      await using it = await opened(flavour)
      await it.storage.nonces.accept('k', MINUTE_MS, 0)
      const again = await twentyAtOnce(it.storages, ({ nonces }) => nonces.accept('k', 5 * MINUTE_MS, MINUTE_MS))
      assert.equal(count(again), 1)
      assert.equal(await it.storage.nonces.accept('k', 9 * MINUTE_MS, 5 * MINUTE_MS - 1), false)
    })

    test('a nonce is not accepted again because of concurrent requests with a later clock', async () => {
      await using it = await openedAlone(flavour)
      const { nonces } = it.storage
      await nonces.accept('k', 1000, 0)
      const lateMs = 9 * MINUTE_MS
      const asked = [nonces.accept('later', lateMs, lateMs), nonces.accept('k', 1000, 999), nonces.accept('last', lateMs, lateMs)]
      assert.deepEqual(await Promise.all(asked), [true, false, true])
    })

    test('accepted nonces are known after closing and opening', async () => {
      await using database = await migratedDatabase(flavour)
      const before = await openAt(database.url)
      assert.equal(await before.nonces.accept('k', 1000, 0), true)
      await before.close()
      const after = await openAt(database.url)
      assert.equal(await after.nonces.accept('k', 1000, 0), false)
      await after.close()
    })

    test('five thousand concurrent ones, twice, are each accepted once over all processes', async () => {
      await using it = await opened(flavour)
      const all = () =>
        Promise.all(Array.from({ length: 5000 }, (_, n) => it.storages[n % it.storages.length]!.nonces.accept(`${n % 2500}`, 1000, 0)))
      assert.equal(count(await all()), 2500)
      assert.equal(count(await all()), 0)
      assert.equal(await stored(it.url), 2500)
    })

    test('processes that use the same nonces in different orders do not deadlock', async () => {
      await using it = await opened(flavour)
      const keys = Array.from({ length: 900 }, (_, n) => `${n}`)
      const orders = [keys, keys.toReversed()]
      const done = await Promise.all(
        orders.flatMap((order, n) => order.map((key) => it.storages[n % it.storages.length]!.nonces.accept(key, 1000, 0))),
      )
      assert.equal(count(done), 900)
    })

    test('expired nonces are deleted along the way, and no others', async () => {
      await using it = await openedAlone(flavour)
      const add = (from: number, expiresAtMs: number, nowMs: number) =>
        Promise.all(Array.from({ length: 256 }, (_, n) => it.storage.nonces.accept(`${from + n}`, expiresAtMs, nowMs)))
      await add(0, MINUTE_MS, 0)
      await add(1000, 2 * MINUTE_MS + 1, 0)
      await add(2000, 9 * MINUTE_MS, 2 * MINUTE_MS)
      assert.equal(await stored(it.url), 512)
      assert.equal(await it.storage.nonces.accept('1000', 9 * MINUTE_MS, 2 * MINUTE_MS), false)
    })

    test('a nonce is not accepted again after a step of the clock forward and back', async () => {
      await using database = await migratedDatabase(flavour)
      const hourMs = 60 * MINUTE_MS
      let steppedMs = 0
      const clock = createClock(0, () => Date.now() + steppedMs)
      const { nonces, close } = await openAt(database.url, clock)
      const accept = (key: string) => nonces.accept(key, clock.now() + 6 * MINUTE_MS, clock.now())
      assert.equal(await accept('used'), true)
      await accept('looks at the clock')
      steppedMs = hourMs
      for (let n = 0; n < 300; n++) await accept(`${n}`)
      steppedMs = 0
      assert.equal(await accept('used'), false)
      await close()
    })

    test('a restored snapshot has the nonces of its moment and no later ones', async () => {
      await using it = await openedAlone(flavour)
      const { nonces, snapshots } = it.storage
      assert.equal(await nonces.accept('before', 1000, 0), true)
      await snapshots.save('one')
      assert.equal(await nonces.accept('after', 1000, 0), true)
      await snapshots.restore('one')
      assert.deepEqual([await nonces.accept('before', 1000, 0), await nonces.accept('after', 1000, 0)], [false, true])
    })

    test('after a wipe all are new', async () => {
      await using it = await openedAlone(flavour)
      assert.equal(await it.storage.nonces.accept('k', 1000, 0), true)
      await it.storage.wipe()
      assert.equal(await it.storage.nonces.accept('k', 1000, 0), true)
    })

    test('while they cannot be stored none is accepted, and afterwards they are', async () => {
      await using it = await openedAlone(flavour, { fresh: true })
      const ask = () => Promise.allSettled(['a', 'b', 'a'].map((key) => it.storage.nonces.accept(key, 1000, 0)))
      await rawRows(it.url, 'alter table nonces rename to nonces_away')
      assert.deepEqual(
        (await ask()).map(({ status }) => status),
        ['rejected', 'rejected', 'rejected'],
      )
      await rawRows(it.url, 'alter table nonces_away rename to nonces')
      assert.deepEqual(
        (await ask()).map((each) => each.status === 'fulfilled' && each.value),
        [true, true, false],
      )
    })
  })
}
