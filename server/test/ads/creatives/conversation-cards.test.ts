import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ACCOUNT, adsCaller, dataOf, mistakesOf } from '../../stage/ads.ts'
import {
  AMPLIFY,
  creativeSeed,
  GIF,
  GRACES,
  IMAGE,
  LONG_VIDEO,
  SMALL_IMAGE,
  SQUARE_VIDEO,
  TALL_VIDEO,
  VIDEO,
  WIDE_IMAGE,
  withBareVideo,
} from '../../stage/creatives.ts'
import { databasesOf } from '../../stage/databases.ts'
import { setStage } from '../../stage/postern.ts'

const VIDEOS = `/12/accounts/${ACCOUNT}/cards/video_conversation`
const IMAGES = `/12/accounts/${ACCOUNT}/cards/image_conversation`

const FEATURES = ['CONVERSATION_CARD', 'CONVERSATION_CARD_FOUR_OPTIONS', 'CONVERSATION_CARD_UNLOCK']

const least = {
  name: 'Talk',
  first_cta: '#tea',
  first_cta_post: 'I like #tea',
  thank_you_text: 'Thank you',
  title: 'Tea?',
  media_key: VIDEO,
}
const letters = (count: number) => 'x'.repeat(count)

type Sent = Record<string, string>
const without = (sent: Sent, name: string) => Object.fromEntries(Object.entries(sent).filter(([other]) => other !== name))

/** Each row of the table of §4.7: what is accepted besides the least that a card needs. */
const accepted: [what: string, sent: Sent][] = [
  ['a cta of 20 characters', { first_cta: letters(20) }],
  ['a cta of 20 characters and #', { first_cta: `#${letters(20)}` }],
  ['a cta_post of 280 characters', { first_cta_post: letters(280) }],
  ['a cta_post with a long URL, which counts 23', { first_cta_post: `${letters(256)} https://shop.example.com/${letters(100)}` }],
  ['a thank_you_text of 23 characters', { thank_you_text: letters(23) }],
  ['a title of 23 characters', { title: letters(23) }],
  ['two ctas and a title', { second_cta: '#coffee', second_cta_post: 'I like #coffee' }],
  ['four ctas', { second_cta: '#b', second_cta_post: 'b', third_cta: '#c', third_cta_post: 'c', fourth_cta: '#d', fourth_cta_post: 'd' }],
  ['a thank_you_url', { thank_you_url: 'https://shop.example/thanks' }],
  ['another video', { media_key: AMPLIFY }],
]

const inclusive = (name: string) => `INCLUSIVE_PARAMETERS ${name}`
const invalid = (name: string) => `INVALID_PARAMETER ${name}`

const refused: [what: string, sent: Sent, ...mistakes: string[]][] = [
  ...['first_cta', 'second_cta', 'third_cta', 'fourth_cta'].map((name): [string, Sent, string] => [
    `a ${name} of 21 characters`,
    { [name]: `#${letters(21)}`, [`${name}_post`]: 'x' },
    invalid(name),
  ]),
  ...['first_cta', 'second_cta', 'third_cta', 'fourth_cta'].map((name): [string, Sent, string] => [
    `a ${name}_post that is longer than a post`,
    { [name]: '#b', [`${name}_post`]: letters(281) },
    invalid(`${name}_post`),
  ]),
  ['a first_cta_post of 141 CJK characters', { first_cta_post: '茶'.repeat(141) }, invalid('first_cta_post')],
  ['two hashtags', { first_cta: '#tea #coffee' }, invalid('first_cta')],
  ['a thank_you_text of 24 characters', { thank_you_text: letters(24) }, invalid('thank_you_text')],
  ['a title of 24 characters', { title: letters(24) }, invalid('title')],
  ['second_cta without its post', { second_cta: '#b' }, inclusive('second_cta_post')],
  ['third_cta without its post', { third_cta: '#c' }, inclusive('third_cta_post')],
  ['fourth_cta without its post', { fourth_cta: '#d' }, inclusive('fourth_cta_post')],
  ['a thank_you_url that is none', { thank_you_url: 'thanks' }, invalid('thank_you_url')],
  ['a name of 81 characters', { name: letters(81) }, invalid('name')],
  ['a media_key that is none', { media_key: 'x' }, invalid('media_key')],
  ['an image', { media_key: WIDE_IMAGE }, 'INVALID_MEDIA media_key'],
  ['a GIF', { media_key: GIF }, 'INVALID_MEDIA media_key'],
  ['a video of 1:1', { media_key: SQUARE_VIDEO }, 'INVALID_MEDIA media_key'],
  ['a video of 9:16', { media_key: TALL_VIDEO }, 'INVALID_MEDIA media_key'],
  ['a video of more than ten minutes', { media_key: LONG_VIDEO }, 'INVALID_MEDIA media_key'],
  ['a video as poster', { poster_media_key: AMPLIFY }, 'INVALID_MEDIA poster_media_key'],
  ['a video as unlocked image', { unlocked_image_media_key: AMPLIFY }, 'INVALID_MEDIA unlocked_image_media_key'],
  ['an image as unlocked video', { unlocked_video_media_key: IMAGE }, 'INVALID_MEDIA unlocked_video_media_key'],
]

for (const flavour of databasesOf(import.meta))
  suite(`conversation cards on ${flavour}`, () => {
    test('a video conversation card has its texts, and what its video is', async () => {
      await using stage = await setStage({ flavour, seed: creativeSeed(['CONVERSATION_CARD']) })
      const ads = adsCaller(stage)
      const card = dataOf(await ads('POST', VIDEOS, least))
      const { id, card_uri, created_at, updated_at, ...fields } = card
      assert.match(card_uri, /^card:\/\/\d{15,19}$/)
      assert.deepEqual(fields, {
        name: 'Talk',
        card_type: 'VIDEO_CONVERSATION',
        title: 'Tea?',
        first_cta: '#tea',
        first_cta_post: 'I like #tea',
        thank_you_text: 'Thank you',
        media_key: VIDEO,
        media_url: `https://media.example/${VIDEO}.mp4`,
        deleted: false,
        poster_media_url: `https://media.example/${VIDEO}.jpg`,
        video_owner_id: '101',
        video_width: 16,
        video_height: 9,
      })
      assert.deepEqual(dataOf(await ads('GET', `${VIDEOS}/${id}`)), card)
      assert.deepEqual(dataOf(await ads('GET', VIDEOS, { card_ids: [id], q: 'tal' })), [card])
      assert.deepEqual(dataOf(await ads('GET', IMAGES)), [])
      assert.deepEqual(mistakesOf(await ads('GET', `${IMAGES}/${id}`)), [404, 'CARD_NOT_FOUND'])
    })

    test('a video conversation card shows null for its title, and for what its video has not', async () => {
      const cards = [{ id: 'bare', ...least, title: undefined, second_cta: '#tee', second_cta_post: 'y', card_type: 'VIDEO_CONVERSATION' }]
      await using stage = await setStage({ flavour, seed: withBareVideo(creativeSeed(['CONVERSATION_CARD'], { cards })) })
      const ads = adsCaller(stage)
      const bare = dataOf(await ads('GET', `${VIDEOS}/bare`))
      for (const member of ['title', 'media_url', 'poster_media_url', 'video_width', 'video_height'])
        assert.equal(bare[member], null, member)
      assert.equal(bare.video_owner_id, '101')
      assert.deepEqual(dataOf(await ads('GET', VIDEOS)), [bare])
    })

    test('an image conversation card has an image of 1.91:1', async () => {
      await using stage = await setStage({ flavour, seed: creativeSeed(['CONVERSATION_CARD']) })
      const ads = adsCaller(stage)
      const card = dataOf(await ads('POST', IMAGES, { ...least, media_key: WIDE_IMAGE }))
      const { id, card_uri, created_at, updated_at, ...fields } = card
      assert.deepEqual(fields, {
        name: 'Talk',
        card_type: 'IMAGE_CONVERSATION',
        title: 'Tea?',
        first_cta: '#tea',
        first_cta_post: 'I like #tea',
        thank_you_text: 'Thank you',
        media_key: WIDE_IMAGE,
        media_url: `https://media.example/${WIDE_IMAGE}.png`,
        deleted: false,
        image_display_width: 1200,
        image_display_height: 628,
      })
      for (const media_key of [VIDEO, IMAGE, SMALL_IMAGE])
        assert.deepEqual(mistakesOf(await ads('POST', IMAGES, { ...least, media_key })), [400, 'INVALID_MEDIA media_key'], media_key)
      const renamed = dataOf(await ads('PUT', `${IMAGES}/${id}`, { name: 'Chat' }))
      assert.deepEqual([renamed.name, renamed.media_key], ['Chat', WIDE_IMAGE])
      assert.equal(dataOf(await ads('DELETE', `${IMAGES}/${id}`)).deleted, true)
      assert.deepEqual(dataOf(await ads('GET', IMAGES)), [])
    })

    test('every rule of the table holds', async () => {
      await using stage = await setStage({ flavour, seed: creativeSeed(FEATURES), environment: { POSTERN_RATE_LIMITS: 'off' } })
      const ads = adsCaller(stage)
      for (const [what, more] of accepted) {
        const card = dataOf(await ads('POST', VIDEOS, { ...least, ...more }))
        for (const [name, value] of Object.entries(more)) assert.equal(card[name], value, what)
      }
      const untitled = without({ ...least, second_cta: '#b', second_cta_post: 'b' }, 'title')
      assert.equal(dataOf(await ads('POST', VIDEOS, untitled)).title, null)
      for (const [what, more, ...mistakes] of refused)
        assert.deepEqual(mistakesOf(await ads('POST', VIDEOS, { ...least, ...more })), [400, ...mistakes], what)
      for (const missing of ['first_cta', 'first_cta_post', 'media_key', 'name', 'thank_you_text', 'title'])
        assert.deepEqual(mistakesOf(await ads('POST', VIDEOS, without(least, missing))), [400, `MISSING_PARAMETER ${missing}`], missing)
      const message = async (more: Sent) => (await ads('POST', VIDEOS, { ...least, ...more })).body.errors[0].message
      assert.equal(
        await message({ media_key: SQUARE_VIDEO }),
        `media_key must be a video of 16:9, and ${SQUARE_VIDEO} has 720 × 720 pixels`,
      )
      assert.equal(await message({ second_cta: '#b' }), 'second_cta_post is required when second_cta is set')
      assert.deepEqual(mistakesOf(await ads('POST', VIDEOS, { ...least, media_key: '7_1' })), [404, 'MEDIA_NOT_FOUND media_key'])
    })

    test('what is unlocked, and a poster, are media of the library', async () => {
      await using stage = await setStage({ flavour, seed: creativeSeed(FEATURES) })
      const ads = adsCaller(stage)
      const unlocked = { unlocked_image_media_key: IMAGE, unlocked_video_media_key: AMPLIFY }
      const card = dataOf(await ads('POST', VIDEOS, { ...least, ...unlocked, poster_media_key: '1136048014974423041' }))
      assert.deepEqual(
        [card.unlocked_image_url, card.unlocked_video_media_key, card.unlocked_video_url, 'unlocked_image_media_key' in card],
        [`https://media.example/${IMAGE}.png`, AMPLIFY, `https://media.example/${AMPLIFY}.mp4`, false],
      )
      assert.deepEqual([card.poster_media_key, card.poster_media_url], [WIDE_IMAGE, `https://media.example/${WIDE_IMAGE}.png`])
    })

    test('a poster is an image of the library or of the user, and no other', async () => {
      const media_library = [VIDEO, GRACES].map((media_key) => ({ media_key }))
      await using stage = await setStage({ flavour, seed: creativeSeed(FEATURES, { media_library }) })
      const ads = adsCaller(stage)
      const post = (poster_media_key: string) => ads('POST', VIDEOS, { ...least, poster_media_key })
      for (const poster of [GRACES, WIDE_IMAGE]) assert.equal(dataOf(await post(poster)).poster_media_key, poster)
      assert.deepEqual(mistakesOf(await post('3_1')), [404, 'MEDIA_NOT_FOUND poster_media_key'])
      const { id } = dataOf(await ads('POST', VIDEOS, least))
      assert.equal(dataOf(await ads('PUT', `${VIDEOS}/${id}`, { poster_media_key: IMAGE })).poster_media_key, IMAGE)
      const unlocked = { ...least, unlocked_image_media_key: IMAGE }
      assert.deepEqual(mistakesOf(await ads('POST', VIDEOS, unlocked)), [404, 'MEDIA_NOT_FOUND unlocked_image_media_key'])
    })

    test('texts that are posted are no longer than a post in an update and in a seed', async () => {
      await using stage = await setStage({ flavour, seed: creativeSeed(FEATURES) })
      const ads = adsCaller(stage)
      const { id } = dataOf(await ads('POST', VIDEOS, least))
      const put = await ads('PUT', `${VIDEOS}/${id}`, { first_cta_post: letters(281) })
      assert.deepEqual(mistakesOf(put), [400, 'INVALID_PARAMETER first_cta_post'])
      const cards = [{ ...least, first_cta_post: letters(281) }]
      const loaded = await stage.operator('POST', '/operator/seed', { accounts: [{ id: ACCOUNT, name: 'Demo ads', cards }] })
      assert.equal(loaded.status, 400)
      assert.match(loaded.text, /cards\.first_cta_post.*is too long for a post/)
    })

    test('features are needed for the card, for four options and for what is unlocked', async () => {
      await using stage = await setStage({ flavour, seed: creativeSeed(['CONVERSATION_CARD']) })
      const ads = adsCaller(stage)
      const rest = { third_cta: '#c', third_cta_post: 'c', fourth_cta: '#d', fourth_cta_post: 'd', unlocked_image_media_key: IMAGE }
      assert.deepEqual(mistakesOf(await ads('POST', VIDEOS, { ...least, ...rest, unlocked_video_media_key: VIDEO })), [
        400,
        ...['third_cta', 'fourth_cta', 'unlocked_image_media_key', 'unlocked_video_media_key'].map(
          (name) => `FEATURE_NOT_AVAILABLE ${name}`,
        ),
      ])
      const { id } = dataOf(await ads('POST', VIDEOS, least))
      const put = await ads('PUT', `${VIDEOS}/${id}`, { third_cta: '#c', third_cta_post: 'c' })
      assert.deepEqual(mistakesOf(put), [400, 'FEATURE_NOT_AVAILABLE third_cta'])
      await using other = await setStage({ flavour, seed: creativeSeed() })
      assert.deepEqual(mistakesOf(await adsCaller(other)('POST', VIDEOS, least)), [400, 'FEATURE_NOT_AVAILABLE'])
    })

    test('an update keeps what is not sent, clears what is empty, and holds the rules', async () => {
      await using stage = await setStage({ flavour, seed: creativeSeed(FEATURES) })
      const ads = adsCaller(stage)
      const card = dataOf(await ads('POST', VIDEOS, { ...least, thank_you_url: 'https://shop.example/' }))
      const put = (sent: Sent) => ads('PUT', `${VIDEOS}/${card.id}`, sent)
      assert.deepEqual(dataOf(await put(card)), card)
      assert.equal('thank_you_url' in dataOf(await put({ thank_you_url: '' })), false)
      assert.deepEqual(mistakesOf(await put({ title: '' })), [400, 'MISSING_PARAMETER title'])
      assert.deepEqual(mistakesOf(await put({ second_cta: '#b' })), [400, 'INCLUSIVE_PARAMETERS second_cta_post'])
      const second = dataOf(await put({ title: '', second_cta: '#b', second_cta_post: 'b' }))
      assert.deepEqual([second.second_cta, second.title], ['#b', null])
      assert.deepEqual(mistakesOf(await put({ second_cta_post: '' })), [400, 'INCLUSIVE_PARAMETERS second_cta_post'])
      assert.deepEqual(mistakesOf(await put({ first_cta: '' })), [400, 'INVALID_PARAMETER first_cta'])
      assert.deepEqual(mistakesOf(await put({ media_key: SQUARE_VIDEO })), [400, 'INVALID_MEDIA media_key'])
      const moved = dataOf(await put({ media_key: AMPLIFY }))
      assert.deepEqual([moved.media_key, moved.media_url], [AMPLIFY, `https://media.example/${AMPLIFY}.mp4`])
      assert.equal(dataOf(await ads('DELETE', `${VIDEOS}/${card.id}`)).deleted, true)
      assert.deepEqual(mistakesOf(await put({ name: 'x' })), [404, 'CARD_NOT_FOUND'])
      assert.equal(dataOf(await ads('GET', `${VIDEOS}/${card.id}`, { with_deleted: true })).deleted, true)
    })
  })
