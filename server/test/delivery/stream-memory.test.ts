import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Chunk } from '../../src/api/declare/endless-answer.ts'
import { createConnection } from '../../src/delivery/stream/connection.ts'
import { createFeed, handOver } from '../../src/delivery/stream/feed.ts'

const entry = (sequence: number, bytes: number) => ({
  ...{ sequence, eventUuid: `uuid-${sequence}`, eventType: 'post.create', userId: '7', appId: '1' },
  ...{ match: '{"filter":{"user_id":"7"}}', content: Buffer.alloc(bytes, 'a') },
})

/** A feed with one live connection, whose client reads at once. */
function oneConnection() {
  const written: number[] = []
  const outlet = {
    write: ({ bytes }: Chunk) => void written.push(bytes.length),
    ...{ waitingBytes: () => 0, isFull: () => false, sentBytes: () => 0, end() {}, destroy() {} },
  }
  const request = { appId: '1', fromMs: undefined, toMs: undefined, check: async () => undefined }
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

test('a commit within the bound of memory is written at once', () => {
  const { written, connection, feed } = oneConnection()
  handOver(feed, [entry(1000, 500_000), entry(1001, 500_000)], () => assert.fail('must not fall behind'))
  assert.deepEqual([written.length, connection.state, connection.position], [1, 'live', 1001])
})
