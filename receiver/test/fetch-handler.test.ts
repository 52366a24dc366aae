import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReceiver, type LogEntry } from '../src/index.ts'
import { eventText, SECRET, signed } from './stage/signed.ts'

const URL_ = 'https://callback.example/webhook'

function receiver(options: { maxBodyBytes?: number; bodyTimeoutMs?: number } = {}) {
  const log: LogEntry[] = []
  return { log, ...createReceiver({ secrets: [SECRET], onEvent() {}, log: (entry) => log.push(entry), ...options }) }
}

function streamed(body: ReadableStream<Uint8Array>): Request {
  const headers = { 'x-service-webhooks-signature': signed('whatever') }
  return new Request(URL_, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
}

test('an endless body is read up to the limit, then aborted: 413', async () => {
  let pulls = 0
  const cancelled = Promise.withResolvers<void>()
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      pulls += 1
      controller.enqueue(new Uint8Array(1000))
    },
    cancel: () => cancelled.resolve(),
  })
  const response = await receiver({ maxBodyBytes: 10_000 }).fetch(streamed(endless))
  assert.equal(response.status, 413)
  await cancelled.promise
  assert.ok(pulls < 20, `${pulls} chunks were read`)
})

test('a Content-Length over the limit is rejected unread', async () => {
  const untouched = new ReadableStream<Uint8Array>({ pull: () => assert.fail('was read') }, { highWaterMark: 0 })
  const request = streamed(untouched)
  request.headers.set('content-length', '10001')
  assert.equal((await receiver({ maxBodyBytes: 10_000 }).fetch(request)).status, 413)
})

test('a body that stalls is aborted at the deadline: 408', async () => {
  const cancelled = Promise.withResolvers<void>()
  const stalled = new ReadableStream<Uint8Array>({ cancel: () => cancelled.resolve() })
  assert.equal((await receiver({ bodyTimeoutMs: 20 }).fetch(streamed(stalled))).status, 408)
  await cancelled.promise
})

test('a truncated body is 400', async () => {
  const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('reset')) })
  assert.equal((await receiver().fetch(streamed(broken))).status, 400)
})

test('a body that was read before is 500, and the log and the answer say that the raw body is needed', async () => {
  const text = eventText('1')
  const request = new Request(URL_, { method: 'POST', body: text, headers: { 'x-service-webhooks-signature': signed(text) } })
  await request.json()
  const { fetch, log } = receiver()
  const response = await fetch(request)
  assert.equal(response.status, 500)
  assert.match(await response.text(), /raw body is needed/)
  assert.equal(log[0]?.msg, 'failed')
})

test('a body without a signature is not read', async () => {
  const untouched = new ReadableStream<Uint8Array>({ pull: () => assert.fail('was read') }, { highWaterMark: 0 })
  const request = streamed(untouched)
  request.headers.delete('x-service-webhooks-signature')
  assert.equal((await receiver().fetch(request)).status, 401)
})
