import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ACCOUNT, adsCaller, type adsSeed, dataOf, mistakesOf } from '../../stage/ads.ts'
import {
  AMPLIFY,
  creativeSeed,
  GIF,
  GRACES,
  IMAGE,
  mediaSeed,
  PLAIN,
  SQUARE_VIDEO,
  TALL_IMAGE,
  VIDEO,
  WIDE_IMAGE,
} from '../../stage/creatives.ts'
import { databasesOf } from '../../stage/databases.ts'
import { mediaFixture } from '../../stage/media-fixtures.ts'
import { setStage } from '../../stage/postern.ts'
import { ada } from '../../stage/sign-in.ts'
import { graces, sendSigned } from '../../stage/signed-calls.ts'
import { v1 } from '../../stage/uploads.ts'

const LIBRARY = `/12/accounts/${ACCOUNT}/media_library`
const ACCOUNT_MEDIA = `/12/accounts/${ACCOUNT}/account_media`

const letters = (count: number) => 'x'.repeat(count)

const withoutTimes = ({ created_at, updated_at, ...fields }: Record<string, unknown>) => fields

for (const flavour of databasesOf(import.meta))
  suite(`the media library on ${flavour}`, () => {
    test('shows every member of an image, a GIF and a video, null where the kind has none', async () => {
      await using stage = await setStage({ flavour, seed: mediaSeed })
      const ads = adsCaller(stage)
      const image = dataOf(await ads('POST', LIBRARY, { media_key: IMAGE, name: 'Cup', file_name: 'cup.png' }))
      assert.deepEqual(withoutTimes(image), {
        media_key: IMAGE,
        media_type: 'IMAGE',
        media_category: 'TWEET_IMAGE',
        name: 'Cup',
        file_name: 'cup.png',
        title: null,
        description: null,
        poster_media_key: null,
        poster_media_url: null,
        duration: null,
        aspect_ratio: null,
        media_status: 'TRANSCODE_COMPLETED',
        media_url: `https://media.example/${IMAGE}.png`,
        tweeted: false,
        deleted: false,
      })
      const gif = dataOf(await ads('POST', LIBRARY, { media_key: GIF }))
      assert.deepEqual(withoutTimes(gif), {
        media_key: GIF,
        media_type: 'GIF',
        media_category: 'TWEET_GIF',
        name: null,
        file_name: null,
        title: null,
        description: null,
        media_status: 'TRANSCODE_COMPLETED',
        media_url: `https://media.example/${GIF}.mp4`,
        tweeted: false,
        deleted: false,
        poster_media_key: '3_1136048014974423044',
        poster_media_url: `https://media.example/${GIF}.jpg`,
        duration: null,
        aspect_ratio: '1:1',
      })
      const texts = { name: 'Film', file_name: 'film.mp4', title: 'See', description: 'How it is made' }
      const video = dataOf(await ads('POST', LIBRARY, { media_key: VIDEO, ...texts, poster_media_key: '' }))
      assert.deepEqual(withoutTimes(video), {
        media_key: VIDEO,
        media_type: 'VIDEO',
        media_category: 'TWEET_VIDEO',
        ...texts,
        media_status: 'TRANSCODE_COMPLETED',
        media_url: `https://media.example/${VIDEO}.mp4`,
        tweeted: false,
        deleted: false,
        poster_media_key: '3_1136048014974423045',
        poster_media_url: `https://media.example/${VIDEO}.jpg`,
        duration: 8000,
        aspect_ratio: '16:9',
      })
      for (const one of [image, gif, video]) assert.deepEqual(dataOf(await ads('GET', `${LIBRARY}/${one.media_key}`)), one)
      const { body } = await ads('GET', LIBRARY, { sort_by: ['created_at-asc'] })
      assert.deepEqual(
        body.data.toSorted((one: { media_key: string }, other: { media_key: string }) => (one.media_key < other.media_key ? -1 : 1)),
        [gif, image, video],
      )
    })

    test('is searched by terms of four fields, in either case, and filtered by type', async () => {
      await using stage = await setStage({ flavour, seed: mediaSeed })
      const ads = adsCaller(stage)
      const texts = { name: 'Spring sale', title: 'Tulips', description: 'From Holland', file_name: 'tulips-final.mp4' }
      dataOf(await ads('POST', LIBRARY, { media_key: VIDEO, ...texts }))
      dataOf(await ads('POST', LIBRARY, { media_key: IMAGE, name: 'Autumn SALE' }))
      const found = async (params: object) =>
        dataOf(await ads('GET', LIBRARY, { ...params }))
          .map(({ media_key }: { media_key: string }) => media_key)
          .sort()
      for (const q of ['SPRING', 'tulip', 'holland', 'final', 'sale tulips']) assert.deepEqual(await found({ q }), [VIDEO], q)
      assert.deepEqual(await found({ q: 'sale' }), [IMAGE, VIDEO])
      assert.deepEqual(await found({ q: 'winter' }), [])
      assert.deepEqual(await found({ media_type: 'IMAGE' }), [IMAGE])
      assert.deepEqual(await found({ media_type: 'VIDEO' }), [VIDEO])
      assert.deepEqual(await found({ media_type: 'GIF' }), [])
    })

    test('takes existing media of the user that have a category', async () => {
      await using stage = await setStage({ flavour, seed: mediaSeed })
      const ads = adsCaller(stage)
      const cases: [params: Record<string, string>, ...mistakes: unknown[]][] = [
        [{}, 400, 'MISSING_PARAMETER media_key'],
        [{ media_key: 'x' }, 400, 'INVALID_PARAMETER media_key'],
        [{ media_key: '3_1' }, 404, 'MEDIA_NOT_FOUND media_key'],
        [{ media_key: GRACES }, 404, 'MEDIA_NOT_FOUND media_key'],
        [{ media_key: PLAIN }, 400, 'INVALID_MEDIA media_key'],
        [{ media_key: VIDEO, name: letters(101) }, 400, 'INVALID_PARAMETER name'],
        [{ media_key: VIDEO, file_name: letters(256) }, 400, 'INVALID_PARAMETER file_name'],
        [{ media_key: VIDEO, title: letters(71) }, 400, 'INVALID_PARAMETER title'],
        [{ media_key: VIDEO, description: letters(201) }, 400, 'INVALID_PARAMETER description'],
        [{ media_key: IMAGE, title: 'x' }, 400, 'INVALID_PARAMETER title'],
        [{ media_key: GIF, title: 'x', description: 'x' }, 400, 'INVALID_PARAMETER title', 'INVALID_PARAMETER description'],
        [{ media_key: IMAGE, poster_media_key: WIDE_IMAGE }, 400, 'INVALID_PARAMETER poster_media_key'],
        [{ media_key: VIDEO, poster_media_key: '3_1' }, 404, 'MEDIA_NOT_FOUND poster_media_key'],
        [{ media_key: VIDEO, poster_media_key: GRACES }, 404, 'MEDIA_NOT_FOUND poster_media_key'],
        [{ media_key: VIDEO, poster_media_key: AMPLIFY }, 400, 'INVALID_MEDIA poster_media_key'],
      ]
      for (const [params, ...mistakes] of cases)
        assert.deepEqual(mistakesOf(await ads('POST', LIBRARY, params)), mistakes, JSON.stringify(params))
      assert.deepEqual(dataOf(await ads('GET', LIBRARY)), [])
      const longest = { name: letters(100), file_name: letters(255), title: letters(70), description: letters(200) }
      const added = dataOf(await ads('POST', LIBRARY, { media_key: VIDEO, ...longest, poster_media_key: '1136048014974423041' }))
      assert.deepEqual([added.poster_media_key, added.poster_media_url], [WIDE_IMAGE, `https://media.example/${WIDE_IMAGE}.png`])
      assert.deepEqual(mistakesOf(await ads('POST', LIBRARY, { media_key: VIDEO })), [400, 'INVALID media_key'])
    })

    test('an update changes what is sent, and takes a whole object back', async () => {
      await using stage = await setStage({ flavour, seed: mediaSeed })
      const ads = adsCaller(stage)
      for (const media_key of [IMAGE, VIDEO]) dataOf(await ads('POST', LIBRARY, { media_key, name: 'First' }))
      const put = (key: string, params: object) => ads('PUT', `${LIBRARY}/${key}`, { ...params })
      stage.clock.advance(5000)
      const changed = dataOf(await put(VIDEO, { title: 'See', poster_media_key: WIDE_IMAGE }))
      assert.deepEqual([changed.name, changed.title, changed.poster_media_key], ['First', 'See', WIDE_IMAGE])
      const { created_at, updated_at } = changed
      assert.ok(Date.parse(updated_at) - Date.parse(created_at) >= 5000)
      for (const key of [IMAGE, VIDEO]) {
        const whole = dataOf(await ads('GET', `${LIBRARY}/${key}`))
        const sent = Object.fromEntries(Object.entries(whole).map(([name, value]) => [name, value ?? '']))
        const { media_key, ...back } = sent
        assert.deepEqual(dataOf(await put(key, back)), whole)
      }
      const unset = dataOf(await put(VIDEO, { title: '', poster_media_key: '' }))
      assert.deepEqual([unset.title, unset.poster_media_key], [null, '3_1136048014974423045'])
      assert.deepEqual(mistakesOf(await put(IMAGE, { title: 'x' })), [400, 'INVALID_PARAMETER title'])
      const both = await put(IMAGE, { title: letters(71), name: letters(101) })
      assert.deepEqual(mistakesOf(both), [400, 'INVALID_PARAMETER name', 'INVALID_PARAMETER title'])
      assert.deepEqual(mistakesOf(await put(VIDEO, { poster_media_key: GRACES })), [404, 'MEDIA_NOT_FOUND poster_media_key'])
      assert.deepEqual(mistakesOf(await put(TALL_IMAGE, { name: 'x' })), [404, 'MEDIA_NOT_FOUND'])
    })

    test('a poster is an image of the library or of the user, whoever owns the former', async () => {
      await using stage = await setStage({ flavour, seed: creativeSeed([], { media_library: [{ media_key: GRACES }] }) })
      const ads = adsCaller(stage)
      const added = dataOf(await ads('POST', LIBRARY, { media_key: VIDEO, poster_media_key: GRACES }))
      assert.deepEqual([added.poster_media_key, added.poster_media_url], [GRACES, `https://media.example/${GRACES}.png`])
      const put = async (poster_media_key: string) => ads('PUT', `${LIBRARY}/${VIDEO}`, { poster_media_key })
      for (const poster of [WIDE_IMAGE, GRACES]) assert.equal(dataOf(await put(poster)).poster_media_key, poster)
      dataOf(await put(WIDE_IMAGE))
      dataOf(await ads('DELETE', `${LIBRARY}/${GRACES}`))
      assert.deepEqual(mistakesOf(await put(GRACES)), [404, 'MEDIA_NOT_FOUND poster_media_key'])
    })

    test('media are added and posted by those whom the upload names as additional owners too', async () => {
      await using stage = await setStage({ flavour, seed: mediaSeed })
      const upload = async (more: object) =>
        `3_${(await v1(stage, { media: mediaFixture('photo.png'), media_category: 'tweet_image', ...more }, graces)).body.media_id_string}`
      const [shared, foreign] = [await upload({ additional_owners: ada.id }), await upload({})]
      const ads = adsCaller(stage)
      const post = (media_keys: string) => ads('POST', `/12/accounts/${ACCOUNT}/post`, { as_user_id: ada.id, media_keys })
      assert.deepEqual(mistakesOf(await post(foreign)), [400, 'INVALID_MEDIA_ID media_keys'])
      assert.deepEqual(mistakesOf(await ads('POST', LIBRARY, { media_key: foreign })), [404, 'MEDIA_NOT_FOUND media_key'])
      dataOf(await post(shared))
      assert.equal(dataOf(await ads('POST', LIBRARY, { media_key: shared })).media_key, shared)
    })

    test('what is removed is hidden, and can be added again', async () => {
      await using stage = await setStage({ flavour, seed: mediaSeed })
      const ads = adsCaller(stage)
      const first = dataOf(await ads('POST', LIBRARY, { media_key: IMAGE, name: 'First' }))
      stage.clock.advance(5000)
      assert.equal(dataOf(await ads('DELETE', `${LIBRARY}/${IMAGE}`)).deleted, true)
      for (const method of ['GET', 'DELETE', 'PUT'])
        assert.deepEqual(mistakesOf(await ads(method, `${LIBRARY}/${IMAGE}`)), [404, 'MEDIA_NOT_FOUND'], method)
      assert.deepEqual(dataOf(await ads('GET', LIBRARY)), [])
      assert.equal(dataOf(await ads('GET', `${LIBRARY}/${IMAGE}`, { with_deleted: true })).deleted, true)
      stage.clock.advance(5000)
      const again = dataOf(await ads('POST', LIBRARY, { media_key: IMAGE }))
      assert.deepEqual(
        [again.name, again.deleted, Date.parse(again.created_at) - Date.parse(first.created_at) >= 10_000],
        [null, false, true],
      )
      assert.deepEqual(dataOf(await ads('GET', LIBRARY)), [again])
    })

    test('media is tweeted once a post carries it', async () => {
      const posts = [{ id: '7', author_id: '101', text: 'Look', attachments: { media_keys: [IMAGE] } }]
      await using stage = await setStage({ flavour, seed: { ...creativeSeed(), posts } as typeof adsSeed })
      const ads = adsCaller(stage)
      const tweeted = dataOf(await ads('GET', LIBRARY, { count: 50 })).filter((one: { tweeted: boolean }) => one.tweeted)
      assert.deepEqual(
        tweeted.map(({ media_key }: { media_key: string }) => media_key),
        [IMAGE],
      )
      const body = JSON.stringify({ text: 'Look again', media: { media_ids: [WIDE_IMAGE.slice(2)] } })
      const json = { headers: { 'content-type': 'application/json' }, body }
      const sent = await sendSigned(stage, { method: 'POST', path: '/2/posts', sent: json })
      assert.equal(sent.status, 201, sent.text)
      assert.equal(dataOf(await ads('GET', `${LIBRARY}/${WIDE_IMAGE}`)).tweeted, true)
    })

    test('an AMPLIFY_VIDEO becomes account media, once; other videos do not', async () => {
      await using stage = await setStage({ flavour, seed: mediaSeed })
      const ads = adsCaller(stage)
      for (const media_key of [VIDEO, AMPLIFY]) dataOf(await ads('POST', LIBRARY, { media_key }))
      const [preroll, ...others] = dataOf(await ads('GET', ACCOUNT_MEDIA))
      const { id, ...fields } = withoutTimes(preroll)
      assert.deepEqual(fields, { creative_type: 'PREROLL', video_id: AMPLIFY, media_url: null, deleted: false })
      assert.match(String(id), /^[0-9a-z]+$/)
      assert.deepEqual(others, [])
      dataOf(await ads('DELETE', `${LIBRARY}/${AMPLIFY}`))
      dataOf(await ads('POST', LIBRARY, { media_key: AMPLIFY }))
      assert.deepEqual(dataOf(await ads('GET', ACCOUNT_MEDIA)), [preroll])
    })

    test('an AMPLIFY_VIDEO of a seed becomes account media as well, once, however often the seed is loaded', async () => {
      const media_library = [{ media_key: IMAGE }, { media_key: AMPLIFY }, { media_key: SQUARE_VIDEO, deleted: true }]
      const seed = creativeSeed([], { media_library })
      await using stage = await setStage({ flavour, seed })
      await using other = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const [preroll, ...others] = dataOf(await ads('GET', ACCOUNT_MEDIA))
      assert.deepEqual([preroll.creative_type, preroll.video_id, others], ['PREROLL', AMPLIFY, []])
      assert.equal(dataOf(await adsCaller(other)('GET', ACCOUNT_MEDIA))[0].id, preroll.id)
      const load = async (more: object = {}) =>
        (await stage.operator('POST', '/operator/seed', { accounts: [{ id: ACCOUNT, name: 'Demo ads', media_library, ...more }] })).body
          .data
      const { created, differing } = await load()
      assert.deepEqual([created, differing], [[], []])
      assert.deepEqual(dataOf(await ads('GET', ACCOUNT_MEDIA)), [preroll])
      const { created_at: _, updated_at: __, ...shown } = preroll
      await load({ account_media: [shown] })
      dataOf(await ads('DELETE', `${ACCOUNT_MEDIA}/${preroll.id}`))
      await load()
      assert.deepEqual(dataOf(await ads('GET', ACCOUNT_MEDIA)), [])
    })

    test('an AMPLIFY_VIDEO of a seed that is account media of the seed is no other account media', async () => {
      const account_media = [{ id: 'm2', creative_type: 'PREROLL', video_id: AMPLIFY }]
      await using stage = await setStage({ flavour, seed: creativeSeed([], { account_media, media_library: [{ media_key: AMPLIFY }] }) })
      const ids = dataOf(await adsCaller(stage)('GET', ACCOUNT_MEDIA)).map(({ id }: { id: string }) => id)
      assert.deepEqual(ids, ['m2'])
    })

    test('account media is filtered, read and deleted', async () => {
      const account_media = [
        { id: 'm1', creative_type: 'BANNER', media_url: 'https://media.example/banner.png' },
        { id: 'm2', video_id: AMPLIFY },
        { id: 'm3', creative_type: 'VAST_PREROLL', media_url: 'https://media.example/vast.xml' },
      ]
      await using stage = await setStage({ flavour, seed: creativeSeed([], { account_media, media_library: [{ media_key: AMPLIFY }] }) })
      const ads = adsCaller(stage)
      const ids = async (params: object) =>
        dataOf(await ads('GET', ACCOUNT_MEDIA, { ...params }))
          .map(({ id }: { id: string }) => id)
          .sort()
      assert.deepEqual(await ids({}), ['m1', 'm2', 'm3'])
      assert.deepEqual(await ids({ account_media_ids: ['M1', 'm3'] }), ['m1', 'm3'])
      assert.deepEqual(await ids({ creative_types: ['BANNER', 'PREROLL'] }), ['m1', 'm2'])
      assert.deepEqual(mistakesOf(await ads('GET', ACCOUNT_MEDIA, { creative_types: ['POSTER'] })), [
        400,
        'INVALID_PARAMETER creative_types',
      ])
      const banner = dataOf(await ads('GET', `${ACCOUNT_MEDIA}/m1`))
      assert.deepEqual([banner.creative_type, banner.video_id, banner.media_url], ['BANNER', null, 'https://media.example/banner.png'])
      assert.equal(dataOf(await ads('DELETE', `${ACCOUNT_MEDIA}/m1`)).deleted, true)
      for (const method of ['GET', 'DELETE'])
        assert.deepEqual(mistakesOf(await ads(method, `${ACCOUNT_MEDIA}/m1`)), [404, 'ACCOUNT_MEDIA_NOT_FOUND'], method)
      assert.equal(dataOf(await ads('GET', `${ACCOUNT_MEDIA}/m1`, { with_deleted: true })).deleted, true)
      assert.deepEqual(await ids({ with_deleted: true }), ['m1', 'm2', 'm3'])
    })

    test('account media of a seed has a video or an address, not both', async () => {
      await using stage = await setStage({ flavour, seed: mediaSeed })
      const load = (one: object) => stage.operator('POST', '/operator/seed', { accounts: [{ name: 'Other', account_media: [one] }] })
      for (const one of [{}, { video_id: AMPLIFY, media_url: 'https://media.example/x' }])
        assert.match((await load(one)).text, /video_id.*must be set unless media_url is, and only then/)
      assert.equal((await load({ video_id: AMPLIFY })).status, 200)
    })
  })
