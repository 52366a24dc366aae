import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { setStage } from '../stage/postern.ts'

/** Asks without the headers that `fetch` adds, and decodes nothing. */
async function get(url: string, headers: Record<string, string> = {}, method = 'GET') {
  const sent = request(url, { method, agent: false, headers }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) }
}

const paths = ['/openapi.json', '/docs', '/docs/webhooks', '/docs/objects']

const STRONG = /^"[\w-]{22,40}"$/

test('the description and its pages have a strong ETag, which stays, and 304 answers a client that has it', async () => {
  await using stage = await setStage()
  for (const path of paths) {
    const url = stage.origins.base_url + path
    const first = await get(url)
    const etag = first.headers.etag!
    assert.match(etag, STRONG, path)
    assert.equal((await get(url)).headers.etag, etag, path)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*'])
      for (const method of ['GET', 'HEAD']) {
        const again = await get(url, { 'if-none-match': known }, method)
        assert.deepEqual([again.status, again.body.length, again.headers.etag], [304, 0, etag], `${method} ${path} ${known}`)
        assert.equal(again.headers['content-length'], undefined)
      }
    assert.equal((await get(url, { 'if-none-match': '"other"' })).status, 200)
  }
  const etags = await Promise.all(paths.map(async (path) => (await get(stage.origins.base_url + path)).headers.etag))
  assert.equal(new Set(etags).size, paths.length)
})

test('they are compressed for clients that take gzip, with an ETag of their own, and are the same bytes once unpacked', async () => {
  await using stage = await setStage()
  for (const path of paths) {
    const url = stage.origins.base_url + path
    const plain = await get(url)
    assert.equal(plain.headers['content-encoding'], undefined)
    const packed = await get(url, { 'accept-encoding': 'br, gzip;q=0.8' })
    assert.deepEqual([packed.status, packed.headers['content-encoding'], packed.headers.vary], [200, 'gzip', 'accept-encoding'])
    assert.equal(packed.headers['content-type'], plain.headers['content-type'])
    assert.equal(Number(packed.headers['content-length']), packed.body.length)
    assert.ok(packed.body.length * 3 < plain.body.length, `${path}: ${packed.body.length} of ${plain.body.length} bytes`)
    assert.ok(gunzipSync(packed.body).equals(plain.body))
    const etag = packed.headers.etag!
    assert.match(etag, STRONG)
    assert.notEqual(etag, plain.headers.etag)
    for (const encodings of ['gzip', '']) {
      const again = await get(url, { 'accept-encoding': encodings, 'if-none-match': etag })
      assert.deepEqual([again.status, again.headers.etag, again.headers['content-encoding']], [304, etag, undefined])
    }
    const head = await get(url, { 'accept-encoding': 'gzip' }, 'HEAD')
    assert.deepEqual([head.headers['content-length'], head.body.length], [packed.headers['content-length'], 0])
  }
})

test('they are not compressed for clients that refuse gzip or would rather not', async () => {
  await using stage = await setStage()
  const coded = async (encodings: string) =>
    (await get(`${stage.origins.base_url}/docs`, { 'accept-encoding': encodings })).headers['content-encoding']
  for (const encodings of ['', 'br', 'identity', 'gzip;q=0', 'gzip; q=0.0, br', '*;q=0', 'identity, gzip;q=0.5', 'gzip;q=a', 'gzip;q=0, *'])
    assert.equal(await coded(encodings), undefined, encodings)
  for (const encodings of ['gzip', 'GZIP', 'deflate, gzip', '*', 'gzip;q=0.1', 'identity;q=0.5, gzip'])
    assert.equal(await coded(encodings), 'gzip', encodings)
})
