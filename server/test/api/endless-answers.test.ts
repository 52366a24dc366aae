import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { chunkOf, type Outlet } from '../../src/api/declare/endless-answer.ts'
import { sendEndless } from '../../src/api/http/send-streams.ts'

const MEGABYTE = 1 << 20
const PART = 16 * MEGABYTE

test('the progress of a client that reads is seen within a chunk that it has not read to its end', async () => {
  const { promise, resolve } = Promise.withResolvers<Outlet>()
  const endless = (outlet: Outlet) => {
    resolve(outlet)
    return { drained() {}, closed() {} }
  }
  const server = createServer((_, response) => sendEndless(response, { status: 200, headers: {}, endless } as never))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  try {
    client.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
    const outlet = await promise
    // More than two parts, and than the buffers of the system between the two have room for.
    outlet.write(chunkOf(4 * PART, (buffer, at) => buffer.fill('a', at)))
    const before = outlet.sentBytes()
    let readBytes = 0
    for await (const bytes of client) {
      readBytes += bytes.length
      if (readBytes >= PART) break
    }
    assert.equal(outlet.waitingBytes() > 4 * PART, true)
    const sentBytes = outlet.sentBytes()
    assert.equal(sentBytes >= PART && sentBytes > before && sentBytes < 4 * PART, true, `${before} ${sentBytes}`)
  } finally {
    client.destroy()
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
})
