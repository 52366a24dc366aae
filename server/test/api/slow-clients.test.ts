import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openWith, startBareHost, untilClosed } from '../stage/hostile/bare-host.ts'
import { checkAnswer } from '../stage/hostile/check-answer.ts'
import { watchConnections } from '../stage/hostile/watch-connections.ts'

const HEAD = 'GET /2/echo HTTP/1.1\r\nHost: a\r\n'
const healthy = async (origin: string) => assert.equal((await fetch(`${origin}/2/echo`)).status, 200)

/** Timeouts so short that a test can wait for them. */
const SHORT = { headersTimeoutMs: 100, requestTimeoutMs: 200, checkIntervalMs: 20 }

/** Sends one byte after the other, each as soon as the one before is out and a moment has passed, until the connection closes. */
function trickle(origin: string, begin: string, byte: string) {
  const socket = openWith(origin, begin)
  const timer = setInterval(() => socket.writable && socket.write(byte), 10)
  socket.once('close', () => clearInterval(timer))
  return socket
}

test('a client that sends nothing, or a header or body byte by byte, is answered with 408 and closed while others are served', async () => {
  await using host = await startBareHost(SHORT)
  const slow = [
    openWith(host.origin),
    trickle(host.origin, 'GET / HTTP/1.1\r\nX: ', 'a'),
    trickle(host.origin, HEAD, 'x: y\r\n'),
    trickle(host.origin, 'POST /2/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n', '{'),
    trickle(host.origin, 'POST /2/echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\na\r\n'),
  ].map(untilClosed)
  await healthy(host.origin)
  for (const answers of await Promise.all(slow)) {
    assert.deepEqual(
      answers.map(({ status }) => status),
      [408],
    )
    checkAnswer(answers[0]!, false)
  }
})

test('a connection on which no byte came is not recorded, and one of half a request is', async () => {
  await using host = await startBareHost(SHORT)
  assert.equal((await untilClosed(openWith(host.origin)))[0]!.status, 408)
  assert.deepEqual(host.recorded, [])
  assert.equal((await untilClosed(openWith(host.origin, HEAD)))[0]!.status, 408)
  assert.deepEqual(host.recorded, ['? ? 408'])
})

test('a slow second request is ended like a first, and after a pause the connection is closed without a response', async () => {
  await using host = await startBareHost({ ...SHORT, keepAliveTimeoutMs: 150 })
  const [slow, idle] = await Promise.all([
    untilClosed(trickle(host.origin, `${HEAD}\r\n${HEAD}`, 'x: y\r\n')),
    untilClosed(openWith(host.origin, `${HEAD}\r\n`)),
  ])
  assert.deepEqual(
    [slow, idle].map((answers) => answers.map(({ status }) => status)),
    [[200, 408], [200]],
  )
})

test('a client that does not read has one request served at a time, and is closed', async () => {
  using connections = watchConnections()
  await using host = await startBareHost({ stalledTimeoutMs: 200 })
  const client = openWith(host.origin, 'GET /2/large HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1000)).pause()
  const served = await connections.first
  if (!served.closed) await once(served, 'close')
  assert.ok(host.served() <= 10, `${host.served()} were served`)
  client.destroy()
})

test('an answer that takes longer than a client may stand still is waited for, and then a client that does not read is closed', async () => {
  let finish = (_value: unknown) => {}
  await using host = await startBareHost({ stalledTimeoutMs: 200 }, new Promise((resolve) => (finish = resolve)))
  const held = 'GET /2/held HTTP/1.1\r\nHost: a\r\n\r\n'
  const last = `${HEAD}Connection: close\r\n\r\n`
  const answers = [held.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'), held + last].map((sent) =>
    untilClosed(openWith(host.origin, sent)),
  )
  const large = 'GET /2/large HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(100)
  while (host.served() < 2) await setImmediate()
  using firstToLate = watchConnections()
  const late = openWith(host.origin, held + large).pause()
  const lateServed = await firstToLate.first
  while (host.served() < 3) await setImmediate()
  using connections = watchConnections()
  const client = openWith(host.origin, large).pause()
  const served = await connections.first
  if (!served.closed) await once(served, 'close')
  assert.equal(lateServed.closed, false)
  finish('done')
  assert.deepEqual(
    (await Promise.all(answers)).map((all) => all.map(({ status }) => status)),
    [[200], [200, 200]],
  )
  if (!lateServed.closed) await once(lateServed, 'close')
  late.destroy()
  client.destroy()
})

test('a hundred requests of a connection wait for the answer before theirs, and one more ends it', async () => {
  let finish = (_value: unknown) => {}
  await using host = await startBareHost({}, new Promise((resolve) => (finish = resolve)))
  const held = 'GET /2/held HTTP/1.1\r\nHost: a\r\n\r\n'
  assert.deepEqual(await untilClosed(openWith(host.origin, held + `${HEAD}\r\n`.repeat(101))), [])
  const answers = untilClosed(openWith(host.origin, `${held}${`${HEAD}\r\n`.repeat(99)}${HEAD}Connection: close\r\n\r\n`))
  while (host.served() < 2) await setImmediate()
  finish('done')
  assert.deepEqual(
    (await answers).map(({ status }) => status),
    Array.from({ length: 101 }, () => 200),
  )
})

test('a client that goes on sending a body that is refused has the whole answer', async () => {
  await using host = await startBareHost({ lingerMs: 60_000 })
  for (const [path, status] of [
    ['/2/echo', 413],
    ['/2/nothing', 404],
  ] as const) {
    const errors: Error[] = []
    const socket = openWith(host.origin, `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 20000000\r\n\r\n`)
    socket.on('error', (error) => errors.push(error))
    const answers = untilClosed(socket)
    for (let sent = 0; sent < 20_000_000; sent += 200_000) {
      if (!socket.write(Buffer.alloc(200_000, 'x'))) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
    }
    assert.deepEqual(
      (await answers).map((answer) => [answer.status, answer.headers.connection]),
      [[status, 'close']],
    )
    assert.deepEqual(errors, [])
  }
})

test('1,000 idle connections do not block others, and one beyond the limit is closed at once', async () => {
  const connections = 1000
  await using host = await startBareHost({ connections: connections + 1 })
  const idle = Array.from({ length: connections }, () => openWith(host.origin))
  await Promise.all(idle.map((socket) => once(socket, 'connect')))
  const last = openWith(host.origin, `${HEAD}\r\n`)
  await once(last, 'data')
  assert.deepEqual(await untilClosed(openWith(host.origin, `${HEAD}\r\n`)), [])
  idle.pop()!.destroy()
  last.write(`${HEAD}\r\n`)
  await once(last, 'data')
  for (const socket of [...idle, last]) socket.destroy()
})

test('closing a listener finishes requests in flight, and closes hanging ones', async () => {
  let finish = (_value: unknown) => {}
  const host = await startBareHost({ drainMs: 300 }, new Promise((resolve) => (finish = resolve)))
  const hanging = [
    openWith(host.origin),
    openWith(host.origin, HEAD),
    openWith(host.origin, 'POST /2/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n{'),
  ]
  const unread = openWith(host.origin, 'GET /2/large HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20)).pause()
  const inFlight = untilClosed(openWith(host.origin, 'GET /2/held HTTP/1.1\r\nHost: a\r\n\r\n'))
  await healthy(host.origin)
  while (host.served() < 3) await healthy(host.origin)
  const closed = host.close()
  finish('done')
  const [answer] = await inFlight
  assert.equal(answer!.body.toString(), '"done"')
  await closed
  await Promise.all(hanging.map((socket) => socket.destroyed || once(socket.resume(), 'close')))
  unread.destroy()
})
