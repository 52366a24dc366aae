import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { suite, test } from 'node:test'
import type { Problem } from '../../src/api/declare/problem.ts'
import { beginUpload } from '../../src/endpoints/media/upload/begin-upload.ts'
import { finalizeUpload } from '../../src/endpoints/media/upload/finalize-upload.ts'
import { createReceipts } from '../../src/endpoints/media/upload/receipts.ts'
import { receiveFile, withFile } from '../../src/endpoints/media/upload/received-file.ts'
import { appendSegment } from '../../src/endpoints/media/upload/segments.ts'
import { uploadAtOnce } from '../../src/endpoints/media/upload/upload-at-once.ts'
import type { UploadServices } from '../../src/endpoints/media/upload/upload-services.ts'
import { createUploadWorker } from '../../src/endpoints/media/upload/upload-worker.ts'
import { inspectMedia } from '../../src/lib/media-inspection/inspect-media.ts'
import type { InspectMedia } from '../../src/lib/media-inspection/inspected.ts'
import { media } from '../../src/storage/content-tables.ts'
import { createMediaFolder } from '../../src/storage/media-files/folder.ts'
import { StorageFull } from '../../src/storage/media-files.ts'
import type { Flavour } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { mediaFixture } from '../stage/media-fixtures.ts'
import { pause } from '../stage/pause.ts'
import { aUser, type Opened, opened } from '../storage/samples.ts'

const png = mediaFixture('photo.png')
const jpg = mediaFixture('photo.jpg')
const DAY_MS = 86_400_000
const USER = '101'

/** Two images of one length. */
const length = Math.max(png.length, jpg.length)
const [first, second] = [png, jpg].map((image) => Buffer.concat([image, Buffer.alloc(length - image.length)])) as [Buffer, Buffer]

/** A promise that is kept from outside. */
const gate = () => Promise.withResolvers<void>()

const quiet = { info() {}, warn() {}, error() {}, debug() {} } as never

/** Services on a database and a folder, with a user. */
async function prepare(flavour: Flavour) {
  const on: Opened = await opened(flavour)
  await on.storage.users.insert(aUser({ id: USER }))
  const path = await mkdtemp(join(tmpdir(), 'postern-races-'))
  const folder = createMediaFolder(path)
  const start = Date.now()
  const time = { now: start }
  let lastId = 1000
  const services: UploadServices = {
    uploads: on.storage.uploads,
    mediaFiles: folder,
    inspectMedia,
    makePoster: async () => undefined,
    receipts: createReceipts(),
    mediaUrl: (key, type) => `http://m/media/${key}/${type.replace('/', '.')}`,
    mediaQuotaBytes: 1e9,
    ids: { next: () => String(++lastId) } as UploadServices['ids'],
    now: () => time.now,
  }
  const received = (bytes: Uint8Array) => receiveFile(USER, Readable.from([bytes]), services)
  return {
    on,
    folder,
    services,
    time,
    received,
    begin: (bytes: Uint8Array) =>
      beginUpload(USER, { totalBytes: bytes.length, mediaType: 'image/png', category: null, additionalOwners: [] }, services),
    put: async (uploadId: string, bytes: Uint8Array, index = 0) =>
      appendSegment({ userId: USER, uploadId, index }, await received(bytes), services),
    /** With other files. */
    filing: (more: Partial<UploadServices['mediaFiles']>): UploadServices => ({ ...services, mediaFiles: { ...folder, ...more } }),
    original: async (mediaKey: string) => {
      const file = await folder.read(`media/${mediaKey}/original`)
      return file && Buffer.concat(await file.stream.toArray())
    },
    widths: (mediaKey: string) => on.storage.content.rows(media, ['width'], [mediaKey]),
    /** Runs the work that is due until it is true. */
    async workUntil(isDone: () => Promise<boolean>) {
      const clock = { ...on.clock, now: () => time.now }
      const worker = createUploadWorker({ ...services, changes: on.storage.changes, clock, logger: quiet })
      worker.start()
      while (!(await isDone())) {
        worker.wake()
        await pause()
      }
      await worker.stop()
    },
    async [Symbol.asyncDispose]() {
      await on[Symbol.asyncDispose]()
      await rm(path, { recursive: true, force: true })
    },
  }
}

/** Joins by reading the parts at once, and writing when the gate opens: a store that is slow. */
const slowJoin =
  (folder: UploadServices['mediaFiles'], reached: () => void, open: Promise<void>) => async (key: string, parts: readonly string[]) => {
    const pieces = []
    for (const part of parts) pieces.push(...(await (await folder.read(part))!.stream.toArray()))
    reached()
    await open
    return folder.write(key, Readable.from(pieces), { maxBytes: 1e9 })
  }

const failure = (promise: Promise<unknown>): Promise<Problem> =>
  promise.then(
    () => assert.fail('it was taken'),
    (error) => error as Problem,
  )

for (const flavour of databasesOf(import.meta))
  suite(`uploads that change meanwhile on ${flavour}`, () => {
    test('a FINALIZE that is slow never publishes other bytes than those of the media', async () => {
      await using it = await prepare(flavour)
      const { id, mediaKey } = await it.begin(first)
      await it.put(id, first.subarray(0, 100), 0)
      await it.put(id, first.subarray(100), 1)
      const [joining, goOn] = [gate(), gate()]
      const slow = finalizeUpload(USER, id, it.filing({ join: slowJoin(it.folder, joining.resolve, goOn.promise) }))
      await joining.promise
      const late = await failure(it.put(id, second.subarray(0, 100), 0))
      assert.equal(late.message, 'media_id: the upload is finalized, so it takes no more segments')
      assert.equal((await finalizeUpload(USER, id, it.services)).state, 'succeeded')
      goOn.resolve()
      assert.equal((await slow).state, 'succeeded')
      assert.deepEqual(await it.original(mediaKey), first)
      assert.deepEqual(await it.widths(mediaKey), [[64]])
    })

    test('a video that is processed before FINALIZE answers is answered as waiting, also one that cannot be used', async () => {
      await using it = await prepare(flavour)
      for (const [bytes, state] of [
        [mediaFixture('square.mp4'), 'succeeded'],
        [first, 'failed'],
      ] as const) {
        const video = { totalBytes: bytes.length, mediaType: 'video/mp4', category: 'tweet_video', additionalOwners: [] } as const
        const { id } = await beginUpload(USER, video, it.services)
        await it.put(id, bytes)
        const stateNow = async () => (await it.services.uploads.find(USER, id, it.time.now))?.state
        const submit: UploadServices['uploads']['submit'] = async (...given) => {
          const isSubmitted = await it.services.uploads.submit(...given)
          await it.workUntil(async () => (await stateNow()) === state)
          return isSubmitted
        }
        const finalized = await finalizeUpload(USER, id, { ...it.services, uploads: { ...it.services.uploads, submit } })
        assert.equal(finalized.state, 'pending')
        assert.equal(await stateNow(), state)
      }
    })

    test('a segment that comes while FINALIZE reads the file is a conflict, and FINALIZE again succeeds', async () => {
      await using it = await prepare(flavour)
      const { id, mediaKey } = await it.begin(first)
      await it.put(id, first)
      const replace = () => it.put(id, first)
      const before: InspectMedia = (file) => replace().then(() => inspectMedia(file))
      const after: InspectMedia = (file) => inspectMedia(file).finally(replace)
      for (const inspect of [before, after]) {
        const refused = await failure(finalizeUpload(USER, id, { ...it.services, inspectMedia: inspect }))
        assert.equal(refused.kind, 'conflict')
      }
      assert.equal((await finalizeUpload(USER, id, it.services)).state, 'succeeded')
      assert.deepEqual(await it.original(mediaKey), first)
    })

    test('a segment whose file is lost fails the upload with the reason', async () => {
      await using it = await prepare(flavour)
      const { id } = await it.begin(first)
      await it.put(id, first)
      await it.folder.remove(await it.folder.list('segments/'))
      const { message } = await failure(finalizeUpload(USER, id, it.services))
      assert.equal(message, 'media: a part of the file is missing here; upload it again')
    })

    test('an upload that expires while FINALIZE makes its media is media with its file, or neither', async () => {
      await using it = await prepare(flavour)
      const { id, mediaKey } = await it.begin(first)
      await it.put(id, first)
      it.time.now += DAY_MS - 1
      const [joining, goOn] = [gate(), gate()]
      const slow = finalizeUpload(USER, id, it.filing({ join: slowJoin(it.folder, joining.resolve, goOn.promise) }))
      await joining.promise
      it.time.now += DAY_MS
      await it.workUntil(async () => (await it.folder.list('')).length === 0)
      goOn.resolve()
      assert.equal((await failure(slow)).kind, 'resource-not-found')
      assert.deepEqual(await it.widths(mediaKey), [])
      assert.deepEqual(await it.folder.list(''), [])
    })

    test('nothing becomes media of an upload whose files are being removed', async () => {
      await using it = await prepare(flavour)
      const upload = await it.begin(first)
      await it.put(upload.id, first)
      it.time.now += DAY_MS
      const [claim] = await it.services.uploads.claim(it.time.now, it.time.now + 1000, 1, [])
      assert.equal(await it.services.uploads.beginRemoval(claim!), true)
      const kind = { mime: 'image/png', kind: 'image', width: 1, height: 1 } as const
      const row = { media_key: upload.mediaKey, owner_id: USER, type: 'photo', created_at_ms: 0, view_count: 0 }
      assert.equal(await it.services.uploads.succeed({ ...upload, revision: 1 }, kind, row, it.time.now), false)
      assert.deepEqual(await it.widths(upload.mediaKey), [])
    })

    test('a finalized video has a day for its processing', async () => {
      await using it = await prepare(flavour)
      const upload = await it.begin(first)
      await it.put(upload.id, first)
      it.time.now += DAY_MS - 1
      assert.equal(
        await it.services.uploads.submit({ ...upload, revision: 1 }, { nowMs: it.time.now, expiresAtMs: it.time.now + DAY_MS }),
        true,
      )
      it.time.now += DAY_MS - 1
      await it.workUntil(async () => (await it.services.uploads.find(USER, upload.id, it.time.now))?.state === 'succeeded')
    })

    test('a user who is removed while an image is joined leaves no file', async () => {
      await using it = await prepare(flavour)
      const { id, mediaKey } = await it.begin(first)
      await it.put(id, first)
      const [joining, goOn] = [gate(), gate()]
      const slow = finalizeUpload(USER, id, it.filing({ join: slowJoin(it.folder, joining.resolve, goOn.promise) }))
      await joining.promise
      await it.on.storage.users.remove(USER)
      await it.workUntil(async () => (await it.folder.list('')).length === 0)
      goOn.resolve()
      await failure(slow)
      assert.deepEqual(await it.widths(mediaKey), [])
      assert.deepEqual(await it.folder.list(''), [])
    })

    test('a user who is gone begins no upload', async () => {
      await using it = await prepare(flavour)
      await it.on.storage.users.remove(USER)
      assert.equal((await failure(it.begin(first))).kind, 'unauthorized')
    })

    test('a segment that was taken keeps its file when the replaced one cannot be removed', async () => {
      await using it = await prepare(flavour)
      const { id, mediaKey } = await it.begin(first)
      await it.put(id, first)
      const away = it.filing({ remove: () => Promise.reject(new Error('the store is away')) })
      await withFile({ received: undefined, userId: USER, base64: ['media', first.toString('base64')] }, away, (file) =>
        appendSegment({ userId: USER, uploadId: id, index: 0 }, file, away),
      )
      assert.equal((await finalizeUpload(USER, id, it.services)).state, 'succeeded')
      assert.deepEqual(await it.original(mediaKey), first)
    })

    test('a segment whose taking was not confirmed keeps its file', async () => {
      await using it = await prepare(flavour)
      const { id, mediaKey } = await it.begin(first)
      const { uploads } = it.services
      const lossy: UploadServices = {
        ...it.services,
        uploads: {
          ...uploads,
          addSegment: async (...sent) => {
            await uploads.addSegment(...sent)
            throw new Error('the connection was lost')
          },
        },
      }
      const lost = withFile({ received: undefined, userId: USER, base64: ['media', first.toString('base64')] }, lossy, (file) =>
        appendSegment({ userId: USER, uploadId: id, index: 0 }, file, lossy),
      )
      assert.equal((await failure(lost)).message, 'the connection was lost')
      assert.equal((await finalizeUpload(USER, id, it.services)).state, 'succeeded')
      assert.deepEqual(await it.original(mediaKey), first)
    })

    test('uploads in one request that the store refuses do not count, and leave nothing', async () => {
      await using it = await prepare(flavour)
      const full = it.filing({ join: () => Promise.reject(new StorageFull()) })
      const declared = { mediaType: null, category: null, additionalOwners: [] }
      for (let tries = 0; tries < 101; tries += 1) {
        const refused = await failure(uploadAtOnce(USER, declared, await it.received(first), full))
        assert.equal(refused.message, 'There is no room for more media. Nothing was changed; retry later.')
      }
      await it.begin(first)
      await it.workUntil(async () => (await it.folder.list('')).length === 0)
    })
  })
