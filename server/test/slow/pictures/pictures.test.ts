import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const MAIN = resolve(import.meta.dirname, 'main.ts')
const MAX_BYTES = 120_000
const MAX_BYTES_OF_ALL = 400_000

/** The size of a WebP, from its header: of the extended format, or of the lossy one. */
function sizeOf(picture: Buffer): { width: number; height: number } {
  assert.equal(picture.toString('latin1', 0, 4) + picture.toString('latin1', 8, 12), 'RIFFWEBP')
  if (picture.toString('latin1', 12, 16) === 'VP8X') return { width: picture.readUIntLE(24, 3) + 1, height: picture.readUIntLE(27, 3) + 1 }
  assert.equal(picture.toString('latin1', 12, 16), 'VP8 ')
  return { width: picture.readUInt16LE(26) & 0x3fff, height: picture.readUInt16LE(28) & 0x3fff }
}

test('`npm run pictures` takes four pictures of the console, light and dark of one size, small enough for a page', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-pictures-'))
  try {
    await promisify(execFile)(process.execPath, [MAIN, folder], { env: { ...process.env, NODE_TEST_CONTEXT: undefined } })
    assert.deepEqual((await readdir(folder)).sort(), ['feed-dark.webp', 'feed-light.webp', 'way-dark.webp', 'way-light.webp'])
    const read = (name: string) => readFile(join(folder, `${name}.webp`))
    const [feedDark, feedLight, wayDark, wayLight] = await Promise.all(['feed-dark', 'feed-light', 'way-dark', 'way-light'].map(read))
    const feed = sizeOf(feedLight!)
    assert.equal(feed.width, 1280)
    assert.ok(feed.height >= 800 && feed.height < 1000, `${feed.height} pixels`)
    assert.deepEqual(sizeOf(feedDark!), feed)
    const { width, height } = sizeOf(wayLight!)
    assert.equal(width, 960)
    assert.ok(height > 1000 && height < 2200, `${height} pixels`)
    assert.deepEqual(sizeOf(wayDark!), { width, height })
    assert.notDeepEqual(feedLight, feedDark)
    const bytes = [feedDark, feedLight, wayDark, wayLight].map((picture) => picture!.length)
    assert.ok(Math.max(...bytes) < MAX_BYTES, `${bytes}`)
    assert.ok(bytes.reduce((sum, size) => sum + size) < MAX_BYTES_OF_ALL, `${bytes}`)
  } finally {
    await rm(folder, { recursive: true })
  }
})
