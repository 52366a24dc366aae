import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import type { Connection } from '../../src/delivery/stream/connection.ts'
import { createFeed, type LogNumber, readWanted, want } from '../../src/delivery/stream/feed.ts'
import { createFeeds } from '../../src/delivery/stream/feeds.ts'
import { createClock } from '../../src/lib/clock.ts'
import type { StreamEntry, StreamListener, StreamRange } from '../../src/storage/event-log.ts'
import { DatabaseAway } from '../../src/storage/unavailable.ts'

const entry = (sequence: number) => ({ sequence, content: '{}' }) as unknown as StreamEntry

/** A feed over logs of which some are away: what was read, and what was handed over. */
function readableFeed(isAway: (log: LogNumber) => boolean = () => false) {
  const feed = createFeed('1', 0, () => 0)
  const read: unknown[] = []
  const handed: number[] = []
  const readStream = async ({ after, before, log }: StreamRange) => {
    read.push([after, before, log])
    if (isAway(log)) throw new DatabaseAway('away')
    return [entry(after + 1)]
  }
  const readAll = (log?: LogNumber) =>
    readWanted(
      feed,
      { log: { readStream }, mayReceive: async (_, entries) => entries },
      (entries) => handed.push(...entries.map(({ sequence }) => sequence)),
      log,
    )
  return { feed, read, handed, readAll }
}

test('what one of several logs tells of is read from that log alone, its ranges at once', async () => {
  const { feed, read, readAll } = readableFeed()
  want(feed, 3, 5, 2)
  want(feed, 1, 9, 2)
  want(feed, 4, 6, 3)
  want(feed, 2, 8)
  for (const log of [2, 3, undefined, 2]) await readAll(log)
  assert.deepEqual(read, [
    [1, 9, 2],
    [4, 6, 3],
    [2, 8, undefined],
  ])
})

test('events of one log are handed over while another is away, whose events are still wanted', async () => {
  let isAway = true
  const { feed, handed, readAll } = readableFeed((log) => isAway && log === 2)
  want(feed, 10, 20, 2)
  want(feed, 30, 40, 3)
  await assert.rejects(readAll(2), DatabaseAway)
  await readAll(3)
  assert.deepEqual(handed, [31])
  isAway = false
  await readAll(2)
  assert.deepEqual(handed, [31, 11])
})

test('events of one log are handed over while a read of another does not end', async () => {
  let listener!: StreamListener
  const handed = Promise.withResolvers<number>()
  const readStream = ({ after, log }: StreamRange) => (log === 2 ? new Promise<never>(() => {}) : Promise.resolve([entry(after + 1)]))
  const onStream = (given: StreamListener) => {
    listener = given
  }
  const feeds = createFeeds({
    log: { readStream, onStream },
    clock: createClock(),
    logger: pino({ level: 'silent' }),
    mayReceive: async (_: string, entries: readonly StreamEntry[]) => entries,
    handed: (count: number) => handed.resolve(count),
    behind: () => {},
  } as never)
  feeds.add({ appId: '1', state: 'closed' } as Connection)
  listener.mayHave({ from: 10, to: 20, log: 2 })
  listener.mayHave({ from: 10, to: 20, log: 3 })
  assert.equal(await handed.promise, 1)
})
