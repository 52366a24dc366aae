import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import { openMediaFiles } from '../../src/storage/media-files/open-media-files.ts'
import { readS3Place } from '../../src/storage/media-files/s3-place.ts'
import { isUnavailable } from '../../src/storage/unavailable.ts'
import { pause } from '../stage/pause.ts'
import { startS3 } from '../stage/s3-server.ts'

const MiB = 1024 * 1024
const ALL = { maxBytes: Number.POSITIVE_INFINITY }

const open = (store: string, log?: Parameters<typeof openMediaFiles>[2]) => openMediaFiles(store, createClock(), log)

async function* pieces(length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < length; at += MiB) yield Buffer.alloc(Math.min(MiB, length - at))
}

test('parts of a write that was cut off are swept once they are old', async () => {
  await using s3 = await startS3()
  const clock = createClock()
  const files = openMediaFiles(s3.store, clock)
  await files.write('segments/0', pieces(1), ALL)
  const before = await s3.files()
  // The writer waits for bytes that never come, as one whose process died.
  async function* endless() {
    yield* pieces(20 * MiB)
    await new Promise(() => {})
  }
  void files.write('segments/1', endless(), ALL).catch(() => {})
  while (!(await s3.files()).includes('2')) await pause()
  await files.sweep()
  assert.notEqual((await s3.files()).length, before.length)
  clock.setOffset(61 * 60_000)
  await files.sweep()
  assert.deepEqual(await s3.files(), before)
})

test('clients that do not read keep nobody else from the store', async () => {
  await using s3 = await startS3()
  const files = open(s3.store)
  await files.write('big', pieces(4 * MiB), ALL)
  const held = await Promise.all(Array.from({ length: 60 }, () => files.read('big', undefined, { forClient: true })))
  const own = await files.read('big', { start: 0, end: 9 })
  assert.equal((await own!.stream.toArray()).length, 1)
  assert.deepEqual(await files.write('small', pieces(10), ALL), { size: 10 })
  for (const file of held) file!.stream.destroy()
})

test('writes of others to the same bucket are not swept', async () => {
  await using s3 = await startS3()
  const clock = createClock()
  const files = openMediaFiles(s3.store, clock)
  async function* endless() {
    yield* pieces(20 * MiB)
    await new Promise(() => {})
  }
  void files.write('somebody/else', endless(), ALL).catch(() => {})
  while (!(await s3.files()).includes('2')) await pause()
  clock.setOffset(61 * 60_000)
  await files.sweep()
  assert.ok((await s3.files()).includes('2'))
})

test('while the server is away, calls say so, and the operator reads why', async () => {
  const s3 = await startS3()
  await using _ = s3
  const lines: unknown[] = []
  const error = (detail: object, message: string) => void lines.push([message, detail])
  const files = open(s3.store, { info() {}, warn() {}, error })
  await files.write('file', pieces(100), ALL)
  await s3.close()
  for (const call of [
    () => files.read('file'),
    () => files.size('file'),
    () => files.write('file', pieces(100), ALL),
    () => files.write('file', pieces(10 * MiB), ALL),
    () => files.join('other', ['file']),
    () => files.remove(['file']),
    () => files.list(''),
    () => files.sweep(),
  ])
    await assert.rejects(call(), (thrown) => {
      assert.ok(isUnavailable(thrown))
      assert.equal((thrown as Error).message, 'The store of media is unavailable. Nothing was changed; retry in a moment.')
      return true
    })
  assert.equal(lines.length, 1)
  assert.match(JSON.stringify(lines), /the store of media s3:\/\/media-of-tests cannot be used.*ECONNREFUSED/)
})

test('a server that never answers is given up after 45 s, before a proxy gives up Postern', async () => {
  const accepted: Socket[] = []
  const server = createServer((socket) => void accepted.push(socket.on('error', () => {})))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    const lines: unknown[] = []
    const clock = createClock()
    const store = `s3://silent?endpoint=http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const files = openMediaFiles(store, clock, { info() {}, warn() {}, error: (detail) => void lines.push(detail) })
    const settled: unknown[] = []
    const reading = files.read('file').catch((error) => void settled.push(error))
    while (accepted.length === 0) await pause()
    clock.advance(44_000)
    await pause()
    assert.deepEqual(settled, [])
    clock.advance(1_000)
    await reading
    assert.ok(isUnavailable(settled[0]), String(settled[0]))
    assert.match(JSON.stringify(lines), /"code":"ETIMEDOUT","message":"no answer within 45 s"/)
  } finally {
    for (const socket of accepted) socket.destroy()
    server.close()
  }
})

test('a large file is given up as soon as one of its parts is', async () => {
  const asked: string[] = []
  const created = '<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>'
  // Begins each upload in parts, and answers nothing else.
  const server = createHttpServer(({ method, url }, response) => {
    asked.push(`${method} ${url}`)
    if (method === 'POST') response.setHeader('content-type', 'application/xml').end(created)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    const clock = createClock()
    const files = openMediaFiles(`s3://silent?endpoint=http://127.0.0.1:${(server.address() as AddressInfo).port}`, clock)
    const writing = assert.rejects(files.write('file', pieces(10 * MiB), ALL), isUnavailable)
    while (asked.length < 2) await pause()
    clock.advance(45_000)
    await writing
    while (asked.length < 3) await pause()
    assert.deepEqual(
      asked.map((one) => one.split(' ', 1)[0]),
      ['POST', 'PUT', 'DELETE'],
    )
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('calls and bodies that are under way end with a signal, whatever the server does, and are no outage', async () => {
  const asked: string[] = []
  // Answers the beginning of an object, and nothing else.
  const server = createHttpServer(({ method, url }, response) => {
    asked.push(`${method} ${url}`)
    if (url?.includes('/begun')) response.writeHead(200, { 'content-length': 100 }).write('a part')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    const lines: unknown[] = []
    const error = (detail: object) => void lines.push(detail)
    const store = `s3://silent?endpoint=http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const stopping = new AbortController()
    const files = open(store, { info() {}, warn() {}, error }).until(stopping.signal)
    const begun = await files.read('begun')
    const reason = new Error('it stops')
    const ended = [
      begun!.stream.toArray(),
      files.join('one', ['part']),
      files.join('two', ['begun', 'begun']),
      files.write('small', pieces(100), ALL),
      files.list('media/'),
    ].map((underWay) => assert.rejects(underWay, reason))
    while (asked.length < 5) await pause()
    stopping.abort(reason)
    await Promise.all([...ended, assert.rejects(files.size('later'), reason)])
    assert.deepEqual([asked.length, lines], [5, []])
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('a bucket that does not exist is named to the operator', async () => {
  await using s3 = await startS3()
  const lines: unknown[] = []
  const files = open(s3.missing, { info() {}, warn() {}, error: (detail, message) => void lines.push([message, detail]) })
  await assert.rejects(files.write('file', pieces(100), ALL), isUnavailable)
  await assert.rejects(files.read('file'), isUnavailable)
  assert.match(JSON.stringify(lines), /s3:\/\/no-such-bucket cannot be used.*NoSuchBucket/)
})

test('the place of a store is read, or refused with its form', () => {
  assert.deepEqual(readS3Place('s3://my-bucket'), { bucket: 'my-bucket', prefix: '', region: 'us-east-1' })
  assert.deepEqual(readS3Place('s3://my-bucket/a/b/?endpoint=https://s3.example.com:9000/&region=eu-central-1'), {
    bucket: 'my-bucket',
    prefix: 'a/b/',
    endpoint: 'https://s3.example.com:9000',
    region: 'eu-central-1',
  })
  for (const wrong of [
    's3:',
    's3://',
    's3://B/',
    's3://me:secret@my-bucket',
    's3://my-bucket/.hidden',
    's3://my-bucket?endpont=https://a',
    's3://my-bucket?endpoint=ftp://a',
    's3://my-bucket?endpoint=https://me:secret@a',
  ])
    assert.throws(() => readS3Place(wrong), Error, wrong)
})
