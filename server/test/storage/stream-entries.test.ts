import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import { publicId } from '../../src/lib/ids.ts'
import { type EventLog, STREAM_PAGE_BYTES, type StreamEntry } from '../../src/storage/event-log.ts'
import { migratedDatabase } from '../stage/database.ts'
import { carriersOf, event, openLog, stageLog } from './event-log-stage.ts'

const streamsTo = (...appIds: string[]) => appIds.map((appId) => ({ appId, match: `match of ${appId}` }))

const ALL = { after: -1, before: Number.MAX_SAFE_INTEGER, limit: 100 }

const uuidsOf = (entries: readonly StreamEntry[]) => entries.map(({ eventUuid }) => eventUuid)

/** What the listener of a log is told. */
function earOf(log: EventLog) {
  const heard = { committed: [] as StreamEntry[], ranges: [] as { from: number; to: number; appIds?: readonly string[] }[] }
  const waiting: (() => void)[] = []
  log.onStream({
    committed: (entries) => void heard.committed.push(...entries),
    mayHave(range) {
      heard.ranges.push(range)
      for (const resolve of waiting.splice(0)) resolve()
    },
    missed() {},
  })
  return { ...heard, hears: () => new Promise<void>((resolve) => waiting.push(resolve)) }
}

for (const flavour of carriersOf(import.meta))
  suite(`entries of streams on ${flavour}`, () => {
    test('an entry is told of once it is durable, and read back as it was told', async () => {
      await using stage = await stageLog(flavour)
      const ear = earOf(stage.log)
      const [accepted] = await stage.log.append([event({ targets: [], streams: streamsTo('1', '2'), userId: '7' })])
      const entry = (appId: string) => ({
        eventUuid: accepted!.eventUuid,
        eventType: 'post.create',
        userId: '7',
        appId,
        match: `match of ${appId}`,
        content: event().content,
      })
      assert.deepEqual(
        ear.committed
          .toSorted((one, other) => (one.appId < other.appId ? -1 : 1))
          .map(({ sequence, ...rest }) => [publicId(sequence), rest]),
        ['1', '2'].map((appId) => [accepted!.eventUuid, entry(appId)]),
      )
      for (const appId of ['1', '2']) {
        const [read, ...more] = await stage.log.readStream({ appId, ...ALL })
        assert.deepEqual([{ ...read!, content: Buffer.from(read!.content) }, more], [ear.committed.find((one) => one.appId === appId), []])
      }
      assert.deepEqual(await stage.log.readStream({ appId: '3', ...ALL }), [])
    })

    test('an event beside streams and webhooks is held for its webhooks, and one without streams is in none', async () => {
      await using stage = await stageLog(flavour)
      const [both] = await stage.log.append([event({ streams: streamsTo('1') }), event()])
      assert.equal(stage.held.length, 2)
      assert.deepEqual(uuidsOf(await stage.log.readStream({ appId: '1', ...ALL })), [both!.eventUuid])
    })

    test('an event with a uuid that the log knows has no second entry', async () => {
      await using stage = await stageLog(flavour)
      const ear = earOf(stage.log)
      const given = event({ eventUuid: 'order-17', targets: [], streams: streamsTo('1') })
      await stage.log.append([given, given])
      await stage.log.append([given])
      assert.deepEqual(uuidsOf(ear.committed), ['order-17'])
      assert.deepEqual(uuidsOf(await stage.log.readStream({ appId: '1', ...ALL })), ['order-17'])
    })

    test('pages go on after a sequence number, end before another, and hold a bounded number of bytes', async () => {
      await using stage = await stageLog(flavour)
      const ear = earOf(stage.log)
      const content = Buffer.alloc(STREAM_PAGE_BYTES / 2 - 100, 'x')
      await stage.log.append(Array.from({ length: 7 }, () => event({ targets: [], streams: streamsTo('1'), content })))
      const uuids = uuidsOf(ear.committed)
      const all = ear.committed.map(({ sequence }) => sequence)
      const page = async (range: object) => uuidsOf(await stage.log.readStream({ appId: '1', ...ALL, ...range }))
      assert.deepEqual(await page({}), uuids.slice(0, 3))
      assert.deepEqual(await page({ after: all[2]! }), uuids.slice(3, 6))
      assert.deepEqual(await page({ after: all[5]! }), uuids.slice(6))
      assert.deepEqual(await page({ after: all[0]!, before: all[2]! }), uuids.slice(1, 2))
      assert.deepEqual(await page({ limit: 2 }), uuids.slice(0, 2))
      assert.deepEqual(await page({ after: all[6]! }), [])
    })

    test('entries stay over a restart, and go with their events when these are trimmed or wiped', async () => {
      const clock = createClock()
      await using stage = await stageLog(flavour, clock)
      await stage.log.append([event({ targets: [], streams: streamsTo('1') })])
      await stage.reopen()
      assert.equal((await stage.log.readStream({ appId: '1', ...ALL })).length, 1)
      clock.advance(60_000)
      const [kept] = await stage.log.append([event({ targets: [], streams: streamsTo('1') })])
      assert.equal(await stage.log.trim(clock.now() - 1000), 1)
      assert.deepEqual(uuidsOf(await stage.log.readStream({ appId: '1', ...ALL })), [kept!.eventUuid])
      await stage.log.wipe()
      assert.deepEqual(await stage.log.readStream({ appId: '1', ...ALL }), [])
    })
  })

test('another process is told between which sequence numbers there are entries of which apps', async () => {
  const clock = createClock()
  await using database = await migratedDatabase('postgres')
  const one = await openLog('postgres', database.url, { clock, worker: 0, living: [0, 1] })
  const other = await openLog('postgres', database.url, { clock, worker: 1, living: [0, 1] })
  try {
    const [own, ear] = [earOf(one.log), earOf(other.log)]
    const heard = ear.hears()
    await one.log.append([event()])
    await one.log.append([event({ targets: [], streams: streamsTo('1') }), event(), event({ targets: [], streams: streamsTo('1', '2') })])
    await heard
    const sequences = own.committed.map(({ sequence }) => sequence)
    assert.deepEqual(ear.ranges, [{ from: sequences[0], to: sequences.at(-1), appIds: ['1', '2'] }])
    assert.deepEqual(own.ranges, [])
    const read = await other.log.readStream({ appId: '1', ...ALL })
    assert.deepEqual(
      read.map(({ sequence }) => sequence),
      [sequences[0], sequences[1]],
    )
    const many = ear.hears()
    await one.log.append([event({ targets: [], streams: streamsTo(...Array.from({ length: 500 }, (_, place) => String(place))) })])
    await many
    assert.equal(ear.ranges.at(-1)!.appIds, undefined)
  } finally {
    await one.log.close()
    await other.log.close()
  }
})
