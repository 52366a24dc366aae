import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { mediaFixture } from '../stage/media-fixtures.ts'
import { type Stage, setStage } from '../stage/postern.ts'
import { graces, sendSigned, signedInSeed } from '../stage/signed-calls.ts'
import { uploadCall, v1 } from '../stage/uploads.ts'

const V2 = '/2/media/metadata'
const V1 = '/1.1/media/metadata/create.json'

const upload = async (stage: Stage, more: object = {}) => {
  const json = { media: mediaFixture('photo.png').toString('base64'), media_category: 'tweet_image', ...more }
  return (await uploadCall(stage, 'POST', '/2/media/upload', { json })).body.data.id as string
}

const altTextOf = async (stage: Stage, id: string) =>
  (await uploadCall(stage, 'GET', `/2/media/3_${id}`, { query: { 'media.fields': 'alt_text' } })).body.data.alt_text

const said = (id: string, text: string) => ({ id, metadata: { alt_text: { text } } })

for (const flavour of databasesOf(import.meta))
  suite(`alt text on ${flavour}`, () => {
    test('what the owner says by v2 is answered and then stands in media.fields=alt_text, and an empty text removes it', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const id = await upload(stage)
      assert.equal(await altTextOf(stage, id), undefined)
      const answer = await uploadCall(stage, 'POST', V2, { json: said(id, 'Ein Boot ⛵') })
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(answer.body, { data: { id, associated_metadata: { alt_text: { text: 'Ein Boot ⛵' } } } })
      assert.equal(await altTextOf(stage, id), 'Ein Boot ⛵')
      assert.equal((await uploadCall(stage, 'POST', V2, { json: said(id, '') })).status, 200)
      assert.equal(await altTextOf(stage, id), undefined)
    })

    test('other metadata are accepted and change nothing', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const id = await upload(stage)
      await uploadCall(stage, 'POST', V2, { json: said(id, 'a boat') })
      for (const json of [{ id }, { id, metadata: {} }, { id, metadata: { allow_download_status: { allow_download: true } } }]) {
        const answer = await uploadCall(stage, 'POST', V2, { json })
        assert.deepEqual([answer.status, answer.body], [200, { data: { id, associated_metadata: {} } }])
      }
      assert.equal(await altTextOf(stage, id), 'a boat')
    })

    test('v1.1 takes the id as a text and, as tweepy sends it, as a number beyond 2^53, and answers 200 without a body', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const id = await upload(stage)
      for (const [written, text] of [
        [`"${id}"`, 'one'],
        [id, 'two'],
      ] as const) {
        const body = `{"media_id":${written},"alt_text":{"text":"${text}"}}`
        const sent = { headers: { 'content-type': 'application/json' }, body }
        const answer = await sendSigned(stage, { method: 'POST', path: V1, sent })
        assert.deepEqual([answer.status, answer.text, answer.headers.get('content-length')], [200, '', '0'])
        assert.equal(await altTextOf(stage, id), text)
      }
    })

    test('additional owners may, and everybody else is told that there are no such media', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const [shared, own] = [await upload(stage, { additional_owners: ['102'] }), await upload(stage)]
      assert.equal((await uploadCall(stage, 'POST', V2, { as: graces, json: said(shared, 'by Grace') })).status, 200)
      assert.equal(await altTextOf(stage, shared), 'by Grace')
      for (const id of [own, '1234567890']) {
        const refused = await uploadCall(stage, 'POST', V2, { as: graces, json: said(id, 'by Grace') })
        assert.deepEqual([refused.status, refused.body.detail], [404, `Could not find media of the user with id: [${id}].`])
        const refusedV1 = await uploadCall(stage, 'POST', V1, { as: graces, json: { media_id: id, alt_text: { text: 'a' } } })
        assert.deepEqual(
          [refusedV1.status, refusedV1.body.errors],
          [404, [{ code: 34, message: `Could not find media of the user with media_id: [${id}].` }]],
        )
      }
      assert.equal(await altTextOf(stage, own), undefined)
    })

    test('a text has at most 1000 characters, and each mistake names its parameter', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const id = await upload(stage)
      assert.equal((await uploadCall(stage, 'POST', V2, { json: said(id, '⛵'.repeat(1000)) })).status, 200)
      for (const [path, json, message] of [
        [V2, said(id, 'a'.repeat(1001)), '$.metadata.alt_text.text: must be at most 1000 characters long'],
        [V2, { id, metadata: { alt_text: 'a' } }, '$.metadata.alt_text: string found, object expected'],
        [V2, { id, metadata: { alt_text: {} } }, '$.metadata.alt_text.text: is missing but it is required'],
        [V2, { metadata: {} }, '$.id: is missing but it is required'],
        [V2, said('3_1', 'a'), '$.id: does not match the regex pattern ^[0-9]{1,19}$'],
        [V2, { id: 1.5 }, '$.id: number found, string expected'],
        [V1, { media_id: id, alt_text: { text: 'a'.repeat(1001) } }, '$.alt_text.text: must be at most 1000 characters long'],
        [V1, { alt_text: { text: 'a' } }, '$.media_id: is missing but it is required'],
      ] as const) {
        const answer = await uploadCall(stage, 'POST', path, { json })
        assert.deepEqual([answer.status, answer.body.errors[0].message], [path === V1 ? 403 : 400, message])
      }
      assert.equal(await altTextOf(stage, id), '⛵'.repeat(1000))
    })

    test('of an upload that is no media yet the refusal says what to wait for', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const { media_id_string: id } = (await v1(stage, { command: 'INIT', media_type: 'video/mp4', total_bytes: 100 })).body
      const answer = await uploadCall(stage, 'POST', V2, { json: said(id, 'a') })
      const message = 'id: is an upload that is no media yet: wait until its processing has succeeded'
      assert.deepEqual([answer.status, answer.body.errors[0].message], [400, message])
      const answerV1 = await uploadCall(stage, 'POST', V1, { json: { media_id: id, alt_text: { text: 'a' } } })
      assert.deepEqual([answerV1.status, answerV1.body.errors], [400, [{ code: 324, message: `media_${message}` }]])
    })
  })
