import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReports } from '../../src/delivery/fleet/reports.ts'
import { createClock } from '../../src/lib/clock.ts'
import type { FeedChannel, FeedHeard } from '../../src/storage/feed-channel.ts'

test('a message to the processes is late by what it took to be heard, and by 900 ms where it is not heard by then', async () => {
  const clock = createClock()
  let heard: FeedHeard | undefined
  let isConnected = true
  let isLost = true
  const channel: FeedChannel = {
    isConnected: () => isConnected,
    listen: (own) => {
      heard = own
    },
    send: async (messages) => {
      if (!isLost) for (const message of messages) heard!.notified(message)
    },
  }
  const { lagMs } = createReports({ channel, clock, livingWorkers: async () => [1], worker: 1, report: () => Promise.reject() })
  const late = lagMs()
  clock.advance(900)
  assert.equal(await late, 900)
  isLost = false
  assert.ok((await lagMs())! < 900)
  isConnected = false
  assert.equal(await lagMs(), undefined)
})
