import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { pino } from 'pino'
import { createThreadSender, placeOf, type ThreadSenderOptions } from '../../../src/delivery/send-threads/thread-sender.ts'
import { createClock } from '../../../src/lib/clock.ts'
import { startCallback } from '../../stage/callback-servers.ts'
import { failed, get, post, soon } from '../../stage/sending.ts'

/** A sender with threads that may reach loopback, the threads that it has started, and its log. */
function threadSender(options: Partial<ThreadSenderOptions> = {}) {
  const threads: Worker[] = []
  const lines: { msg: string; restart_in_ms?: number }[] = []
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const keep = (thread: Worker) => void threads.push(thread)
  process.on('worker', keep)
  const clock = createClock()
  const sender = createThreadSender({ clock, allow: ['127.0.0.0/8'], refuse: () => [], threads: 1, logger, ...options })
  const dispose = async () => {
    await sender.close()
    process.off('worker', keep)
  }
  return { ...sender, threads, lines, [Symbol.asyncDispose]: dispose }
}

/** Ends the thread that was started so many times after the first, once it runs. */
async function endThread({ threads }: { threads: Worker[] }, at: number) {
  await soon(() => threads.length > at)
  const thread = threads[at]!
  await once(thread, 'online')
  await thread.terminate()
}

const THREAD_ENDED = 'the thread of Postern that sent the request has ended before an answer came'

test('each callback URL has one thread, and several have several', async () => {
  await using callback = await startCallback((_request, response) => response.end('ok'))
  await using sender = threadSender({ threads: 2 })
  const paths = Array.from({ length: 16 }, (_, n) => `${callback.origin}/hooks/${n}`)
  for (const path of paths) await sender.send(post(path))
  assert.equal(callback.connections(), 2)
  for (const path of paths) await sender.send(get(`${path}?crc_token=a&nonce=b`))
  assert.equal(callback.connections(), 2)
})

test('callback URLs are spread evenly over threads, however little they differ', () => {
  const places = Array.from({ length: 4000 }, (_, n) => placeOf(`https://hooks.example.com/postern/${n}`, 4))
  const hosts = Array.from({ length: 4000 }, (_, n) => placeOf(`https://tenant-${n}.example.com/hook`, 4))
  for (const spread of [places, hosts])
    for (const place of [0, 1, 2, 3]) {
      const count = spread.filter((one) => one === place).length
      assert.ok(count > 800 && count < 1200, `${count} of 4,000 have place ${place}`)
    }
})

test('each of many concurrent requests is sent with its own body, and has its own outcome', async () => {
  await using callback = await startCallback((request, response) => response.end(request.body))
  await using sender = threadSender({ threads: 2 })
  const bodies = Array.from({ length: 200 }, (_, n) => Buffer.from(`${'ä'.repeat(n)} ${n}`))
  const outcomes = await Promise.all(bodies.map((body, n) => sender.send(post(`${callback.origin}/${n}`, body))))
  for (const [n, outcome] of outcomes.entries()) {
    assert.ok(outcome.kind === 'answered')
    assert.deepEqual(outcome.body, bodies[n])
  }
})

test('an empty body is sent with its length, and none without', async () => {
  await using callback = await startCallback((_request, response) => response.end())
  await using sender = threadSender()
  await sender.send(post(callback.origin, Buffer.alloc(0)))
  await sender.send(get(callback.origin))
  assert.deepEqual(
    callback.requests.map(({ headers }) => headers['content-length']),
    ['0', undefined],
  )
})

test('a deadline ends a request in its thread', async () => {
  await using callback = await startCallback(() => {})
  await using sender = threadSender()
  const outcome = await sender.send(get(callback.origin, { timeoutMs: 300 }))
  failed(outcome, 'timeout', /^timed out after 300 ms while waiting for the answer's headers from 127\.0\.0\.1:\d+$/)
  await callback.closed()
})

test('a listener of Postern that is new is refused by every thread, and allowed once it is gone', async () => {
  const own: { address: string; port: number }[] = []
  await using callback = await startCallback((_request, response) => response.end('ok'))
  await using sender = threadSender({ threads: 2, refuse: () => own })
  own.push({ address: '0.0.0.0', port: callback.port })
  const paths = Array.from({ length: 8 }, (_, n) => `${callback.origin}/${n}`)
  for (const path of paths) failed(await sender.send(get(path)), 'address_not_allowed', /where Postern itself listens/)
  assert.equal(callback.connections(), 0)
  own.pop()
  for (const path of paths) assert.equal((await sender.send(get(path))).kind, 'answered')
})

test('a request whose body is streamed is sent by the calling thread', async () => {
  await using callback = await startCallback((_request, response) => response.end('streamed'))
  await using sender = threadSender()
  const pieces: Buffer[] = []
  const receiver = { maxBytes: 1000, head: () => true, piece: (bytes: Buffer) => pieces.push(Buffer.from(bytes)) > 0 }
  assert.equal((await sender.send(get(callback.origin, { receiver }))).kind, 'answered')
  assert.equal(Buffer.concat(pieces).toString(), 'streamed')
})

test('closing ends requests in flight, those not yet sent and all later ones as shutting down', async () => {
  await using callback = await startCallback(() => {})
  await using sender = threadSender({ threads: 2 })
  const inFlight = [1, 2, 3].map((n) => sender.send(post(`${callback.origin}/${n}`)))
  await callback.received(3)
  const notSent = sender.send(post(callback.origin))
  const closed = sender.close()
  for (const sending of [...inFlight, notSent, sender.send(post(callback.origin))])
    failed(await sending, 'shutting_down', 'Postern is shutting down')
  await closed
  assert.equal(callback.requests.length, 3)
  assert.deepEqual(sender.lines, [])
})

test('when a thread ends its deliveries fail, and it starts again', async () => {
  let isHanging = true
  await using callback = await startCallback((_request, response) => void (isHanging || response.end('ok')))
  let failures = 0
  const threadFailed = () => {
    failures += 1
  }
  await using sender = threadSender({ threadFailed })
  const inFlight = sender.send(post(callback.origin))
  await callback.received(1)
  isHanging = false
  await sender.threads[0]!.terminate()
  failed(await inFlight, 'connection_lost', THREAD_ENDED)
  assert.equal((await sender.send(post(callback.origin))).kind, 'answered')
  assert.deepEqual(
    sender.lines.map(({ msg, restart_in_ms }) => [msg, restart_in_ms]),
    [['a sender thread has ended: its requests have failed, and it starts again', 0]],
  )
  assert.deepEqual([sender.threads.length, failures], [2, 1])
  await sender.close()
  assert.equal(failures, 1, 'a thread that is closed has not failed')
})

test('when a thread ends its challenges are sent once more', async () => {
  await using callback = await startCallback((_request, response) => void (callback.requests.length > 1 && response.end('ok')))
  await using sender = threadSender()
  const challenge = sender.send(get(callback.origin))
  await callback.received(1)
  await sender.threads[0]!.terminate()
  assert.equal((await challenge).kind, 'answered')
  assert.equal(callback.requests.length, 2)
})

test('a challenge whose thread ends twice fails', async () => {
  await using callback = await startCallback(() => {})
  await using sender = threadSender()
  const challenge = sender.send(get(callback.origin))
  await callback.received(1)
  await sender.threads[0]!.terminate()
  await callback.received(2)
  await sender.threads[1]!.terminate()
  failed(await challenge, 'connection_lost', THREAD_ENDED)
})

test('a thread that ends again and again starts later each time, and what is sent meanwhile waits for it', async () => {
  const watchClock = createClock()
  await using callback = await startCallback((_request, response) => response.end('ok'))
  await using sender = threadSender({ watchClock })
  for (const [times, delayMs] of [0, 100, 200, 400, 800, 1600, 3200, 5000, 5000].entries()) {
    await endThread(sender, times)
    watchClock.advance(delayMs)
  }
  assert.deepEqual(
    sender.lines.map(({ restart_in_ms }) => restart_in_ms),
    [0, 100, 200, 400, 800, 1600, 3200, 5000, 5000],
  )
  assert.equal((await sender.send(post(callback.origin))).kind, 'answered')
  const last = sender.threads.at(-1)!
  watchClock.advance(60_000)
  await last.terminate()
  assert.equal(sender.lines.at(-1)!.restart_in_ms, 0)
})

test('a thread that is far later than its deadlines is ended, and starts again', async () => {
  const watchClock = createClock()
  let isHanging = true
  await using callback = await startCallback((_request, response) => void (isHanging || response.end('ok')))
  await using sender = threadSender({ watchClock })
  const inFlight = sender.send({ ...post(callback.origin), timeoutMs: 10_000 })
  await callback.received(1)
  isHanging = false
  watchClock.advance(21_000)
  failed(await inFlight, 'connection_lost', THREAD_ENDED)
  assert.equal((await sender.send(post(callback.origin))).kind, 'answered')
  assert.equal(sender.lines[0]!.msg, 'a sender thread does not respond: it is ended')
})

test('a thread that is closed while it waits to start again does not start', async () => {
  const watchClock = createClock()
  const sender = threadSender({ watchClock })
  await endThread(sender, 0)
  await endThread(sender, 1)
  const waiting = sender.send(post('http://127.0.0.1:9/'))
  await sender[Symbol.asyncDispose]()
  failed(await waiting, 'shutting_down', 'Postern is shutting down')
  watchClock.advance(60_000)
  assert.equal(sender.threads.length, 2)
})
