import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFeed, readWanted, want } from '../../src/delivery/stream/feed.ts'
import type { StreamRange } from '../../src/storage/event-log.ts'

test('what one of several logs has told of is read from that alone, and what several have told of from all', async () => {
  const feed = createFeed('1', 0, () => 0)
  const read: StreamRange[] = []
  const readStream = async (range: StreamRange) => {
    read.push(range)
    return []
  }
  const readAll = () => readWanted(feed, { log: { readStream }, mayReceive: async (_, entries) => entries }, () => {})
  want(feed, 1, 5, 2)
  want(feed, 3, 9, 2)
  await readAll()
  want(feed, 1, 5, 2)
  want(feed, 3, 9, 3)
  await readAll()
  want(feed, 1, 5, 2)
  want(feed, 3, 9)
  await readAll()
  assert.deepEqual(
    read.map(({ after, before, log }) => [after, before, log]),
    [
      [1, 9, 2],
      [1, 9, undefined],
      [1, 9, undefined],
    ],
  )
})
