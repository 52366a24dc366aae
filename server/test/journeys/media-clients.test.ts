// The clients that programs use, unmodified, upload media. Each believes to be where it always is.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Client, OAuth1 } from '@xdevplatform/xdk'
import { EUploadMimeType, TwitterApi } from 'twitter-api-v2'
import * as xdk from 'xdk-0.5'
import { mediaFixture } from '../stage/media-fixtures.ts'
import { demoApp, setStage } from '../stage/postern.ts'
import { adas, signedInSeed } from '../stage/signed-calls.ts'
import { asTheirHosts } from '../stage/their-hosts.ts'
import { uploadCall } from '../stage/uploads.ts'

const files = {
  image: mediaFixture('photo.png'),
  gif: mediaFixture('animated.gif'),
  video: mediaFixture('wide.mp4'),
}

suite('twitter-api-v2 uploads', () => {
  async function withClient() {
    const hosts = await asTheirHosts(signedInSeed)
    const { oauth_token: accessToken, oauth_token_secret: accessSecret } = adas
    const keys = { appKey: demoApp.consumer_key, appSecret: demoApp.consumer_secret, accessToken, accessSecret }
    const client = new TwitterApi(keys, { httpAgent: hosts.agent })
    return { client, hosts, [Symbol.asyncDispose]: () => hosts[Symbol.asyncDispose]() }
  }

  test('an image, a GIF and videos in segments by v1, whose media a post then carries', async () => {
    await using they = await withClient()
    const { v1, v2 } = they.client
    const uploads = [
      ['photo', '3', await v1.uploadMedia(files.image, { mimeType: EUploadMimeType.Png })],
      ['animated_gif', '16', await v1.uploadMedia(files.gif, { mimeType: EUploadMimeType.Gif })],
      ['video', '7', await v1.uploadMedia(files.video, { mimeType: EUploadMimeType.Mp4, chunkLength: 9000 })],
      ['video', '13', await v1.uploadMedia(files.video, { mimeType: EUploadMimeType.Mp4, longVideo: true, chunkLength: 9000 })],
    ] as const
    for (const [type, prefix, mediaId] of uploads) {
      const { data } = await v2.tweet(`With ${type} ${prefix}`, { media: { media_ids: [mediaId] } })
      const { includes } = await v2.singleTweet(data.id, { expansions: ['attachments.media_keys'], 'media.fields': ['type'] })
      assert.deepEqual(includes?.media, [{ media_key: `${prefix}_${mediaId}`, type }])
    }
  })

  test('the whole answer is what the client reads', async () => {
    await using they = await withClient()
    const options = { mimeType: EUploadMimeType.Png }
    const whole = (await they.client.v1.uploadMedia(files.image, options, true)) as unknown as Record<string, unknown>
    assert.equal(whole.size, files.image.length)
    assert.deepEqual(whole.image, { image_type: 'image/png', w: 64, h: 48 })
    const info = await they.client.v1.mediaInfo(String(whole.media_id_string))
    assert.equal(info.media_id_string, whole.media_id_string)
  })

  test('an image, a GIF and a video by v2', async () => {
    await using they = await withClient()
    const { v2 } = they.client
    const types = { image: 'image/png', gif: 'image/gif', video: 'video/mp4' } as const
    for (const name of ['image', 'gif', 'video'] as const) {
      const id = await v2.uploadMedia(files[name], { media_type: types[name] as EUploadMimeType }, 9000)
      const { data } = await v2.tweet(`With ${name}`, { media: { media_ids: [id] } })
      assert.ok(data.id)
    }
  })

  test('a video that cannot be used is refused with the reason', async () => {
    await using they = await withClient()
    const sound = they.client.v1.uploadMedia(mediaFixture('sound.mp4'), { mimeType: EUploadMimeType.Mp4 })
    await assert.rejects(sound, /Failed to process media: InvalidMedia - /)
  })
})

for (const [name, Kit, Signer] of [
  ['@xdevplatform/xdk', Client, OAuth1],
  ['@xdevplatform/xdk 0.5', xdk.Client, xdk.OAuth1],
] as const)
  suite(`${name} uploads`, () => {
    const base64 = (bytes: Buffer) => bytes.toString('base64')
    const isNew = name === '@xdevplatform/xdk'

    async function withClient() {
      const stage = await setStage({ seed: signedInSeed, environment: { POSTERN_DIALECT: 'x' } })
      const { consumer_key: apiKey, consumer_secret: apiSecret } = demoApp
      const keys = { apiKey, apiSecret, callback: 'oob', accessToken: adas.oauth_token, accessTokenSecret: adas.oauth_token_secret }
      const client = new Kit({ baseUrl: stage.origins.base_url, oauth1: new Signer(keys) as never })
      // biome-ignore lint/suspicious/noExplicitAny: the two versions take a body in two ways
      const media = client.media as any
      const sent = (body: object) => (isNew ? body : { body })
      return {
        upload: (body: object) => media.upload(sent(body)),
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
