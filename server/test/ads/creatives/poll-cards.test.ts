import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ACCOUNT, adsCaller, dataOf, mistakesOf } from '../../stage/ads.ts'
import { creativeSeed, GIF, IMAGE, SMALL_IMAGE, SQUARE_VIDEO, VIDEO, WIDE_IMAGE, withBareVideo } from '../../stage/creatives.ts'
import { databasesOf } from '../../stage/databases.ts'
import { setStage } from '../../stage/postern.ts'

const POLLS = `/12/accounts/${ACCOUNT}/cards/poll`

const poll = { name: 'Drinks', first_choice: 'Tea', second_choice: 'Coffee', duration_in_minutes: 10_080 }
const letters = (count: number) => 'x'.repeat(count)
const MINUTE_MS = 60_000

/** The video fields on media polls (§2.7). */
const VIDEO_MEMBERS = [
  ...['video_url', 'video_hls_url', 'video_width', 'video_height', 'video_poster_url', 'video_poster_width', 'video_poster_height'],
  'content_duration_seconds',
]

type Fields = Record<string, unknown>
const withoutTimes = ({ created_at, updated_at, start_time, end_time, ...fields }: Fields) => fields

for (const flavour of databasesOf(import.meta))
  suite(`poll cards on ${flavour}`, () => {
    test('a poll without media has no member of media, and its duration is a number', async () => {
      await using stage = await setStage({ flavour, seed: creativeSeed() })
      const ads = adsCaller(stage)
      const created = await ads('POST', POLLS, poll)
      const card = dataOf(created)
      const { id, card_uri, ...fields } = withoutTimes(card)
      assert.match(String(id), /^[0-9a-z]{10,13}$/)
      assert.equal(card_uri, `card://${[...String(id)].reduce((n, digit) => n * 36n + BigInt(Number.parseInt(digit, 36)), 0n)}`)
      assert.deepEqual(fields, {
        name: 'Drinks',
        card_type: 'TEXT_POLLS',
        first_choice: 'Tea',
        second_choice: 'Coffee',
        duration_in_minutes: 10_080,
        deleted: false,
      })
      assert.equal(card.start_time, card.created_at)
      assert.equal(Date.parse(card.end_time) - Date.parse(card.start_time), 10_080 * MINUTE_MS)
      assert.deepEqual(created.body.request.params, { account_id: ACCOUNT, ...poll })
      assert.deepEqual(dataOf(await ads('GET', `${POLLS}/${id}`)), card)
      assert.deepEqual(dataOf(await ads('GET', POLLS)), [card])
    })

    test('a poll has an image or a video, of an account with the feature', async () => {
      await using stage = await setStage({ flavour, seed: creativeSeed(['PROMOTED_MEDIA_POLLS']) })
      const ads = adsCaller(stage)
      const film = withoutTimes(dataOf(await ads('POST', POLLS, { ...poll, media_key: VIDEO })))
      const { id: _, card_uri: __, ...fields } = film
      assert.deepEqual(fields, {
        name: 'Drinks',
        card_type: 'VIDEO_POLLS',
        first_choice: 'Tea',
        second_choice: 'Coffee',
        duration_in_minutes: 10_080,
        video_url: `https://media.example/${VIDEO}.mp4`,
        video_hls_url: `https://media.example/${VIDEO}.m3u8`,
        video_width: 16,
        video_height: 9,
        video_poster_url: `https://media.example/${VIDEO}.jpg`,
        video_poster_width: 16,
        video_poster_height: 9,
        content_duration_seconds: 8,
        deleted: false,
      })
      const picture = dataOf(await ads('POST', POLLS, { ...poll, media_key: WIDE_IMAGE }))
      assert.deepEqual(
        [picture.card_type, picture.media_url, picture.image_display_width, picture.image_display_height, 'media_key' in picture],
        ['IMAGE_POLLS', `https://media.example/${WIDE_IMAGE}.png`, 1200, 628, false],
      )
      for (const member of VIDEO_MEMBERS) assert.equal(picture[member], null, member)
      for (const media_key of [IMAGE, SMALL_IMAGE, SQUARE_VIDEO, GIF])
        assert.deepEqual(mistakesOf(await ads('POST', POLLS, { ...poll, media_key })), [400, 'INVALID_MEDIA media_key'], media_key)
      assert.deepEqual(mistakesOf(await ads('POST', POLLS, { ...poll, media_key: '7_1' })), [404, 'MEDIA_NOT_FOUND media_key'])
      const { body } = await ads('POST', POLLS, { ...poll, media_key: GIF })
      assert.equal(body.errors[0].message, 'media_key must be an image or a video')
    })

    test('a poll whose video has no address, poster, size or duration shows null for each, in its list too', async () => {
      const cards = [{ id: 'bare', ...poll, media_key: VIDEO }]
      await using stage = await setStage({ flavour, seed: withBareVideo(creativeSeed(['PROMOTED_MEDIA_POLLS'], { cards })) })
      const ads = adsCaller(stage)
      const bare = dataOf(await ads('GET', `${POLLS}/bare`))
      for (const member of VIDEO_MEMBERS) assert.equal(bare[member], null, member)
      assert.deepEqual(dataOf(await ads('GET', POLLS)), [bare])
      const { media_key, ...inAll } = dataOf(await ads('GET', `/12/accounts/${ACCOUNT}/cards/all/bare`))
      assert.deepEqual(inAll, bare)
    })

    test('media need the feature PROMOTED_MEDIA_POLLS', async () => {
      await using stage = await setStage({ flavour, seed: creativeSeed() })
      const answer = await adsCaller(stage)('POST', POLLS, { ...poll, media_key: VIDEO })
      assert.deepEqual(mistakesOf(answer), [400, 'FEATURE_NOT_AVAILABLE media_key'])
    })

    test('each parameter has its limits', async () => {
      await using stage = await setStage({ flavour, seed: creativeSeed() })
      const ads = adsCaller(stage)
      const accepted: Record<string, string | number>[] = [
        { duration_in_minutes: 5 },
        { duration_in_minutes: 10_080 },
        { first_choice: letters(25), second_choice: letters(25), third_choice: letters(25), fourth_choice: letters(25) },
        { third_choice: 'Water' },
        { name: letters(80) },
      ]
      for (const more of accepted) {
        const card = dataOf(await ads('POST', POLLS, { ...poll, ...more }))
        for (const [name, value] of Object.entries(more)) assert.equal(card[name], value)
      }
      const refused: [more: Record<string, string | number>, ...mistakes: unknown[]][] = [
        [{ duration_in_minutes: 4 }, 'INVALID_PARAMETER duration_in_minutes'],
        [{ duration_in_minutes: 10_081 }, 'INVALID_PARAMETER duration_in_minutes'],
        [{ duration_in_minutes: 'long' }, 'INVALID_PARAMETER duration_in_minutes'],
        ...['first_choice', 'second_choice', 'third_choice', 'fourth_choice'].map((name): [Record<string, string>, string] => [
          { third_choice: 'Water', [name]: letters(26) },
          `INVALID_PARAMETER ${name}`,
        ]),
        [{ fourth_choice: 'Wine' }, 'INCLUSIVE_PARAMETERS third_choice'],
        [{ name: letters(81) }, 'INVALID_PARAMETER name'],
        [{ media_key: 'x' }, 'INVALID_PARAMETER media_key'],
      ]
      for (const [more, ...mistakes] of refused)
        assert.deepEqual(mistakesOf(await ads('POST', POLLS, { ...poll, ...more })), [400, ...mistakes], JSON.stringify(more))
      for (const missing of Object.keys(poll)) {
        const { [missing]: _, ...rest } = poll as Record<string, string | number>
        assert.deepEqual(mistakesOf(await ads('POST', POLLS, rest)), [400, `MISSING_PARAMETER ${missing}`])
      }
    })

    test('a poll is listed by id and name, deleted softly, and never updated', async () => {
      const components = [
        { type: 'MEDIA', media_key: IMAGE },
        { type: 'DETAILS', title: 'x', destination: { type: 'WEBSITE', url: 'https://a.example' } },
      ]
      await using stage = await setStage({ flavour, seed: creativeSeed([], { cards: [{ id: '11', name: 'Drinks too', components }] }) })
      const ads = adsCaller(stage)
      const first = dataOf(await ads('POST', POLLS, poll))
      const second = dataOf(await ads('POST', POLLS, { ...poll, name: 'Food' }))
      assert.deepEqual(dataOf(await ads('GET', POLLS, { card_ids: [first.id, '11'] })), [first])
      assert.deepEqual(dataOf(await ads('GET', POLLS, { q: 'dR' })), [first])
      assert.equal((await ads('GET', POLLS, { with_total_count: true })).body.total_count, 2)
      for (const count of [0, 1001]) assert.deepEqual(mistakesOf(await ads('GET', POLLS, { count })), [400, 'INVALID_PARAMETER count'])
      assert.deepEqual(mistakesOf(await ads('GET', `${POLLS}/11`)), [404, 'CARD_NOT_FOUND'])
      assert.equal((await ads('PUT', `${POLLS}/${first.id}`, { name: 'x' })).status, 405)
      for (const kind of ['video_conversation', 'image_conversation'])
        assert.deepEqual(mistakesOf(await ads('DELETE', `/12/accounts/${ACCOUNT}/cards/${kind}/${first.id}`)), [404, 'CARD_NOT_FOUND'])
      const unknown = await ads('DELETE', `/12/accounts/${ACCOUNT}/cards/website/${first.id}`)
      assert.deepEqual(mistakesOf(unknown), [404, 'ROUTE_NOT_FOUND'])
      const { updated_at: _, ...deleted } = dataOf(await ads('DELETE', `${POLLS}/${first.id}`))
      const { updated_at: __, ...before } = first
      assert.deepEqual(deleted, { ...before, deleted: true })
      for (const method of ['GET', 'DELETE'])
        assert.deepEqual(mistakesOf(await ads(method, `${POLLS}/${first.id}`)), [404, 'CARD_NOT_FOUND'], method)
      assert.equal(dataOf(await ads('GET', `${POLLS}/${first.id}`, { with_deleted: true })).deleted, true)
      assert.deepEqual(dataOf(await ads('GET', POLLS)), [second])
    })
  })
