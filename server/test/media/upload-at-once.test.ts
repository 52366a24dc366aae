import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { mediaFixture } from '../stage/media-fixtures.ts'
import { setStage } from '../stage/postern.ts'
import { graces, signedInSeed } from '../stage/signed-calls.ts'
import { filesOf, processed, type UploadCall, uploadCall, V1, v1 } from '../stage/uploads.ts'

const png = mediaFixture('photo.png')
const base64 = png.toString('base64')

for (const flavour of databasesOf(import.meta))
  suite(`uploads in one request on ${flavour}`, () => {
    test('a file comes as bytes or base64, in a multipart body, a form or JSON, its part before or after the others', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const more = { media_category: 'tweet_image' }
      const calls: (UploadCall & { path: string })[] = [
        { path: V1, parts: { media: png, ...more } },
        { path: V1, parts: { ...more, media: png } },
        { path: V1, parts: { media_data: Buffer.from(base64), ...more } },
        { path: V1, parts: { media_data: base64 } },
        { path: V1, form: { media_data: base64, ...more } },
        { path: V1, form: { media: base64, ...more } },
        { path: V1, parts: { media: png }, query: more },
        { path: '/1.1/media/upload', parts: { media: png } },
        { path: '/2/media/upload', parts: { media: png, ...more } },
        { path: '/2/media/upload', json: { media: base64, ...more, media_type: 'image/png', shared: true, additional_owners: ['102'] } },
        { path: '/2/media/upload', json: { media: base64, media_category: 'TWEET_IMAGE', additional_owners: '102,103' } },
      ]
      for (const { path, ...call } of calls) {
        const answer = await uploadCall(stage, 'POST', path, call)
        assert.equal(answer.status, 200, `${path} ${Object.keys(call)}: ${answer.text}`)
        const { id, media_id_string = id, size, image } = path.startsWith('/2') ? answer.body.data : answer.body
        assert.deepEqual([media_id_string.length > 15, size, image], [true, png.length, { image_type: 'image/png', w: 64, h: 48 }])
      }
    })

    test('a video in one request is processed', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const answer = await v1(stage, { media: mediaFixture('square.mp4') })
      assert.equal(answer.body.processing_info.state, 'pending', answer.text)
      const ready = (await processed(stage, answer.body.media_id_string)).body
      assert.deepEqual([ready.processing_info.state, ready.media_key], ['succeeded', `7_${ready.media_id_string}`])
    })

    test('what cannot be used is refused with the reason, and leaves nothing', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const refused = async (parts: Record<string, string | Buffer>) => {
        const { status, body } = await v1(stage, parts)
        return [status, body.errors[0].code, body.errors[0].message]
      }
      const cases: [Record<string, string | Buffer>, RegExp][] = [
        [{}, /^media_data: is required$/],
        [{ media: Buffer.alloc(0) }, /^media: is empty$/],
        [{ media: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') }, /^media: /],
        [{ media: Buffer.from('<!doctype html><script>alert(1)</script>') }, /^media: /],
        [{ media: png.subarray(0, 20) }, /^media: /],
        [{ media_data: 'not base64!' }, /^media_data: must be base64$/],
        [{ media_data: 'QUJDR' }, /^media_data: must be base64$/],
        [{ media: png, media_category: 'tweet_video' }, /^media: tweet_video takes a video, and this is an image$/],
        [
          { media: mediaFixture('animated.gif'), media_category: 'tweet_image' },
          /^media: tweet_image takes an image, and this is an animated GIF$/,
        ],
        [{ media: png, media_type: 'video/mp4' }, /^media: media_type is video\/mp4, and the file is image\/png$/],
        [{ media: png, media_category: 'subtitles' }, /^media_category: must be one of .*, not "subtitles"$/],
        [{ media: png, media_type: 'text/html' }, /^media_type: must be one of .*, not "text\/html"$/],
        [{ media: png, additional_owners: 'ada' }, /^additional_owners: must be at most 100 ids of users$/],
      ]
      const form = async (sent: Record<string, string>) => {
        const { status, body } = await uploadCall(stage, 'POST', V1, { form: sent })
        return [status, body.errors[0].message]
      }
      assert.deepEqual(await form({ media: 'not base64!' }), [400, 'media: must be base64'])
      assert.deepEqual(await form({ media: 'QUJD', media_data: 'QUJD' }), [400, 'media: cannot be sent together with media_data'])
      for (const [parts, message] of cases) {
        const [status, code, said] = await refused(parts)
        assert.deepEqual([status, code], [400, 324], String(message))
        assert.match(said, message)
      }
      assert.deepEqual(await filesOf(stage), [])
    })

    test('those whom an upload names as additional owners attach its media to posts, and nobody else does', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const shared = (await v1(stage, { media: png, additional_owners: '102' })).body.media_id_string
      const own = (await v1(stage, { media: png })).body.media_id_string
      const post = (id: string) =>
        uploadCall(stage, 'POST', '/2/posts', { as: graces, json: { text: `With ${id}`, media: { media_ids: [id] } } })
      const posted = await post(shared)
      assert.equal(posted.status, 201, posted.text)
      assert.equal((await post(own)).status, 400)
    })

    test('those whom an upload names as additional owners read its media by its key, and nobody else does', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const read = async (more: object) => {
        const { body, text } = await uploadCall(stage, 'POST', '/2/media/upload', {
          json: { media: png.toString('base64'), media_category: 'tweet_image', ...more },
        })
        assert.match(text, /media_key/)
        return (await uploadCall(stage, 'GET', `/2/media/${body.data.media_key}`, { as: graces })).body
      }
      for (const additional_owners of ['102', ['7', '102'], '7, 102', 102])
        assert.equal((await read({ additional_owners })).data?.type, 'photo', String(additional_owners))
      for (const more of [{}, { additional_owners: ['1', '1020'] }]) assert.equal((await read(more)).data, undefined)
    })

    test('an additional owner that a number of JSON cannot hold is refused, and not rounded to another user', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      for (const owner of [2 ** 53, [2 ** 60], 1.5, -7]) {
        const json = { media: png.toString('base64'), media_category: 'tweet_image', additional_owners: owner }
        const { status, text } = await uploadCall(stage, 'POST', '/2/media/upload', { json })
        assert.equal(status, 400, String(owner))
        assert.match(text, /additional_owners: must be at most 100 ids of users/)
      }
    })

    test('what a command needs is named', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const said = async (parts: Record<string, string | number | Buffer>) => (await v1(stage, parts)).body.errors[0].message
      const init = { command: 'INIT', total_bytes: 100, media_type: 'image/png' }
      assert.equal(await said({ command: 'INIT', total_bytes: 100 }), 'media_type: is required with command=INIT')
      assert.equal(await said({ command: 'INIT', media_type: 'image/png' }), 'total_bytes: is required with command=INIT')
      assert.equal(await said({ command: 'FINALIZE' }), 'media_id: is required with command=FINALIZE')
      assert.equal(await said({ command: 'APPEND', media: png, segment_index: 0 }), 'media_id: is required with command=APPEND')
      assert.equal(await said({ command: 'APPEND', media: png, media_id: 1 }), 'segment_index: is required with command=APPEND')
      assert.equal(await said({ command: 'APPEND', media_id: 1, segment_index: 0 }), 'media_data: is required')
      assert.match(await said({ command: 'STATUS', media_id: 1 }), /command/)
      assert.match(await said({ ...init, total_bytes: 0 }), /total_bytes/)
      assert.match(await said({ command: 'APPEND', media: png, media_id: 1, segment_index: 1000 }), /segment_index/)
      assert.match(await said({ command: 'APPEND', media: png, media_id: 1, segment_index: -1 }), /segment_index/)
      assert.equal(
        await said({ ...init, total_bytes: 5 * 1024 * 1024 + 1 }),
        'total_bytes: an image is at most 5 MB, and this has 5242881 bytes',
      )
      assert.equal((await v1(stage, { ...init, total_bytes: 5 * 1024 * 1024 })).status, 200)
      assert.equal(
        await said({ ...init, media_category: 'amplify_video' }),
        'media_type: amplify_video takes a video, and this is an image',
      )
    })

    test('uploads take a user with the permission to write', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const token = await stage.token()
      for (const path of [V1, '/2/media/upload', '/2/media/upload/initialize'])
        assert.equal((await stage.api('POST', path, { token, json: {} })).status, 403, path)
      assert.equal((await stage.api('POST', V1)).status, 400)
    })
  })
