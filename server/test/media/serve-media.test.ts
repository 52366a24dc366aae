import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, readdir, readlink, truncate, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { mediaFixture } from '../stage/media-fixtures.ts'
import { type Stage, setStage } from '../stage/postern.ts'
import { startS3 } from '../stage/s3-server.ts'
import { signedInSeed } from '../stage/signed-calls.ts'
import { processed, uploadCall, uploadInSegments } from '../stage/uploads.ts'

const png = mediaFixture('photo.png')
const clip = mediaFixture('wide.mp4')

interface Got {
  status: number
  headers: Record<string, string | string[] | undefined>
  bytes: Buffer
}

/** A request as it is, with any Host header. */
function get(url: string, { method = 'GET', ...headers }: Record<string, string> & { method?: string } = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, async (answer) => {
      const bytes = Buffer.concat(await answer.toArray())
      resolve({ status: answer.statusCode!, headers: answer.headers, bytes })
    })
    sent.on('error', reject).end()
  })
}

/** Uploads a file; answers the URL that it is served by, on the listener of the stage. */
async function upload(stage: Stage, file: Buffer, type: string, more = {}): Promise<string> {
  const done = await uploadInSegments(stage, file, type, more)
  assert.equal(done.status, 200, done.text)
  const { media_id_string: id, media_key: key } = done.body
  if (done.body.processing_info) await processed(stage, id)
  const path = `/2/media/${key}`
  const { data } = (await uploadCall(stage, 'GET', path, { query: { 'media.fields': 'url,variants' } })).body
  const url = new URL(data.url ?? data.variants[0].url)
  return stage.origins.base_url + url.pathname
}

const uploadPhoto = (stage: Stage) => upload(stage, png, 'image/png')
const uploadClip = (stage: Stage) => upload(stage, clip, 'video/mp4', { media_category: 'tweet_video' })

for (const flavour of databasesOf(import.meta))
  suite(`media are served on ${flavour}`, () => {
    test('with all of their bytes, and headers that let no browser make anything else of them', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const url = await uploadPhoto(stage)
      const name = url.split('/').at(-1)!
      assert.match(url, /\/media\/3_\d+\/[\w-]{22}\.png$/)
      const { status, headers, bytes } = await get(url)
      assert.equal(status, 200)
      assert.deepEqual(bytes, png)
      const { date, connection, 'keep-alive': _, ...others } = headers
      assert.deepEqual(others, {
        'content-type': 'image/png',
        'content-length': String(png.length),
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
        'content-disposition': `inline; filename="${name}"`,
        'cross-origin-resource-policy': 'cross-origin',
        'access-control-allow-origin': '*',
        'accept-ranges': 'bytes',
        'cache-control': 'public, max-age=31536000, immutable',
        etag: `"${name}"`,
      })
      const head = await get(url, { method: 'HEAD' })
      assert.deepEqual([head.status, head.bytes.length, head.headers['content-length']], [200, 0, String(png.length)])
    })

    test('until their user is removed', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const url = await uploadPhoto(stage)
      assert.equal((await stage.operator('DELETE', '/operator/users/101')).status, 200)
      assert.equal((await get(url)).status, 404)
    })
  })

test('a range is answered with the bytes that it names', async () => {
  await using stage = await setStage({ seed: signedInSeed })
  const url = await uploadClip(stage)
  const size = clip.length
  const ranges: [string, number, number][] = [
    ['bytes=0-0', 0, 0],
    ['bytes=100-299', 100, 299],
    ['bytes=10000-', 10_000, size - 1],
    ['bytes=-50', size - 50, size - 1],
    [`bytes=5-${size + 1000}`, 5, size - 1],
  ]
  for (const [range, start, end] of ranges) {
    const { status, headers, bytes } = await get(url, { range })
    assert.equal(status, 206, range)
    assert.equal(headers['content-range'], `bytes ${start}-${end}/${size}`)
    assert.equal(headers['content-type'], 'video/mp4')
    assert.deepEqual(bytes, clip.subarray(start, end + 1))
  }
})

test('a range that begins behind the end is 416, and what is no single range of bytes is passed over', async () => {
  await using stage = await setStage({ seed: signedInSeed })
  const url = await uploadClip(stage)
  const beyond = await get(url, { range: `bytes=${clip.length}-` })
  assert.deepEqual([beyond.status, beyond.headers['content-range'], beyond.bytes.length], [416, `bytes */${clip.length}`, 0])
  assert.equal(beyond.headers['cache-control'], 'no-store')
  const many = `bytes=${Array.from({ length: 1000 }, (_, at) => `${at * 3}-${at * 3}`).join()}`
  for (const range of ['bytes=0-1,5-6', many, 'bytes=9-3', 'lines=1-2', 'bytes', 'bytes=a-b', 'bytes=--1']) {
    const { status, bytes } = await get(url, { range })
    assert.ok([200, 416].includes(status), `${range}: ${status}`)
    if (status === 200) assert.equal(bytes.length, clip.length)
  }
})

test('If-Range and If-None-Match ask whether the file is still the same', async () => {
  await using stage = await setStage({ seed: signedInSeed })
  const url = await uploadClip(stage)
  const etag = String((await get(url)).headers.etag)
  assert.equal((await get(url, { range: 'bytes=0-9', 'if-range': etag })).status, 206)
  assert.equal((await get(url, { range: 'bytes=0-9', 'if-range': '"other"' })).status, 200)
  assert.equal((await get(url, { range: 'bytes=0-9', 'if-range': 'Wed, 21 Oct 2026 07:28:00 GMT' })).status, 200)
  const known = await get(url, { 'if-none-match': `"other", W/${etag}` })
  assert.deepEqual([known.status, known.bytes.length, known.headers['content-length'], known.headers.etag], [304, 0, undefined, etag])
  assert.equal((await get(url, { 'if-none-match': '"other"' })).status, 200)
})

test('nobody guesses a URL, and a file is served by no other', async () => {
  await using stage = await setStage({ seed: signedInSeed })
  const url = await uploadPhoto(stage)
  const other = await uploadPhoto(stage)
  const [folder, name] = [url.slice(0, url.lastIndexOf('/')), other.split('/').at(-1)!]
  const guesses = [folder, `${folder}/`, `${folder}/original`, `${folder}/a.png`, `${folder}/${name}`, url.replace(/png$/, 'jpg')]
  for (const guess of [
    ...guesses,
    `${stage.origins.base_url}/media/..%2f..%2fpostern.db/a.png`,
    `${folder}/%2e%2e.png`,
    `${folder}/__proto__`,
  ])
    assert.equal((await get(guess)).status, 404, guess)
  const wrong = await get(`${folder}/${name}`)
  assert.match(wrong.bytes.toString(), /"There is no such media: they were deleted, or the URL is not whole: \/media\//)
  assert.equal(wrong.headers['access-control-allow-origin'], '*')
  const posted = await get(url, { method: 'POST' })
  assert.deepEqual([posted.status, posted.headers.allow], [405, 'GET, HEAD'])
})

test('SVG and HTML are not taken in, and not served from a row that names them', async () => {
  const page = '<!doctype html><script>alert(1)</script>'
  const named = (key: string, ending: string) => ({ media_key: key, type: 'photo', url: `http://127.0.0.1/media/${key}/a.${ending}` })
  const media = [named('3_1', 'html'), named('3_2', 'svg')]
  await using stage = await setStage({ seed: { ...signedInSeed, media } })
  for (const [body, type] of [
    [page, 'image/png'],
    ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/png'],
  ] as const)
    assert.equal((await uploadInSegments(stage, Buffer.from(body), type)).status, 400)
  for (const { url } of media) assert.equal((await get(stage.origins.base_url + new URL(url).pathname)).status, 404)
})

test('an origin of its own serves media and nothing else', async () => {
  await using stage = await setStage({ seed: signedInSeed, environment: { POSTERN_MEDIA_BASE_URL: 'http://media.test' } })
  const done = await uploadInSegments(stage, png, 'image/png')
  const { data } = (await uploadCall(stage, 'GET', `/2/media/${done.body.media_key}`, { query: { 'media.fields': 'url' } })).body
  assert.equal(new URL(data.url).origin, 'http://media.test')
  const path = new URL(data.url).pathname
  const here = stage.origins.base_url
  assert.deepEqual((await get(here + path, { host: 'media.test' })).bytes, png)
  assert.equal((await get(here + path, { host: 'MEDIA.test:8080', range: 'bytes=0-0' })).status, 206)
  assert.deepEqual((await get(here + path, { 'x-forwarded-host': 'media.test' })).bytes, png)
  assert.equal((await get(here + path)).status, 404)
  for (const other of [
    '/2/media/3_1',
    '/openapi.json',
    '/docs',
    '/oauth/authenticate',
    '/1.1/media/upload.json',
    '/operator/users',
    '/metrics',
  ])
    assert.equal((await get(here + other, { host: 'media.test' })).status, 404, other)
  assert.equal((await get(`${here}/openapi.json`)).status, 200)
})

test('media in S3 are uploaded, served in part, and 503 while it is away', async () => {
  await using s3 = await startS3()
  await using stage = await setStage({ seed: signedInSeed, environment: { POSTERN_MEDIA_STORE: s3.store } })
  const url = await uploadClip(stage)
  const { status, headers, bytes } = await get(url, { range: 'bytes=100-299' })
  assert.deepEqual([status, headers['content-range']], [206, `bytes 100-299/${clip.length}`])
  assert.deepEqual(bytes, clip.subarray(100, 300))
  assert.deepEqual((await get(url)).bytes, clip)
  const head = await get(url, { method: 'HEAD' })
  assert.deepEqual([head.status, head.headers['content-length']], [200, String(clip.length)])
  await s3.close()
  const away = await get(url)
  assert.deepEqual([away.status, away.headers['retry-after']], [503, '1'])
  assert.match(away.bytes.toString(), /The store of media is unavailable/)
})

/** Media of this many bytes, which are all zero and take no room on the disk. */
async function serveZeros(stage: Stage, key: string, bytes: number) {
  const folder = join(stage.mediaFolder, 'media', key)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'original'), '')
  await truncate(join(folder, 'original'), bytes)
}

const openFiles = async (name: string) => {
  const links = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''))
  return (await Promise.all(links)).filter((path) => path.endsWith(name)).length
}

const MiB = 1024 * 1024

test('clients that do not read cost no memory, and leave nothing open when they leave', {
  skip: process.platform !== 'linux',
}, async () => {
  const url = 'http://127.0.0.1/media/7_1/AAAAAAAAAAAAAAAAAAAAAA.mp4'
  const media = [{ media_key: '7_1', type: 'video', url }]
  await using stage = await setStage({ seed: { ...signedInSeed, media } })
  await serveZeros(stage, '7_1', 512 * MiB)
  const before = process.memoryUsage().rss
  const clients = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const socket = connect(Number(new URL(stage.origins.base_url).port), '127.0.0.1')
      socket.write(`GET ${new URL(url).pathname} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
      await once(socket, 'readable')
      return socket
    }),
  )
  assert.equal(await openFiles('7_1/original'), 20)
  assert.ok(process.memoryUsage().rss - before < 100 * MiB, `${(process.memoryUsage().rss - before) / MiB} MiB`)
  for (const client of clients) client.destroy()
  await stage.until(async () => (await openFiles('7_1/original')) === 0)
})

test('a file that is shorter than its answer cuts the connection', async () => {
  const url = 'http://127.0.0.1/media/7_1/AAAAAAAAAAAAAAAAAAAAAA.mp4'
  await using stage = await setStage({ seed: { ...signedInSeed, media: [{ media_key: '7_1', type: 'video', url }] } })
  await serveZeros(stage, '7_1', 64 * MiB)
  const { port } = new URL(stage.origins.base_url)
  const answer = await fetch(`http://127.0.0.1:${port}${new URL(url).pathname}`)
  await truncate(join(stage.mediaFolder, 'media/7_1/original'), MiB)
  await assert.rejects(answer.arrayBuffer())
  assert.equal((await get(`${stage.origins.base_url}/livez`)).status, 200)
})
