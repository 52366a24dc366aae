import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { beginLoginAttempt } from '../../src/access/logins.ts'
import { databasesOf } from '../stage/databases.ts'
import { opened, openedAlone } from '../storage/samples.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const NOW_MS = 1_800_000_000_000

const stranger = async () => false

for (const flavour of databasesOf(import.meta))
  suite(`limits of failed logins on ${flavour}`, () => {
    test('with 200 addresses, over all processes, an attacker has 100 guesses in a day and three for each address', async () => {
      await using it = await opened(flavour)
      let judged = 0
      const guess = async (n: number, nowMs: number) => {
        const { rateWindows } = it.storages[n % it.storages.length]!
        const attempt = beginLoginAttempt(rateWindows, nowMs, 'ada', `10.0.${n >> 8}.${n & 255}`)
        if ((await attempt.refusedUntil(stranger)) === undefined) judged += 1
      }
      for (let round = 0; round < 20; round += 1) {
        const nowMs = NOW_MS + round * 16 * MINUTE_MS
        await Promise.all(Array.from({ length: 100 }, (_, n) => guess((round * 100 + n) % 200, nowMs)))
      }
      assert.ok(judged > 600 && judged <= 100 + 3 * 200, `${judged} guesses were judged`)
    })

    test('with any number of addresses an attacker has 100 guesses a minute', async () => {
      await using it = await openedAlone(flavour)
      const { rateWindows } = it.storage
      const guess = (n: number, nowMs: number) =>
        beginLoginAttempt(rateWindows, nowMs, 'ada', `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`).refusedUntil(stranger)
      for (const minute of [0, 1, 2]) {
        const ends = await Promise.all(Array.from({ length: 500 }, (_, n) => guess(minute * 500 + n, NOW_MS + minute * MINUTE_MS)))
        assert.equal(ends.filter((end) => end === undefined).length, 100)
        for (const end of ends) assert.ok(end === undefined || end <= NOW_MS + (minute + 1) * MINUTE_MS)
      }
    })

    test('an attempt that is taken back leaves nothing counted, and one that is refused counts against no other address', async () => {
      await using it = await openedAlone(flavour)
      const { rateWindows } = it.storage
      const begin = (address: string, nowMs = NOW_MS) => beginLoginAttempt(rateWindows, nowMs, 'ada', address)
      for (let n = 0; n < 200; n += 1) {
        const attempt = begin('10.0.0.1')
        assert.equal(await attempt.refusedUntil(stranger), undefined)
        await attempt.uncount()
      }
      for (let n = 0; n < 100; n += 1) await begin(`10.0.1.${n}`).refusedUntil(stranger)
      const later = NOW_MS + MINUTE_MS
      for (let n = 0; n < 3; n += 1) assert.equal(await begin('10.0.0.1', later).refusedUntil(stranger), undefined)
      for (let n = 0; n < 5; n += 1) assert.equal(await begin('10.0.0.1', later).refusedUntil(stranger), NOW_MS + MINUTE_MS + DAY_MS)
      for (let n = 0; n < 97; n += 1) assert.equal(await begin(`10.0.2.${n}`, later).refusedUntil(stranger), undefined)
    })

    test('names are counted alike, in whatever case they are written', async () => {
      await using it = await openedAlone(flavour)
      for (let n = 0; n < 10; n += 1)
        assert.equal(
          await beginLoginAttempt(it.storage.rateWindows, NOW_MS, n % 2 ? 'ADA' : 'ada', '10.0.0.1').refusedUntil(stranger),
          undefined,
        )
      const refused = beginLoginAttempt(it.storage.rateWindows, NOW_MS, 'Ada', '10.0.0.1')
      assert.equal(await refused.refusedUntil(stranger), NOW_MS + 15 * MINUTE_MS)
    })
  })

test('a stranger makes no more rows of a day than there are slots: two to the 16 for accounts, two to the 20 for networks', async () => {
  const rows = { day: new Set<number>(), network: new Set<number>() }
  const windows = {
    async hit(key: string, windowMs: number) {
      const [, kind, slot] = /^login:(day|network):(\d+)$/.exec(key) ?? []
      if (kind) {
        rows[kind as keyof typeof rows].add(Number(slot))
        assert.equal(windowMs, DAY_MS)
      }
      return { count: kind === 'day' ? 101 : 1, resetAtMs: NOW_MS + windowMs }
    },
  }
  for (let n = 0; n < 2000; n += 1)
    await beginLoginAttempt(windows, NOW_MS, `user${n}`, `2001:db8:${n.toString(16)}::1`).refusedUntil(stranger)
  for (const [kind, slots] of [
    ['day', 2 ** 16],
    ['network', 2 ** 20],
  ] as const) {
    const most = Math.max(...rows[kind])
    assert.ok(most < slots && most > slots * 0.98, `${kind}: ${most}`)
  }
  assert.ok(rows.network.size > 7900, 'two slots of the network and two of its site')
})
