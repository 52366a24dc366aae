import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { mediaFixture } from './media-fixtures.ts'
import { demoApp, setStage } from './postern.ts'
import { adas, signedInSeed } from './signed-calls.ts'
import { uploadCall } from './uploads.ts'

/** What the versions of `@xdevplatform/xdk` have in common. */
interface Kit {
  Client: new (options: never) => { media: unknown }
  OAuth1: new (keys: never) => unknown
}

const files = { image: mediaFixture('photo.png'), gif: mediaFixture('animated.gif'), video: mediaFixture('wide.mp4') }

/** The uploads that a version of the client makes. `sent` makes of a body what this version takes. */
export const xdkUploads = (name: string, { Client, OAuth1 }: Kit, sent: (body: object) => object = (body) => body): void =>
  void suite(`${name} uploads`, () => {
    const base64 = (bytes: Buffer) => bytes.toString('base64')
    async function withClient() {
      const stage = await setStage({ seed: signedInSeed, environment: { POSTERN_DIALECT: 'x' } })
      const { consumer_key: apiKey, consumer_secret: apiSecret } = demoApp
      const keys = { apiKey, apiSecret, callback: 'oob', accessToken: adas.oauth_token, accessTokenSecret: adas.oauth_token_secret }
      const client = new Client({ baseUrl: stage.origins.base_url, oauth1: new OAuth1(keys as never) } as never)
      // biome-ignore lint/suspicious/noExplicitAny: the two versions take a body in two ways
      const media = client.media as any
      return {
        upload: (body: object) => media.upload(sent(body)),
        describe: (body: object) => media.createMetadata(sent(body)),
        begin: (body: object) => media.initializeUpload(sent(body)),
        append: (id: string, body: object) => media.appendUpload(id, sent(body)),
        finalize: (id: string) => media.finalizeUpload(id),
        status: (id: string) => media.getUploadStatus(id, { command: 'STATUS' }),
        stage,
        [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
      }
    }

    test('an image in one request', async () => {
      await using they = await withClient()
      const { data } = await they.upload({ media: base64(files.image), mediaCategory: 'tweet_image' })
      assert.deepEqual([data.mediaKey, data.size], [`3_${data.id}`, files.image.length])
      assert.ok(data.expiresAfterSecs > 86_000)
    })

    test('the alt text of an image', async () => {
      await using they = await withClient()
      const { id } = (await they.upload({ media: base64(files.image), mediaCategory: 'tweet_image' })).data
      const { data } = await they.describe({ id, metadata: { altText: { text: 'a boat' } } })
      assert.deepEqual(data, { id, associatedMetadata: { altText: { text: 'a boat' } } })
      const { body } = await uploadCall(they.stage, 'GET', `/2/media/3_${id}`, { query: { 'media.fields': 'alt_text' } })
      assert.equal(body.data.alt_text, 'a boat')
    })

    test('a GIF and a video in segments', async () => {
      await using they = await withClient()
      for (const [kind, mediaType, mediaCategory] of [
        ['gif', 'image/gif', 'tweet_gif'],
        ['video', 'video/mp4', 'amplify_video'],
      ] as const) {
        const file = files[kind]
        const begun = await they.begin({ mediaType, mediaCategory, totalBytes: file.length, additionalOwners: ['102'], shared: false })
        const { id } = begun.data
        const size = 9000
        for (let index = 0; index * size < file.length; index += 1) {
          const media = base64(file.subarray(index * size, (index + 1) * size))
          const { data } = await they.append(id, { media, segmentIndex: index })
          assert.ok(data.expiresAt > Date.now() / 1000 + 86_000)
        }
        assert.equal((await they.finalize(id)).data.processingInfo.state, 'pending')
        const ready = await they.stage.until(async () => {
          const { data } = await they.status(id)
          return data.processingInfo.state === 'succeeded' && data
        })
        assert.deepEqual(ready.processingInfo, { state: 'succeeded', progressPercent: 100 })
        const path = `/2/media/${ready.mediaKey}`
        assert.equal((await uploadCall(they.stage, 'GET', path)).status, 200)
      }
    })
  })
