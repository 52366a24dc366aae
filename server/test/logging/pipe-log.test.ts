import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import { createPipeLog } from '../../src/logging/log-destination.ts'

const MEBIBYTE = 1024 * 1024

/** Both ends of a connection, of which the reader's does not read. */
async function socketPair() {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const writer = connect((server.address() as { port: number }).port, '127.0.0.1')
  const [reader] = (await once(server, 'connection')) as [Socket]
  const end = async () => {
    writer.destroy()
    reader.destroy()
    server.close()
    await once(server, 'close')
  }
  return { writer, reader, [Symbol.asyncDispose]: end }
}

const line = (n: number) => `${JSON.stringify({ n, text: 'x'.repeat(1000) })}\n`

test('lines for a reader that does not read take at most a mebibyte, and it gets the number of dropped lines', async () => {
  await using it = await socketPair()
  const log = createPipeLog(it.writer, createClock())
  const count = 32 * 1024
  let mostOwed = 0
  for (let n = 0; n < count; n++) {
    log.write(line(n))
    mostOwed = Math.max(mostOwed, it.writer.writableLength)
    if (n % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  assert.ok(mostOwed > MEBIBYTE / 2 && mostOwed <= MEBIBYTE + 16 * 1024, `${mostOwed}`)
  let came = 0
  let dropped = 0
  for await (const text of createInterface({ input: it.reader })) {
    const { n, level, lines, msg } = JSON.parse(text)
    if (n !== undefined) came += 1
    else {
      dropped += lines
      assert.deepEqual([level, msg], [40, 'dropped log lines: the reader of standard output is too slow'])
    }
    if (came + dropped === count) break
  }
  assert.ok(dropped > 0)
})

test('once the reader is gone nothing is retained, and flush calls back', async () => {
  await using it = await socketPair()
  const log = createPipeLog(it.writer, createClock())
  const closed = new Promise((resolve) => it.writer.once('close', resolve))
  it.writer.destroy(new Error('EPIPE'))
  await closed
  for (let n = 0; n < 10_000; n++) log.write(line(n))
  assert.equal(it.writer.writableLength, 0)
  await new Promise<void>((resolve) => log.flush(resolve))
})

test('a flush for a reader that does not read ends after a second', async () => {
  await using it = await socketPair()
  const clock = createClock()
  const log = createPipeLog(it.writer, clock)
  for (let n = 0; n < 32 * 1024; n++) log.write(line(n))
  const flushed = new Promise<void>((resolve) => log.flush(resolve))
  clock.advance(1000)
  await flushed
})
