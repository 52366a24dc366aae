import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { flavours } from '../stage/database.ts'
import { mediaFixture } from '../stage/media-fixtures.ts'
import { setStage } from '../stage/postern.ts'
import { signedInSeed } from '../stage/signed-calls.ts'
import { append, filesOf, finalize, init, processed, status, uploadCall, uploadInSegments, V1, v1 } from '../stage/uploads.ts'
import { rawRows } from '../storage/samples.ts'

const png = mediaFixture('photo.png')

for (const flavour of flavours)
  suite(`steps of an upload on ${flavour}`, () => {
    test('an image in segments is media with the answer of FINALIZE', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const begun = await v1(stage, { command: 'INIT', total_bytes: png.length, media_type: 'image/png', media_category: 'tweet_image' })
      assert.equal(begun.status, 200, begun.text)
      const { media_id_string: id, ...rest } = begun.body
      assert.match(begun.text, new RegExp(`"media_id":${id},`))
      assert.deepEqual({ ...rest, media_id: 0 }, { media_id: 0, media_key: `3_${id}`, expires_after_secs: 86_400 })
      await append(stage, id, 0, png.subarray(0, 100))
      await append(stage, id, 1, png.subarray(100))
      const done = await finalize(stage, id)
      assert.equal(done.status, 200, done.text)
      console.log(done.text, (await filesOf(stage)))
    })
  })
