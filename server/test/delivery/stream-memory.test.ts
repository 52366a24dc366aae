import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Chunk } from '../../src/api/declare/endless-answer.ts'
import { catchUp } from '../../src/delivery/stream/catch-up.ts'
import { createConnection } from '../../src/delivery/stream/connection.ts'
import { createFeed, handOver } from '../../src/delivery/stream/feed.ts'
import { createSemaphore } from '../../src/lib/mutex.ts'

const entry = (sequence: number, bytes: number) => ({
  sequence,
  eventUuid: `uuid-${sequence}`,
  eventType: 'post.create',
  userId: '7',
  appId: '1',
  match: '{"filter":{"user_id":"7"}}',
  content: Buffer.alloc(bytes, 'a'),
})

/** A feed with one live connection, whose client reads at once. */
function oneConnection(fromMs?: number) {
  const written: number[] = []
  const outlet = {
    write: ({ bytes }: Chunk) => void written.push(bytes.length),
    waitingBytes: () => 0,
    isFull: () => false,
    sentBytes: () => 0,
    end() {},
    destroy() {},
  }
  const request = { appId: '1', fromMs, toMs: undefined, check: async () => undefined }
  const connection = createConnection('c', request, { outlet, problemBaseUrl: '' }, 0)
  const feed = createFeed('1', 0, () => 0)
  feed.connections.add(connection)
  return { written, connection, feed }
}

test('one commit larger than the bound of memory is not put into memory: the connection reads it from the log', () => {
  const { written, connection, feed } = oneConnection()
  const behind: string[] = []
  const never = () => assert.fail('must not fall behind')
  handOver(feed, [entry(1005, 10)], never)
  // 1 MB, and a byte.
  handOver(feed, [entry(1000, 524_288), entry(1001, 524_289)], ({ id }) => behind.push(id))
  assert.deepEqual([written.length, behind, connection.state, connection.position], [1, ['c'], 'catching up', 999])
})

test('a client that was sent nothing for long, and then more than memory has room for, is behind by that alone', () => {
  const { connection, feed } = oneConnection()
  connection.position = 1
  handOver(feed, [entry(1000, 524_288), entry(1001, 524_289)], () => {})
  assert.deepEqual([connection.state, connection.position], ['catching up', 999])
})

test('a connection that falls behind as soon as it has caught up reads one page at a time', async () => {
  const { connection, feed } = oneConnection(1)
  const inTurn = createSemaphore(4, Number.POSITIVE_INFINITY)
  const again = Promise.withResolvers<void>()
  let [pages, most, hasFallenBehind] = [0, 0, false]
  const catchUpNow = () => catchUp(connection, { log: { readStream }, mayReceive: async (_, entries) => entries }, inTurn)
  /** In the first microtask in which the connection is live. */
  const fallBehind = () => {
    if (connection.state !== 'live') return queueMicrotask(fallBehind)
    handOver(feed, [entry(1000, 524_288), entry(1001, 524_289)], () => void catchUpNow().then(again.resolve, again.reject))
  }
  const readStream = async () => {
    most = Math.max(most, ++pages)
    await setImmediate()
    pages -= 1
    if (!hasFallenBehind) queueMicrotask(fallBehind)
    hasFallenBehind = true
    return []
  }
  await Promise.all([catchUpNow(), again.promise])
  assert.deepEqual([most, connection.state], [1, 'live'])
})

test('a commit within the bound of memory is written at once', () => {
  const { written, connection, feed } = oneConnection()
  handOver(feed, [entry(1000, 500_000), entry(1001, 500_000)], () => assert.fail('must not fall behind'))
  assert.deepEqual([written.length, connection.state, connection.position], [1, 'live', 1001])
})

test('connections that catch up together have few pages in memory, and all become live', async () => {
  let [pages, most] = [0, 0]
  const readStream = async () => {
    pages += 1
    most = Math.max(most, pages)
    await setImmediate()
    pages -= 1
    return []
  }
  const connections = Array.from({ length: 50 }, () => oneConnection(1).connection)
  const inTurn = createSemaphore(4, Number.POSITIVE_INFINITY)
  await Promise.all(connections.map((each) => catchUp(each, { log: { readStream }, mayReceive: async (_, entries) => entries }, inTurn)))
  assert.deepEqual([most, new Set(connections.map(({ state }) => state))], [4, new Set(['live'])])
})
