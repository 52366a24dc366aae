import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { mediaFixture } from '../stage/media-fixtures.ts'
import { type Stage, setStage } from '../stage/postern.ts'
import { graces, signedInSeed } from '../stage/signed-calls.ts'
import { append, filesOf, finalize, init, processed, status, uploadCall, uploadInSegments, v1 } from '../stage/uploads.ts'

const png = mediaFixture('photo.png')
const clip = mediaFixture('wide.mp4')

/** The files once those of segments are gone. */
const onlyMedia = (stage: Stage) =>
  stage.until(async () => {
    const files = await filesOf(stage)
    return files.every((file) => file.startsWith('media/')) && files
  })

const lookUp = (stage: Stage, mediaKey: string, fields = 'type') =>
  uploadCall(stage, 'GET', `/2/media/${mediaKey}`, { query: { 'media.fields': fields } })

const errorOf = ({ status, body }: { status: number; body: { errors: { code: number; message: string }[] } }) => [
  status,
  body.errors[0]!.code,
  body.errors[0]!.message,
]

for (const flavour of databasesOf(import.meta))
  suite(`uploads in segments on ${flavour}`, () => {
    test('an image is media with the answer of FINALIZE, and nothing is left of its segments', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const begun = await v1(stage, {
        command: 'INIT',
        total_bytes: png.length,
        media_type: 'image/png',
        media_category: 'tweet_image',
      })
      assert.equal(begun.status, 200, begun.text)
      const { media_id_string: id } = begun.body
      assert.ok(BigInt(id) > 2n ** 53n)
      assert.equal(begun.text, `{"media_id":${id},"media_id_string":"${id}","media_key":"3_${id}","expires_after_secs":86400}`)
      await append(stage, id, 0, png.subarray(0, 100))
      await append(stage, id, 1, png.subarray(100))
      const done = await finalize(stage, id)
      assert.deepEqual(done.body, {
        media_id: Number(id),
        media_id_string: id,
        media_key: `3_${id}`,
        size: png.length,
        expires_after_secs: done.body.expires_after_secs,
        image: { image_type: 'image/png', w: 64, h: 48 },
      })
      assert.deepEqual((await status(stage, id)).body, { ...done.body, expires_after_secs: done.body.expires_after_secs })
      const { url, ...shown } = (await lookUp(stage, `3_${id}`, 'height,width,url')).body.data
      assert.deepEqual(shown, { media_key: `3_${id}`, type: 'photo', width: 64, height: 48 })
      assert.deepEqual(Buffer.from(await (await fetch(url)).arrayBuffer()), png)
      assert.deepEqual(await onlyMedia(stage), [`media/3_${id}/original`])
      assert.deepEqual(await readFile(join(stage.mediaFolder, `media/3_${id}/original`)), png)
    })

    test('a video is pending with the answer of FINALIZE, and succeeds', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const done = await uploadInSegments(stage, clip, 'video/mp4', { media_category: 'amplify_video' }, 10_000)
      const id = done.body.media_id_string
      assert.deepEqual([done.body.media_key, done.body.size], [`13_${id}`, clip.length])
      assert.deepEqual(done.body.processing_info, { state: 'pending', check_after_secs: 1 })
      const ready = (await processed(stage, id)).body
      assert.deepEqual(ready.processing_info, { state: 'succeeded', progress_percent: 100 })
      assert.deepEqual(ready.video, { video_type: 'video/mp4' })
      const { data } = (await lookUp(stage, `13_${id}`, 'height,width,duration_ms,variants')).body
      assert.deepEqual([data.type, data.width, data.height, data.variants[0].content_type], ['video', 320, 180, 'video/mp4'])
      assert.ok(Math.abs(data.duration_ms - 2000) < 100, String(data.duration_ms))
      assert.deepEqual(await onlyMedia(stage), [`media/13_${id}/original`])
      assert.deepEqual(await readFile(join(stage.mediaFolder, `media/13_${id}/original`)), clip)
    })

    test('an animated GIF is processed too', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const done = await uploadInSegments(stage, mediaFixture('animated.gif'), 'image/gif', { media_category: 'TweetGif' })
      const id = done.body.media_id_string
      assert.equal(done.body.processing_info.state, 'pending')
      const ready = (await processed(stage, id)).body
      assert.deepEqual([ready.processing_info.state, ready.image], ['succeeded', { image_type: 'image/gif', w: 64, h: 48 }])
      assert.equal((await lookUp(stage, `16_${id}`)).body.data.type, 'animated_gif')
    })

    test('without a category media are of the kind that their key says, or cannot be used', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const moving = await uploadInSegments(stage, mediaFixture('animated.gif'), 'image/png')
      assert.deepEqual(errorOf(moving), [400, 324, 'media: media_type is image/png, and the file is an animated GIF'])
      const still = (await uploadInSegments(stage, mediaFixture('still.gif'), 'image/gif')).body
      assert.equal(still.media_key, `16_${still.media_id_string}`)
      assert.equal((await processed(stage, still.media_id_string)).body.processing_info.state, 'succeeded')
      const photo = (await uploadInSegments(stage, png, 'image/gif')).body
      const { processing_info } = (await processed(stage, photo.media_id_string)).body
      assert.equal(processing_info.error.message, 'media_type is image/gif, and the file is an image')
    })

    test('a video that cannot be used fails with the reason', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const done = await uploadInSegments(stage, mediaFixture('sound.mp4'), 'video/mp4', { media_category: 'tweet_video' })
      const id = done.body.media_id_string
      assert.equal(done.body.processing_info.state, 'pending')
      const { state, error } = (await processed(stage, id)).body.processing_info
      assert.deepEqual([state, error.code, error.name], ['failed', 1, 'InvalidMedia'])
      assert.ok(error.message.length > 10)
      assert.deepEqual(await onlyMedia(stage), [])
      assert.equal((await lookUp(stage, `7_${id}`)).body.data, undefined)
      const [code] = errorOf(await finalize(stage, id))
      assert.equal(code, 400)
    })

    test('who attaches media that are not there hears what became of the upload, and nobody else does', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const open = await init(stage, clip.length, 'video/mp4')
      const { body } = await uploadInSegments(stage, mediaFixture('sound.mp4'), 'video/mp4', { media_category: 'tweet_video' })
      const failed = body.media_id_string
      const { message } = (await processed(stage, failed)).body.processing_info.error
      const refused = async (path: string, json: object, as = {}) => {
        const answer = await uploadCall(stage, 'POST', path, { json, ...as })
        assert.equal(answer.status, 400, answer.text)
        return answer.body.errors[0].message
      }
      const attachAll = (ids: string[], as = {}) => refused('/2/posts', { text: `With ${ids}`, media: { media_ids: ids } }, as)
      const attach = (id: string, as = {}) => attachAll([id], as)
      const rule = '$.media.media_ids: must be media of the user'
      assert.equal(await attach(open), `${rule}; the upload ${open} is not finalized`)
      assert.equal(await attach(failed), `${rule}; the upload ${failed} has failed: ${message}`)
      assert.equal(await attach(failed, { as: graces }), rule)
      assert.equal(await attach('77'), rule)
      assert.equal(await attachAll(['77', open]), `${rule}; the upload ${open} is not finalized`)
      assert.equal(
        await refused('/2/dm_conversations/with/102/messages', { attachments: [{ media_id: open }] }),
        `$.attachments: must be media that the sender uploaded in the last 24 hours; the upload ${open} is not finalized`,
      )
    })

    test('segments may come out of order and at the same time, and the same index again replaces a segment', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const id = await init(stage, clip.length, 'video/mp4')
      const size = 4000
      const indices = Array.from({ length: Math.ceil(clip.length / size) }, (_, index) => index).reverse()
      await append(stage, id, 0, Buffer.alloc(17, 'x'))
      await Promise.all(indices.map((index) => append(stage, id, index, clip.subarray(index * size, (index + 1) * size))))
      await finalize(stage, id)
      assert.equal((await processed(stage, id)).body.processing_info.state, 'succeeded')
      assert.deepEqual(await readFile(join(stage.mediaFolder, `media/7_${id}/original`)), clip)
      assert.deepEqual(await onlyMedia(stage), [`media/7_${id}/original`])
    })

    test('FINALIZE names a segment that is missing and bytes that are missing, and can be asked for again', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const id = await init(stage, png.length)
      const short = `media: the segments have 0 bytes together, and total_bytes of the upload is ${png.length}`
      assert.deepEqual(errorOf(await finalize(stage, id)), [400, 324, short])
      await append(stage, id, 1, png.subarray(100))
      assert.deepEqual(errorOf(await finalize(stage, id)), [400, 324, 'segment_index: segment 0 has not come'])
      await append(stage, id, 0, png.subarray(0, 99))
      const byOne = `media: the segments have ${png.length - 1} bytes together, and total_bytes of the upload is ${png.length}`
      assert.deepEqual(errorOf(await finalize(stage, id)), [400, 324, byOne])
      await append(stage, id, 0, png.subarray(0, 100))
      assert.equal((await finalize(stage, id)).status, 200)
    })

    test('FINALIZE twice, also at the same time, makes one medium and answers the same', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const id = await init(stage, png.length)
      await append(stage, id, 0, png)
      const answers = await Promise.all([finalize(stage, id), finalize(stage, id), finalize(stage, id)])
      for (const { status: code, body, text } of [...answers, await finalize(stage, id)]) {
        assert.equal(code, 200, text)
        assert.deepEqual(body.image, { image_type: 'image/png', w: 64, h: 48 })
      }
      const late = await v1(stage, { command: 'APPEND', media_id: id, segment_index: 1, media: png })
      assert.deepEqual(errorOf(late), [400, 324, 'media_id: the upload is finalized, so it takes no more segments'])
      assert.deepEqual(await onlyMedia(stage), [`media/3_${id}/original`])
    })

    test('more bytes than were declared are refused and leave nothing', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const id = await init(stage, 100)
      const refused = await v1(stage, { command: 'APPEND', media_id: id, segment_index: 0, media: png })
      assert.deepEqual(errorOf(refused), [400, 324, 'media: the segments have more bytes than total_bytes of the upload says'])
      assert.deepEqual(await filesOf(stage), [])
    })

    test('the upload of another user is answered like one that does not exist', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const id = await init(stage, png.length)
      await append(stage, id, 0, png)
      const none = (steps: { text: string; status: number }[], asked: string) =>
        steps.map((answer) => [answer.status, answer.text.replaceAll(asked, 'ID')])
      const tries = async (asked: string) =>
        none(
          [
            await status(stage, asked, graces),
            await finalize(stage, asked, graces),
            await v1(stage, { command: 'APPEND', media_id: asked, segment_index: 0, media: 'x' }, graces),
            await uploadCall(stage, 'GET', '/2/media/upload', { as: graces, query: { media_id: asked } }),
            await uploadCall(stage, 'POST', `/2/media/upload/${asked}/finalize`, { as: graces }),
            await uploadCall(stage, 'POST', `/2/media/upload/${asked}/append`, {
              as: graces,
              parts: { segment_index: 0, media: Buffer.from('x') },
            }),
          ],
          asked,
        )
      const foreign = await tries(id)
      assert.deepEqual(foreign, await tries('1234567890'))
      assert.deepEqual(
        foreign.map(([code]) => code),
        [404, 404, 404, 404, 404, 404],
      )
      assert.equal((await filesOf(stage)).length, 1)
      assert.equal((await finalize(stage, id)).status, 200)
    })

    test('an upload that is not finalized expires after a day with its files, and one that is stays', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const kept = (await uploadInSegments(stage, png, 'image/png')).body.media_id_string
      const id = await init(stage, png.length)
      await append(stage, id, 0, png)
      stage.clock.advance(24 * 3_600_000 - 60_000)
      // Real time goes on too.
      const left = (await status(stage, id)).body.expires_after_secs
      assert.ok(left > 30 && left <= 60, `${left} s`)
      stage.clock.advance(60_000)
      assert.equal((await status(stage, id)).status, 404)
      assert.equal((await finalize(stage, id)).status, 404)
      assert.deepEqual(await onlyMedia(stage), [`media/3_${kept}/original`])
      assert.equal((await status(stage, kept)).body.expires_after_secs, 0)
    })

    test('a user who is deleted takes uploads, media and their files along', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      await uploadInSegments(stage, png, 'image/png')
      const id = await init(stage, png.length)
      await append(stage, id, 0, png)
      const kept = await v1(stage, { media: png }, graces)
      assert.equal(kept.status, 200, kept.text)
      assert.equal((await stage.operator('DELETE', '/operator/users/101')).status, 200)
      const files = await stage.until(async () => {
        const left = await filesOf(stage)
        return left.length === 1 && left
      })
      assert.deepEqual(files, [`media/3_${kept.body.media_id_string}/original`])
    })
  })
