import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { createConnection } from '../../src/delivery/stream/connection.ts'
import { createFeeds } from '../../src/delivery/stream/feeds.ts'
import { createClock } from '../../src/lib/clock.ts'
import type { StreamEntry, StreamListener } from '../../src/storage/event-log.ts'
import { streamEntry } from '../stage/stream-entry.ts'

/** Feeds with one live connection, whose app may have everything but private events. */
function withoutConsent() {
  const lines: string[] = []
  let told: StreamListener | undefined
  const asked: (() => void)[] = []
  const log = {
    readStream: async () => [],
    onStream(listener: StreamListener) {
      told = listener
    },
  }
  const mayReceive = async (_appId: string, entries: readonly StreamEntry[]) => {
    await new Promise<void>((resolve) => asked.push(resolve))
    return entries.filter(({ eventType }) => eventType === 'post.create')
  }
  const feeds = createFeeds({
    log,
    isDoubtful: () => false,
    mayReceive,
    clock: createClock(),
    logger: pino({ level: 'silent' }),
    handed() {},
    behind: () => assert.fail('must not fall behind'),
  })
  const outlet = {
    write: ({ bytes }: { bytes: Buffer }) => void lines.push(...String(bytes).trim().split('\r\n')),
    waitingBytes: () => 0,
    isFull: () => false,
    sentBytes: () => 0,
    end() {},
    destroy() {},
  }
  const request = { appId: '1', fromMs: undefined, toMs: undefined, check: async () => undefined }
  feeds.add(createConnection('c', request, { outlet, problemBaseUrl: '' }, 0))
  const uuids = () => lines.map((line) => JSON.parse(line).data.event_uuid)
  return { uuids, asked, committed: (...entries: StreamEntry[]) => told!.committed(entries) }
}

test('a private event whose consent was revoked before its commit ended is not handed over, and what comes after it is, in order', async () => {
  const { uuids, asked, committed } = withoutConsent()
  committed(streamEntry(1, 'dm.received'), streamEntry(2, 'post.create'))
  committed(streamEntry(3, 'post.create'))
  assert.deepEqual(uuids(), [])
  asked.shift()!()
  await new Promise(setImmediate)
  asked.shift()!()
  await new Promise(setImmediate)
  assert.deepEqual(uuids(), ['uuid-2', 'uuid-3'])
})

test('public events alone are handed over at once', () => {
  const { uuids, committed } = withoutConsent()
  committed(streamEntry(1, 'post.create'))
  assert.deepEqual(uuids(), ['uuid-1'])
})
