import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { createConnection } from '../../src/delivery/stream/connection.ts'
import { createLifecycle } from '../../src/delivery/stream/lifecycle.ts'
import { createClock } from '../../src/lib/clock.ts'
import { sequenceAt } from '../../src/lib/ids.ts'
import { MINUTE_MS } from '../../src/lib/time.ts'
import type { StreamEntry, StreamListener, StreamRange } from '../../src/storage/event-log.ts'
import { DatabaseAway } from '../../src/storage/unavailable.ts'
import { noLease } from '../../src/storage/work-lease.ts'
import { streamEntry } from '../stage/stream-entry.ts'

/** A recovery below whose end another process has told of an event, in a log that is away for so many reads: what its client hears. */
async function recoveryBesideOutage(failures: number, elapsed?: () => number) {
  const own = createClock()
  const clock = elapsed ? { ...own, elapsed } : own
  const toMs = clock.now() - MINUTE_MS
  const heard: string[] = []
  const ended = Promise.withResolvers<void>()
  let listener!: StreamListener
  let away = failures
  const log = {
    onStream(given: StreamListener) {
      listener = given
    },
    async readStream({ log, after }: StreamRange) {
      if (log === undefined) return []
      if (away > 0) {
        away -= 1
        throw new DatabaseAway('away')
      }
      return [streamEntry(after + 1)]
    },
  }
  const { feeds, beginCatchUp } = createLifecycle({
    log,
    clock,
    logger: pino({ level: 'silent' }),
    mayReceive: async (_: string, entries: readonly StreamEntry[]) => entries,
    counts: { sent() {}, disconnected: (type: string) => void heard.push(type) },
    connections: { close: async () => {} },
    lease: noLease,
  } as never)
  const outlet = {
    write: ({ bytes }: { bytes: Buffer }) => void heard.push(JSON.parse(String(bytes)).data.event_uuid),
    waitingBytes: () => 0,
    isFull: () => false,
    sentBytes: () => 0,
    end() {
      ended.resolve()
    },
    destroy() {},
  }
  const request = { appId: '1', fromMs: toMs - MINUTE_MS, toMs, check: async () => undefined }
  const connection = createConnection('c', request, { outlet, problemBaseUrl: '' }, clock.now())
  feeds.add(connection)
  const late = sequenceAt(toMs) - 10
  listener.mayHave({ from: late, to: late, log: 2 })
  beginCatchUp(connection)
  await ended.promise
  feeds.remove(connection)
  return { heard, late }
}

test('a recovery is not told as complete while an event before its end, of which another process has told, cannot be read', async () => {
  const { heard, late } = await recoveryBesideOutage(1)
  assert.deepEqual(heard, [`uuid-${late}`, 'UpstreamOperationalDisconnect'])
})

test('a recovery whose event cannot be read for a minute ends as one that is broken', async () => {
  let nowMs = 0
  const elapsed = () => {
    nowMs += 61_000
    return nowMs
  }
  const { heard } = await recoveryBesideOutage(Number.POSITIVE_INFINITY, elapsed)
  assert.deepEqual(heard, ['InternalError'])
})
