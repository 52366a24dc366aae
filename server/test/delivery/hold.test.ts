import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { createHold, heldBack } from '../../src/delivery/hold.ts'
import type { Outcome, Outgoing, Sender } from '../../src/delivery/send/sender.ts'
import { FeedCutOff, fetchFeed } from '../../src/endpoints/ads/catalogs/feeds/fetch-feed.ts'
import { createClock } from '../../src/lib/clock.ts'
import type { Metadata } from '../../src/storage/metadata.ts'
import { Unavailable } from '../../src/storage/unavailable.ts'

const SINCE = '2026-11-26T20:00:00.000Z'
const SECOND_MS = 1000
const HOUR_MS = 3_600_000
const OUT: Outgoing = { method: 'GET', to: 'https://callback.example/', headers: [], timeoutMs: 1000 }

/** A hold on metadata that the test can write as another process does, and a way out that counts. */
function setHold(heldSince: string | undefined) {
  let value = heldSince
  let reads = 0
  const lines: { level: number; msg: string }[] = []
  const clock = createClock()
  const metadata: Pick<Metadata, 'get' | 'set'> = {
    async get() {
      reads += 1
      return value
    },
    async set(_, text) {
      value = text
    },
  }
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const hold = createHold(heldSince, metadata as Metadata, clock, logger)
  let sent = 0
  const outcome = {
    kind: 'failed',
    stage: 'connect',
    message: 'refused',
    latencyMs: 1,
    timing: '',
    restricted: false,
  } as unknown as Outcome
  const sender: Sender = {
    async send() {
      sent += 1
      return outcome
    },
    close: async () => {},
  }
  return {
    hold,
    clock,
    lines,
    way: heldBack(sender, hold),
    sent: () => sent,
    reads: () => reads,
    releaseElsewhere: () => (value = ''),
    [Symbol.dispose]: hold.stop,
  }
}

/** Resolves after what is under way without a timer. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test('nothing passes the way out of a held copy until another process has released it, and then everything does', async () => {
  using stage = setHold(SINCE)
  let released = 0
  stage.hold.onRelease(() => released++)
  await assert.rejects(stage.way.send(OUT), Unavailable)
  stage.clock.advance(SECOND_MS)
  await settled()
  assert.deepEqual([stage.hold.since(), released, stage.sent()], [SINCE, 0, 0])
  stage.releaseElsewhere()
  stage.clock.advance(SECOND_MS)
  await settled()
  assert.deepEqual([stage.hold.since(), released], [undefined, 1])
  await stage.way.send(OUT)
  assert.equal(stage.sent(), 1)
  assert.equal(await stage.hold.release(), undefined)
  assert.equal(released, 1)
})

test('a copy that is released while a process stops begins nothing there', async () => {
  using stage = setHold(SINCE)
  let released = 0
  stage.hold.onRelease(() => released++)
  stage.releaseElsewhere()
  stage.clock.advance(SECOND_MS)
  stage.hold.stop()
  await settled()
  assert.deepEqual([stage.reads(), released], [1, 0])
})

test('a held copy says so at its start and every hour', async () => {
  using stage = setHold(SINCE)
  for (let hour = 0; hour < 2; hour++) {
    stage.clock.advance(HOUR_MS)
    await settled()
  }
  assert.deepEqual(
    stage.lines.map(({ level, msg }) => [level, msg.split(':')[0]]),
    Array(3).fill([40, 'this database is a restored copy']),
  )
})

test('a database that is no copy, or was released, is never asked again', async () => {
  for (const heldSince of [undefined, '']) {
    using stage = setHold(heldSince)
    stage.clock.advance(HOUR_MS)
    await settled()
    await stage.way.send(OUT)
    assert.deepEqual([stage.reads(), stage.sent(), stage.lines], [0, 1, []])
  }
})

test('a feed of a held copy is cut off, so that it is fetched later', async () => {
  using stage = setHold(SINCE)
  const file = fetchFeed('https://feeds.example/products.csv', { sender: stage.way, hideRestricted: true })
  await assert.rejects(file.toArray(), FeedCutOff)
  assert.equal(stage.sent(), 0)
})
