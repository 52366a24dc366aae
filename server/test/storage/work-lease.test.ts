import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import type { Change } from '../../src/storage/changes.ts'
import { createOwnLease, type OwnLeaseOptions } from '../../src/storage/sql/postgres/own-lease.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { countPieces, type WorkLease } from '../../src/storage/work-lease.ts'
import { migratedDatabase } from '../stage/database.ts'
import { until } from '../stage/pause.ts'
import { openAt, rawRows } from './samples.ts'

const LOOK_MS = 5000
const RENEW_MS = 4000

const leases = (url: string) => rawRows(url, 'select worker, until > clock_timestamp() as holds from worker_leases order by worker')
const expire = (url: string) => rawRows(url, `update worker_leases set until = clock_timestamp() - interval '1 second' where worker = 0`)

/** How often a process was told of a change of a kind. */
function changesOf(storage: Storage, told: Change['kind']) {
  const changes = { count: 0 }
  storage.changes.listen(({ kind }) => {
    if (kind === told) changes.count += 1
  })
  return changes
}

suite('the lease of a working process', () => {
  test('is recorded before it takes work, renewed while it works, and released when nothing is left', async () => {
    await using database = await migratedDatabase('postgres')
    const clock = createClock()
    const storage = await openAt(database.url, clock)
    assert.deepEqual(await leases(database.url), [])
    await storage.lease.begin(2)
    assert.deepEqual(await leases(database.url), [{ worker: 0, holds: true }])
    storage.lease.end()
    await expire(database.url)
    clock.advance(RENEW_MS)
    await until(async () => (await leases(database.url))[0]?.holds === true)
    storage.lease.end()
    clock.advance(RENEW_MS)
    await until(async () => (await leases(database.url)).length === 0)
    await storage.close()
  })

  test('one look at an expired lease proves nothing; at the second its holder is dead for the others, until it renews it', async () => {
    await using database = await migratedDatabase('postgres')
    const [clock, otherClock] = [createClock(), createClock()]
    const [holder, other] = [await openAt(database.url, clock), await openAt(database.url, otherClock)]
    const told = changesOf(other, 'departure')
    await holder.lease.begin()
    // The other looks when it hears of the lease: while that holds, so that the next look is the first at an expired one.
    let asked = 0
    await until(() => {
      asked += 1
      return asked > 20
    })
    await expire(database.url)
    otherClock.advance(LOOK_MS)
    await other.ping()
    const before = told.count
    assert.deepEqual(await other.livingWorkers(), [0, 1])
    await until(() => {
      otherClock.advance(LOOK_MS)
      return told.count > before
    })
    assert.deepEqual(await other.livingWorkers(), [1])
    // It was frozen: the time has passed for it too.
    clock.advance(5 * RENEW_MS)
    await until(async () => {
      otherClock.advance(LOOK_MS)
      return (await other.livingWorkers()).length === 2
    })
    holder.lease.end()
    for (const storage of [holder, other]) await storage.close()
  })

  test('is given back, and the others hear of that each time and not before', async () => {
    await using database = await migratedDatabase('postgres')
    const [clock, otherClock] = [createClock(), createClock()]
    const [holder, other] = [await openAt(database.url, clock), await openAt(database.url, otherClock)]
    const told = changesOf(other, 'idle')
    const lookUntil = (isSo: () => boolean) =>
      until(() => {
        otherClock.advance(LOOK_MS)
        return isSo()
      })
    for (let times = 1; times <= 2; times += 1) {
      const begun = changesOf(other, 'lease')
      await holder.lease.begin()
      await until(() => begun.count === 1)
      for (let looks = 0; looks < 3; looks += 1) {
        otherClock.advance(LOOK_MS)
        await other.ping()
      }
      assert.equal(told.count, times - 1, 'it is held')
      holder.lease.end()
      clock.advance(RENEW_MS)
      await lookUntil(() => told.count === times)
    }
    for (const storage of [holder, other]) await storage.close()
  })

  test('belongs to the process with the number: one that starts releases what a dead one with its number left', async () => {
    await using database = await migratedDatabase('postgres')
    const first = await openAt(database.url)
    await first.close()
    await rawRows(database.url, `insert into worker_leases values (0, clock_timestamp() + interval '1 minute')`)
    const next = await openAt(database.url)
    assert.deepEqual(await leases(database.url), [])
    await next.close()
  })

  test('says from the start how far the clock of the database is ahead of this machine: nothing while they agree within a second', async () => {
    await using database = await migratedDatabase('postgres')
    for (const [aheadMs, told] of [
      [300_000, -300_000],
      [-300_000, 300_000],
      [300, 0],
    ] as const) {
      const storage = await openAt(
        database.url,
        createClock(0, () => Date.now() + aheadMs),
      )
      const assertTold = () =>
        assert.ok(Math.abs(storage.lease.aheadMs() - told) < (told === 0 ? 1 : 1000), `${storage.lease.aheadMs()} for ${aheadMs}`)
      assertTold()
      await storage.lease.begin()
      assertTold()
      storage.lease.end()
      await storage.close()
    }
    // A clock that an operator of development has moved is not wrong.
    const storage = await openAt(database.url, createClock(3_600_000))
    await storage.lease.begin()
    assert.equal(storage.lease.aheadMs(), 0)
    await storage.close()
  })

  test('a slow answer of the database does not change what is known of its clock, nor does one that is nearly the same', () => {
    const clock = createClock()
    const lines: string[] = []
    const log = { info: (_: object, text: string) => lines.push(text), warn: (_: object, text: string) => lines.push(text) }
    const lease = createOwnLease({ clock, log, worker: 1 } as unknown as OwnLeaseOptions)
    const told = (aheadMs: number, tookMs: number) => {
      lease.told(clock.now() + aheadMs - tookMs / 2, clock.monotonic() - tookMs)
      return Math.round(lease.aheadMs() / 100) * 100
    }
    assert.deepEqual([told(3000, 0), told(3000, 2500), told(2100, 0), told(3800, 0)], [3000, 3000, 3000, 3000])
    assert.equal(lines.length, 1)
    assert.deepEqual([told(10, 0), lines.length], [0, 2])
    assert.deepEqual([told(1100, 0), told(900, 0), told(1100, 0), lines.length], [1100, 1100, 1100, 3])
  })

  test('counts pieces where they began, and ends them once', async () => {
    let pieces = 0
    const lease: WorkLease = {
      begin: (count = 1) => {
        pieces += count
        return undefined
      },
      end(count = 1) {
        pieces -= count
      },
      aheadMs: () => 0,
    }
    const counted = countPieces(lease)
    await counted.begin(5)
    counted.end(2)
    assert.equal(pieces, 3)
    counted.clear()
    counted.end(3)
    assert.equal(pieces, 0)
    const failing = countPieces({ ...lease, begin: () => Promise.reject(new Error('away')) })
    await assert.rejects(failing.begin(4)!, /away/)
    failing.clear()
    assert.equal(pieces, 0)
  })
})
