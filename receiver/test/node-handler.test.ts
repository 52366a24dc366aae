import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createReceiver, type LogEntry, type ReceivedEvent, type ReceiverOptions } from '../src/index.ts'
import { listen } from './stage/receivers.ts'
import { eventText, SECRET, signed } from './stage/signed.ts'

function recording(options: Partial<ReceiverOptions> = {}) {
  const events: ReceivedEvent[] = []
  const log: LogEntry[] = []
  const receiver = createReceiver({
    secrets: [SECRET],
    onEvent: (event) => void events.push(event),
    log: (entry) => log.push(entry),
    ...options,
  })
  return { events, log, node: receiver.node }
}

/** Everything the other side writes until the connection is closed, be it by a reset. */
async function untilClosed(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  await new Promise((closed) => socket.on('error', () => {}).once('close', closed))
  return text
}

const head = (...headers: string[]) =>
  ['POST /webhook HTTP/1.1', 'host: callback', `x-service-webhooks-signature: ${signed('')}`, ...headers, '', ''].join('\r\n')

const post = (url: string, text: string) =>
  fetch(url, { method: 'POST', body: text, headers: { 'content-type': 'application/json', 'x-service-webhooks-signature': signed(text) } })

test('a slow body is answered 408 at the deadline, and its connection closed', async () => {
  const { node, log } = recording({ bodyTimeoutMs: 20 })
  await using server = await listen(node)
  const socket = connect(server.port, '127.0.0.1')
  socket.write(`${head('content-length: 100')}{"data"`)
  const answer = await untilClosed(socket)
  assert.match(answer, /^HTTP\/1.1 408 [\s\S]*"message":"The body did not arrive within 20 ms\."/)
  assert.match(answer, /^connection: close$/im)
  assert.deepEqual(
    log.map(({ msg }) => msg),
    ['rejected'],
  )
})

test('an endless body is answered 413 at the limit, and no longer read', async () => {
  const { node } = recording({ maxBodyBytes: 10_000 })
  await using server = await listen(node)
  const accepted = once(server.server, 'connection') as Promise<[Socket]>
  const socket = connect(server.port, '127.0.0.1')
  const answered = untilClosed(socket)
  socket.write(head('transfer-encoding: chunked'))
  const [serverSide] = await accepted
  const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
  while (!socket.destroyed && socket.bytesWritten < 64 * 1024 * 1024) {
    if (!socket.write(chunk)) await Promise.race([new Promise((drained) => socket.once('drain', drained)), answered])
  }
  assert.match(await answered, /^HTTP\/1.1 413 /)
  assert.ok(serverSide.bytesRead < 1_000_000, `${serverSide.bytesRead} bytes were read`)
})

test('a declared length over the limit is answered 413 before any of the body came, and the connection stays until the answer is read', async () => {
  const { node } = recording({ maxBodyBytes: 10_000 })
  await using server = await listen(node)
  const socket = connect(server.port, '127.0.0.1')
  const requested = once(server.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  socket.write(head('content-length: 10001'))
  const [, response] = await requested
  const [answer] = await once(socket, 'data')
  assert.match(String(answer), /^HTTP\/1.1 413 /)
  assert.equal(response.writableEnded, false)
  await untilClosed(socket)
})

test('a client that declares too much reads its 413 although it is still sending', async () => {
  const { node, events } = recording({ maxBodyBytes: 10_000 })
  await using server = await listen(node)
  for (let round = 0; round < 5; round++) {
    const response = await post(server.url, eventText('1', { payload: 'x'.repeat(8_000_000) }))
    assert.equal(response.status, 413)
    assert.match(await response.text(), /larger than 10000 bytes/)
  }
  assert.deepEqual(events, [])
})

test('a truncated body is no event, and the receiver keeps working', async () => {
  const rejected = Promise.withResolvers<LogEntry>()
  const { node, events } = recording({ log: rejected.resolve })
  await using server = await listen(node)
  const socket = connect(server.port, '127.0.0.1')
  server.server.once('request', () => socket.destroy())
  socket.write(`${head('content-length: 100')}{"data"`)
  assert.deepEqual(await rejected.promise, {
    msg: 'rejected',
    status: 400,
    reason: 'The connection was closed before the body was complete.',
  })
  assert.equal((await post(server.url, eventText('1'))).status, 200)
  assert.equal(events.length, 1)
})

test('without a signature nothing is read, and the answer comes before the body', async () => {
  const { node } = recording()
  await using server = await listen(node)
  const socket = connect(server.port, '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nhost: callback\r\ncontent-length: 100\r\n\r\n')
  assert.match(await untilClosed(socket), /^HTTP\/1.1 401 /)
})

test('answers, 200 and 401 alike, leave the connection open for the next event', async () => {
  const { node } = recording()
  await using server = await listen(node)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ports = new Set<number | undefined>()
  for (const signature of [signed('{}'), signed('else'), signed('{}')]) {
    const sent = httpRequest(server.url, { agent, method: 'POST', headers: { 'x-service-webhooks-signature': signature } }).end('{}')
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    ports.add(response.socket.localPort)
    await response.resume().toArray()
  }
  agent.destroy()
  assert.equal(ports.size, 1)
})

test('two concurrent posts of one id run onEvent once, and both are answered after it', async () => {
  const gate = Promise.withResolvers<void>()
  let runs = 0
  const onEvent = () => {
    runs += 1
    return gate.promise
  }
  // The cache is empty, so only the concurrent run can keep the second from running.
  const { node, log } = recording({ onEvent, dedupeCacheSize: 0 })
  await using server = await listen(node)
  const bothRead = Promise.withResolvers<void>()
  let read = 0
  server.server.on('request', (request) => request.once('end', () => ++read === 2 && bothRead.resolve()))
  const answers = Promise.all([post(server.url, eventText('1')), post(server.url, eventText('1'))])
  await bothRead.promise
  await setImmediate()
  gate.resolve()
  assert.deepEqual(
    (await answers).map(({ status }) => status),
    [200, 200],
  )
  assert.equal(runs, 1)
  assert.deepEqual(log, [{ msg: 'duplicate dropped', event_uuid: '1' }])
})

/** What body parsers do: read the request to its end and keep something of it. */
const parsing =
  (node: RequestListener, keep: (bytes: Buffer) => object): RequestListener =>
  async (request, response) => {
    const bytes = Buffer.concat(await request.toArray())
    node(Object.assign(request, keep(bytes)), response)
  }

test('after a body parser the response is 500, and the log and the response say what to change', async () => {
  const { node, log, events } = recording()
  await using server = await listen(parsing(node, (bytes) => ({ body: JSON.parse(String(bytes)) })))
  const response = await post(server.url, eventText('1'))
  assert.equal(response.status, 500)
  for (const words of [await response.text(), JSON.stringify(log)]) assert.match(words, /raw body is needed.*no body parser/)
  assert.deepEqual(
    log.map(({ msg }) => msg),
    ['failed'],
  )
  assert.deepEqual(events, [])
})

test('without a log option, failures go to the console', async (t) => {
  const printed = t.mock.method(console, 'error', () => {})
  const { node } = recording({ log: undefined })
  await using server = await listen(parsing(node, (bytes) => ({ body: JSON.parse(String(bytes)) })))
  await post(server.url, eventText('1'))
  assert.match(String(printed.mock.calls[0]?.arguments[0]), /raw body is needed/)
})

test('a body parser that keeps the raw bytes, as body or rawBody, may run before, and the limit holds', async () => {
  const keepers = [(bytes: Buffer) => ({ body: bytes }), (bytes: Buffer) => ({ rawBody: bytes, body: JSON.parse(String(bytes)) })]
  for (const keep of keepers) {
    const { node, events } = recording({ maxBodyBytes: 1000 })
    await using server = await listen(parsing(node, keep))
    assert.equal((await post(server.url, eventText('1'))).status, 200)
    assert.equal(events.length, 1)
    assert.equal((await post(server.url, eventText('2', { payload: 'x'.repeat(1000) }))).status, 413)
  }
})
