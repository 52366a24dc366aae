// The clients that programs use, unmodified, upload media. Each believes to be where it always is.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as xdk from '@xdevplatform/xdk'
import { EUploadMimeType, TwitterApi } from 'twitter-api-v2'
import { mediaFixture } from '../stage/media-fixtures.ts'
import { demoApp } from '../stage/postern.ts'
import { adas, signedInSeed } from '../stage/signed-calls.ts'
import { asTheirHosts } from '../stage/their-hosts.ts'
import { xdkUploads } from '../stage/xdk-uploads.ts'

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

  test('the alt text that v1 and v2 say of media is read with a post', async () => {
    await using they = await withClient()
    const { v1, v2 } = they.client
    const id = await v1.uploadMedia(files.image, { mimeType: EUploadMimeType.Png })
    const { data } = await v2.tweet('With a boat', { media: { media_ids: [id] } })
    const altText = async () => {
      const { includes } = await v2.singleTweet(data.id, { expansions: ['attachments.media_keys'], 'media.fields': ['alt_text'] })
      return includes?.media?.[0]?.alt_text
    }
    await v1.createMediaMetadata(id, { alt_text: { text: 'a boat' } })
    assert.equal(await altText(), 'a boat')
    const answer = await v2.createMediaMetadata(id, { alt_text: { text: 'a ship' } })
    assert.deepEqual(answer.data, { id, associated_metadata: { alt_text: { text: 'a ship' } } })
    assert.equal(await altText(), 'a ship')
  })

  test('a video that cannot be used is refused with the reason', async () => {
    await using they = await withClient()
    const sound = they.client.v1.uploadMedia(mediaFixture('sound.mp4'), { mimeType: EUploadMimeType.Mp4 })
    await assert.rejects(sound, /Failed to process media: InvalidMedia - /)
  })
})

xdkUploads('@xdevplatform/xdk', xdk)
