import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import { openMediaFiles } from '../../src/storage/media-files/open-media-files.ts'
import { TooLarge } from '../../src/storage/media-files.ts'
import { cases } from '../stage/cases.ts'
import { startS3 } from '../stage/s3-server.ts'

const MiB = 1024 * 1024
const ALL = { maxBytes: Number.POSITIVE_INFINITY }

const open = (store: string) => openMediaFiles(store, createClock())

/** Bytes that differ from place to place, in pieces of a length that no part is a multiple of. */
async function* pieces(length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < length; at += 65_537) yield bytesAt(at, Math.min(65_537, length - at))
}

/** A large file has three parts of 8 MiB in the slow lane, else two. */
const LARGE = cases(9, 20) * MiB

/** As many as the largest file has; made once. */
const all = Buffer.alloc(Math.max(LARGE, 12 * MiB) + MiB)
for (let at = 0; at < all.length; at += 1) all[at] = (at * 31 + (at >> 13)) & 255

const bytesAt = (start: number, length: number): Buffer => all.subarray(start, start + length)

async function contentsOf(files: ReturnType<typeof open>, key: string, range?: { start: number; end: number }) {
  const file = await files.read(key, range)
  return file && { size: file.size, bytes: Buffer.concat(await file.stream.toArray()) }
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** A new store, and what is on its disk. */
interface Started extends AsyncDisposable {
  store: string
  files(): Promise<string[]>
}

async function startFolder(): Promise<Started> {
  const store = await mkdtemp(join(tmpdir(), 'postern-media-'))
  return {
    store,
    files: async () =>
      (await readdir(store, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map(({ name }) => name),
    [Symbol.asyncDispose]: () => rm(store, { recursive: true, force: true }),
  }
}

const stores: Record<string, () => Promise<Started>> = { 'a folder': startFolder, S3: startS3 }

for (const [where, start] of Object.entries(stores))
  suite(`media in ${where}`, () => {
    test('a small file is written, read in part, replaced, listed and removed', async () => {
      await using started = await start()
      const files = open(started.store)
      assert.equal(await files.read('media/3_1/original'), undefined)
      assert.deepEqual(await files.write('media/3_1/original', pieces(1000), ALL), { size: 1000 })
      assert.deepEqual(await contentsOf(files, 'media/3_1/original'), { size: 1000, bytes: bytesAt(0, 1000) })
      assert.deepEqual([await files.size('media/3_1/original'), await files.size('media/3_2/original')], [1000, undefined])
      assert.deepEqual(await contentsOf(files, 'media/3_1/original', { start: 10, end: 19 }), { size: 1000, bytes: bytesAt(10, 10) })
      assert.deepEqual(await contentsOf(files, 'media/3_1/original', { start: 990, end: 5000 }), { size: 1000, bytes: bytesAt(990, 10) })
      assert.deepEqual(await files.write('media/3_1/original', pieces(10), ALL), { size: 10 })
      assert.equal((await contentsOf(files, 'media/3_1/original'))?.size, 10)
      await files.write('media/3_2/original', pieces(0), ALL)
      assert.deepEqual((await files.list('media/3_')).sort(), ['media/3_1/original', 'media/3_2/original'])
      assert.deepEqual(await files.list('segments/'), [])
      await files.remove(['media/3_1/original', 'media/3_9/original'])
      assert.deepEqual(await files.list(''), ['media/3_2/original'])
      assert.equal(await files.read('media/3_1/original'), undefined)
      await files.remove([])
      await files.sweep()
    })

    test('a large file is written in parts, and is the same', async () => {
      await using started = await start()
      const files = open(started.store)
      const size = LARGE + 12_345
      assert.deepEqual(await files.write('large', pieces(size), ALL), { size })
      const read = await contentsOf(files, 'large')
      assert.equal(read?.size, size)
      assert.equal(digest(read.bytes), digest(bytesAt(0, size)))
      const across = await contentsOf(files, 'large', { start: 8 * MiB - 5, end: 8 * MiB + 4 })
      assert.deepEqual(across?.bytes, bytesAt(8 * MiB - 5, 10))
    })

    test('parts are joined in their order, and stay', async () => {
      await using started = await start()
      const files = open(started.store)
      const parts = [9 * MiB, 100, 3 * MiB]
      let at = 0
      for (const [index, length] of parts.entries()) {
        await files.write(`segments/${index}`, [bytesAt(at, length)] as unknown as AsyncIterable<Uint8Array>, ALL)
        at += length
      }
      assert.deepEqual(await files.join('joined', ['segments/0', 'segments/1', 'segments/2']), { size: at })
      assert.equal(digest((await contentsOf(files, 'joined'))!.bytes), digest(bytesAt(0, at)))
      assert.deepEqual(await files.join('copied', ['segments/1']), { size: 100 })
      assert.deepEqual((await contentsOf(files, 'copied'))?.bytes, bytesAt(9 * MiB, 100))
      assert.equal((await files.list('segments/')).length, 3)
      await assert.rejects(files.join('none', ['segments/0', 'segments/missing']), /missing/)
      assert.equal(await files.read('none'), undefined)
    })

    for (const [what, length] of [
      ['a small', 2000],
      ['a large', LARGE],
    ] as const) {
      test(`${what} file that is too large, or breaks off, leaves nothing, and a former file stays`, async () => {
        await using started = await start()
        const files = open(started.store)
        await files.write('file', pieces(5), ALL)
        const before = (await started.files()).sort()
        await assert.rejects(files.write('file', pieces(length), { maxBytes: length - 1 }), TooLarge)
        async function* broken() {
          yield* pieces(length)
          throw new Error('the client left')
        }
        await assert.rejects(files.write('file', broken(), ALL), /^Error: the client left$/)
        assert.deepEqual(await contentsOf(files, 'file'), { size: 5, bytes: bytesAt(0, 5) })
        assert.deepEqual((await started.files()).sort(), before)
        assert.deepEqual(await files.write('file', pieces(length), { maxBytes: length }), { size: length })
      })
    }
  })

test('what others have in the folder of media is not listed, and removing media leaves it and the folder', async () => {
  await using started = await startFolder()
  const files = open(started.store)
  await mkdir(join(started.store, 'media/3_1'), { recursive: true })
  for (const name of ['thesis.odt', 'media/.DS_Store', 'media/3_1/holiday 1.png']) await writeFile(join(started.store, name), 'of others')
  await files.write('media/3_1/original', pieces(10), ALL)
  await files.write('segments/1', pieces(10), ALL)
  assert.deepEqual(await files.list('media/'), ['media/3_1/original'])
  await files.remove([...(await files.list('media/')), ...(await files.list('segments/'))])
  assert.deepEqual((await started.files()).sort(), ['.DS_Store', 'holiday 1.png', 'thesis.odt'])
  await rm(join(started.store, 'media'), { recursive: true })
  await rm(join(started.store, 'thesis.odt'))
  await files.write('single', pieces(10), ALL)
  await files.remove(['single'])
  assert.deepEqual((await readdir(started.store)).sort(), ['.writing', 'segments'])
})
