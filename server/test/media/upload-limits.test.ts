import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { checkMedia } from '../../src/endpoints/media/upload/check-media.ts'
import { readCategory } from '../../src/endpoints/media/upload/upload-kinds.ts'
import { publicId, sequenceAt } from '../../src/lib/ids.ts'
import type { Inspected } from '../../src/lib/media-inspection/inspected.ts'
import { databasesOf } from '../stage/databases.ts'
import { mediaFixture } from '../stage/media-fixtures.ts'
import { setStage } from '../stage/postern.ts'
import { graces, signedInSeed } from '../stage/signed-calls.ts'
import { append, filesOf, init, uploadCall, v1 } from '../stage/uploads.ts'
import { aUser, openedAlone } from '../storage/samples.ts'

const png = mediaFixture('photo.png')
const MB = 1024 * 1024

/** An upload counts as so many bytes at least, and the image has fewer. */
const COUNTED_BYTES = 4096

const image = (width = 100, height = 100): Inspected => ({ kind: 'image', mime: 'image/png', width, height })
const gif = (isAnimated: boolean, width = 100): Inspected => ({ kind: 'gif', mime: 'image/gif', width, height: 100, isAnimated })
const video = (seconds = 1, width = 1600, height = 900): Inspected => ({
  kind: 'video',
  mime: 'video/mp4',
  width,
  height,
  durationMs: seconds * 1000,
  aspectRatio: [16, 9],
})

const check = (inspected: Inspected, size: number, category: string | null, mediaType: string | null = null) => {
  try {
    return checkMedia(inspected, size, { category, mediaType })
  } catch (error) {
    return (error as Error).message
  }
}

test('media at each limit are taken, and beyond it refused with the limit', () => {
  const cases: [Inspected, number, string | null, string][] = [
    [image(), 5 * MB, 'tweet_image', 'image'],
    [image(), 5 * MB + 1, 'tweet_image', 'an image is at most 5 MB, and this has 5242881 bytes'],
    [image(), 5 * MB + 1, null, 'an image is at most 5 MB, and this has 5242881 bytes'],
    [image(8192, 8192), 1, 'tweet_image', 'image'],
    [image(8193, 1), 1, 'tweet_image', 'an image is at most 8192x8192 pixels, and this has 8193x1'],
    [image(1, 8193), 1, null, 'an image is at most 8192x8192 pixels, and this has 1x8193'],
    [gif(true), 15 * MB, 'tweet_gif', 'gif'],
    [gif(true), 15 * MB + 1, 'tweet_gif', 'an animated GIF is at most 15 MB, and this has 15728641 bytes'],
    [gif(false), 15 * MB, 'tweet_gif', 'gif'],
    [gif(false), 5 * MB, 'tweet_image', 'image'],
    [gif(false), 5 * MB + 1, 'tweet_image', 'an image is at most 5 MB, and this has 5242881 bytes'],
    [gif(true), 1, 'tweet_image', 'tweet_image takes an image, and this is an animated GIF'],
    [gif(true, 8193), 1, 'tweet_gif', 'an image is at most 8192x8192 pixels, and this has 8193x100'],
    [gif(false), 1, null, 'image'],
    [gif(true), 1, null, 'gif'],
    [image(), 1, 'tweet_gif', 'tweet_gif takes an animated GIF, and this is an image'],
    [image(), 1, 'amplify_video', 'amplify_video takes a video, and this is an image'],
    [video(), 1, 'tweet_image', 'tweet_image takes an image, and this is a video'],
    [video(), 512 * MB, 'tweet_video', 'video'],
    [video(), 512 * MB + 1, 'tweet_video', 'a video is at most 512 MB, and this has 536870913 bytes'],
    [video(), 512 * MB, 'amplify_video', 'video'],
    [video(), 512 * MB + 1, 'amplify_video', 'a video is at most 512 MB, and this has 536870913 bytes'],
    [video(140), 1, 'tweet_video', 'video'],
    [video(140.001), 1, 'tweet_video', 'a video of this category has at most 140 seconds, and this has 140.001'],
    [video(140.001), 1, null, 'a video of this category has at most 140 seconds, and this has 140.001'],
    [video(600), 1, 'amplify_video', 'video'],
    [video(600.001), 1, 'amplify_video', 'a video of this category has at most 600 seconds, and this has 600.001'],
    [video(1, 300, 100), 1, 'tweet_video', 'video'],
    [video(1, 100, 300), 1, 'amplify_video', 'video'],
    [video(1, 301, 100), 1, 'tweet_video', 'the aspect ratio of a video is 1:3 to 3:1, and this has 301x100 pixels'],
    [video(1, 100, 301), 1, 'amplify_video', 'the aspect ratio of a video is 1:3 to 3:1, and this has 100x301 pixels'],
    [image(), 5 * MB, 'dm_image', 'image'],
    [gif(true), 15 * MB, 'dm_gif', 'gif'],
    [video(140), 512 * MB, 'dm_video', 'video'],
  ]
  for (const [inspected, size, category, expected] of cases) assert.equal(check(inspected, size, category), expected)
})

test('the file decides its format, and a declared type whether it is a video', () => {
  assert.equal(check(image(), 1, null, 'image/jpeg'), 'image')
  assert.equal(check(gif(true), 1, null, 'image/png'), 'gif')
  assert.equal(check(image(), 1, null, 'video/mp4'), 'media_type is video/mp4, and the file is image/png')
  assert.equal(check(video(), 1, null, 'image/gif'), 'media_type is image/gif, and the file is video/mp4')
})

test('a category is known in the spellings of all clients', () => {
  for (const text of ['tweet_video', 'TWEET_VIDEO', 'TweetVideo', 'tweetvideo', 'post_video', 'POST_VIDEO'])
    assert.equal(readCategory(text), 'tweet_video')
  for (const text of ['amplify_video', 'AMPLIFY_VIDEO', 'AmplifyVideo']) assert.equal(readCategory(text), 'amplify_video')
  for (const text of ['DmImage', 'dm_image']) assert.equal(readCategory(text), 'dm_image')
  for (const text of ['', 'video', 'subtitles', '__proto__', 'constructor']) assert.equal(readCategory(text), undefined)
})

for (const flavour of databasesOf(import.meta))
  suite(`caps of uploads on ${flavour}`, () => {
    test('a user has at most 100 uploads that are not finalized, whoever else uploads', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const begin = { command: 'INIT', total_bytes: 100, media_type: 'image/png' }
      const begun = await Promise.all(Array.from({ length: 104 }, () => v1(stage, begin)))
      const [refused, ...others] = begun.filter(({ status }) => status !== 200)
      assert.deepEqual([refused!.status, refused!.body.errors[0].code, others.length], [429, 88, 3])
      assert.match(refused!.body.errors[0].message, /^You have 100 uploads that are not finalized or failed/)
      assert.equal((await v1(stage, begin, graces)).status, 200)
      stage.clock.advance(24 * 3_600_000)
      await stage.until(async () => (await v1(stage, begin)).status === 200)
    })

    test('uploads that have failed count with those that are open, and finished ones by their bytes', async () => {
      await using it = await openedAlone(flavour)
      await it.storage.users.insert(aUser({ id: '101' }))
      const { uploads } = it.storage
      const upload = (id: string, totalBytes = 5000) => ({
        id,
        ownerId: '101',
        mediaKey: `3_${id}`,
        category: null,
        mediaType: 'image/png',
        additionalOwners: [],
        totalBytes,
        createdAtMs: 0,
        expiresAtMs: 1000,
      })
      const create = (id: string, totalBytes?: number) => uploads.create(upload(id, totalBytes), { open: 2, bytes: 18_000 })
      const find = async (id: string) => (await uploads.find('101', id, 1))!
      assert.equal(await create('1'), 'created')
      assert.equal(await create('2', 1), 'created')
      assert.equal(await uploads.fail(await find('1'), 'cannot be used', 1), true)
      assert.equal(await create('3'), 'too-many-open')
      await uploads.abandon(await find('1'), 1)
      const row = { media_key: '3_2', owner_id: '101', type: 'photo', created_at_ms: 0, view_count: 0 }
      assert.equal(await uploads.succeed(await find('2'), { mime: 'image/png', kind: 'image', width: 1, height: 1 }, row, 1), true)
      // 4096 bytes are media now, and 5000 are coming.
      assert.equal(await create('3'), 'created')
      assert.equal(await create('4', 18_000 - 4096 - 5000 + 1), 'too-many-bytes')
      assert.equal(await create('4', 18_000 - 4096 - 5000), 'created')
      await it.storage.users.remove('101')
      await it.storage.users.insert(aUser({ id: '101' }))
      assert.equal(await create('5', 18_000), 'created')
    })

    test('a user uploads no more bytes than the quota, in segments and at once', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed, environment: { POSTERN_MEDIA_QUOTA: String(2 * COUNTED_BYTES) } })
      assert.equal((await v1(stage, { media: png })).status, 200)
      const id = await init(stage, png.length)
      const refused = await v1(stage, { media: png })
      assert.deepEqual([refused.status, refused.body.errors[0].message], [429, 'You have uploaded as much as one user may have here.'])
      const begun = await uploadCall(stage, 'POST', '/2/media/upload/initialize', { json: { total_bytes: 1, media_type: 'image/png' } })
      assert.deepEqual([begun.status, begun.body.title, begun.body.period], [429, 'Usage Capped', undefined])
      assert.equal((await v1(stage, { media: png }, graces)).status, 200)
      await append(stage, id, 0, png)
      await stage.until(async () => (await filesOf(stage)).filter((file) => file.startsWith('segments/')).length === 1)
    })

    test('files that no upload has are removed within two hours', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const id = await init(stage, png.length)
      await append(stage, id, 0, png)
      const [kept] = (await filesOf(stage)) as [string]
      const left = `segments/${publicId(sequenceAt(stage.clock.now()))}`
      await mkdir(join(stage.mediaFolder, 'segments'), { recursive: true })
      await writeFile(join(stage.mediaFolder, left), 'of a request that died')
      stage.clock.advance(2 * 3_600_000)
      await stage.until(async () => (await filesOf(stage)).join() === kept)
    })
  })
