import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { accountMember } from '../../../src/access/account-member.ts'
import { adsId } from '../../../src/api/declare/ads-words.ts'
import { nullable, text } from '../../../src/api/declare/words.ts'
import { adsEndpoint } from '../../../src/api/records/ads-endpoint.ts'
import { findCard } from '../../../src/endpoints/ads/cards/find-card.ts'
import { ACCOUNT, adsCaller, dataOf, mistakesOf } from '../../stage/ads.ts'
import { creativeSeed, GRACES, IMAGE, sendJson, VIDEO, WIDE_IMAGE } from '../../stage/creatives.ts'
import { databasesOf } from '../../stage/databases.ts'
import { listed } from '../../stage/listed.ts'
import { setStage } from '../../stage/postern.ts'
import { graces } from '../../stage/signed-calls.ts'

const CARDS = `/12/accounts/${ACCOUNT}/cards`

const picture = (media_key = IMAGE) => ({ type: 'MEDIA', media_key })
const details = { type: 'DETAILS', title: 'Cups', destination: { type: 'WEBSITE', url: 'https://shop.example/cups' } }
const website = { name: 'Spring', components: [picture(), details] }
const slides = [
  [picture(), details],
  [picture(VIDEO), details],
]

const legacy = [
  { id: 'p1', name: 'Poll', first_choice: 'Tea', second_choice: 'Coffee', duration_in_minutes: '60' },
  { id: 'v1', name: 'Talk', first_cta: '#tea', first_cta_post: 'Tea!', thank_you_text: 'Thanks', title: 'Tea?', media_key: VIDEO },
]

type Shown = Record<string, string>

/** Answers the id of the card that a post of the account may carry. */
const getAttachable = adsEndpoint({
  name: 'getAttachable',
  route: 'GET /12/accounts/:account_id/attachable',
  section: '§4.7',
  summary: 'Find a card.',
  auth: accountMember(),
  params: { account_id: adsId(), uri: text() },
  data: nullable(text()),
  handle: async ({ params: { account_id, uri } }, services: Parameters<typeof findCard>[0]) => ({
    data: (await findCard(services, uri, account_id))?.id ?? null,
  }),
})

const idsOf = (cards: Shown[]) => cards.map(({ id }) => id).sort()

for (const flavour of databasesOf(import.meta))
  suite(`cards on ${flavour}`, () => {
    test('a card is created, read with what its media are, and listed', async () => {
      await using stage = await setStage({ flavour, seed: creativeSeed() })
      const ads = adsCaller(stage)
      const created = await sendJson(stage, 'POST', CARDS, website)
      const card = dataOf(created)
      const { id, created_at, updated_at, ...fields } = card
      assert.match(id, /^\d{15,19}$/)
      assert.deepEqual(fields, {
        name: 'Spring',
        card_type: 'IMAGE_WEBSITE',
        card_uri: `card://${id}`,
        deleted: false,
        components: [
          {
            ...picture(),
            media_metadata: {
              [IMAGE]: {
                type: 'IMAGE',
                url: `https://media.example/${IMAGE}.png`,
                width: 800,
                height: 800,
                video_duration: null,
                video_aspect_ratio: null,
              },
            },
          },
          details,
        ],
      })
      assert.equal(created_at, updated_at)
      assert.deepEqual(created.body.request, { params: { account_id: ACCOUNT } })
      const film = dataOf(await sendJson(stage, 'POST', CARDS, { name: 'Film', slides }))
      assert.deepEqual(film.slides[1][0].media_metadata, {
        [VIDEO]: {
          type: 'VIDEO',
          url: `https://media.example/${VIDEO}.mp4`,
          width: 1280,
          height: 720,
          video_duration: 8000,
          video_aspect_ratio: '16:9',
        },
      })
      assert.equal(film.components, null)
      for (const one of [card, film]) assert.deepEqual(dataOf(await ads('GET', `${CARDS}/${one.id}`)), one)
      const list = (await ads('GET', CARDS)).body
      assert.deepEqual([list.data, list.next_cursor], [[film, card], null])
    })

    test('an update replaces each given field, and takes a whole object back', async () => {
      await using stage = await setStage({ flavour, seed: creativeSeed() })
      const card = dataOf(await sendJson(stage, 'POST', CARDS, website))
      const put = async (body: object) => dataOf(await sendJson(stage, 'PUT', `${CARDS}/${card.id}`, body))
      stage.clock.advance(5000)
      assert.deepEqual(await put(card), card)
      const renamed = await put({ name: 'Summer', components: null, slides: null })
      assert.deepEqual([renamed.name, renamed.components], ['Summer', card.components])
      assert.ok(Date.parse(renamed.updated_at) - Date.parse(card.created_at) >= 5000)
      const film = await put({ components: [picture(VIDEO), details] })
      assert.deepEqual([film.name, film.card_type, film.components[0].media_key], ['Summer', 'VIDEO_WEBSITE', VIDEO])
      const carousel = await put({ components: null, slides })
      assert.deepEqual([carousel.card_type, carousel.components], ['MIXED_MEDIA_MULTI_DEST_CAROUSEL_WEBSITE', null])
      const back = await put({ components: card.components })
      assert.deepEqual([back.card_type, 'slides' in back], ['IMAGE_WEBSITE', false])
      const refused = async (body: object) => mistakesOf(await sendJson(stage, 'PUT', `${CARDS}/${card.id}`, body))
      assert.deepEqual(await refused({ components: [details] }), [400, 'INVALID_CARD_COMPONENTS_COMBINATION components'])
      assert.deepEqual(await refused({ components: [picture('3_1'), details] }), [404, 'MEDIA_NOT_FOUND components[0].media_key'])
      assert.deepEqual(await refused({ components: website.components, slides }), [400, 'EXCLUSIVE_PARAMETERS components'])
      assert.deepEqual(mistakesOf(await sendJson(stage, 'PUT', `${CARDS}/1`, { name: 'x' })), [404, 'CARD_NOT_FOUND'])
    })

    test('a card keeps media that were removed from the library, also when it is sent back', async () => {
      await using stage = await setStage({ flavour, seed: creativeSeed() })
      const ads = adsCaller(stage)
      const card = dataOf(await sendJson(stage, 'POST', CARDS, website))
      dataOf(await ads('DELETE', `/12/accounts/${ACCOUNT}/media_library/${IMAGE}`))
      assert.deepEqual(dataOf(await ads('GET', `${CARDS}/${card.id}`)), card)
      assert.equal((await sendJson(stage, 'PUT', `${CARDS}/${card.id}`, { ...card, name: 'Summer' })).status, 200)
      assert.deepEqual(mistakesOf(await sendJson(stage, 'POST', CARDS, website)), [404, 'MEDIA_NOT_FOUND components[0].media_key'])
    })

    test('a card with media that were removed from the library can still be changed, and needs new media to be there', async () => {
      await using stage = await setStage({ flavour, seed: creativeSeed() })
      const card = dataOf(await sendJson(stage, 'POST', CARDS, website))
      dataOf(await adsCaller(stage)('DELETE', `/12/accounts/${ACCOUNT}/media_library/${IMAGE}`))
      const put = (body: object) => sendJson(stage, 'PUT', `${CARDS}/${card.id}`, body)
      const other = { ...details, title: 'Mugs' }
      assert.equal(dataOf(await put({ components: [picture(), other] })).components[1].title, 'Mugs')
      assert.equal(dataOf(await put({ components: [other, picture()] })).components[1].media_key, IMAGE)
      const both = { components: [{ type: 'SWIPEABLE_MEDIA', media_keys: [IMAGE, GRACES] }, other] }
      assert.deepEqual(mistakesOf(await put(both)), [404, 'MEDIA_NOT_FOUND components[0].media_keys[1]'])
      assert.equal(dataOf(await put({ slides })).slides.length, 2)
    })

    test('lists are filtered by type, id and URI, and have legacy cards on demand', async () => {
      const cards = [{ id: '11', ...website }, { id: '12', name: 'Film', slides }, ...legacy]
      await using stage = await setStage({ flavour, seed: creativeSeed([], { cards }) })
      const ads = adsCaller(stage)
      const ids = async (params: object) => idsOf(dataOf(await ads('GET', CARDS, { ...params })))
      assert.deepEqual(await ids({}), ['11', '12'])
      assert.deepEqual(await ids({ include_legacy_cards: true }), ['11', '12', 'p1', 'v1'])
      assert.deepEqual(await ids({ card_types: ['IMAGE_WEBSITE', 'TEXT_POLLS'] }), ['11'])
      assert.deepEqual(await ids({ card_types: ['IMAGE_WEBSITE', 'TEXT_POLLS'], include_legacy_cards: true }), ['11', 'p1'])
      assert.deepEqual(await ids({ card_id: ['12', 'v1'] }), ['12'])
      assert.deepEqual(await ids({ card_uris: ['card://11', 'card://901'], include_legacy_cards: true }), ['11', 'p1'])
      assert.deepEqual(await ids({ q: 'sPRI' }), ['11'])
      assert.deepEqual(await ids({ q: 't', include_legacy_cards: true }), ['v1'])
      const many = Array.from({ length: 201 }, (_, n) => n + 1)
      assert.equal((await ads('GET', CARDS, { card_id: many.slice(1) })).status, 200)
      for (const [name, value] of [
        ['card_id', many],
        ['card_uris', many.map((n) => `card://${n}`)],
        ['card_uris', ['card:1']],
        ['card_types', ['FOOTER']],
        ['count', 201],
        ['q', 'x'.repeat(81)],
      ] as [string, (string | number)[]][])
        assert.deepEqual(mistakesOf(await ads('GET', CARDS, { [name]: value })), [400, `INVALID_PARAMETER ${name}`], name)
    })

    test('pages go over cards of all kinds by each sort key', async () => {
      const cards = [{ id: '11', ...website }, { id: '12', name: 'Film', slides }, ...legacy]
      await using stage = await setStage({ flavour, seed: creativeSeed([], { cards }) })
      const ads = adsCaller(stage)
      for (const sort_by of ['name-asc', 'name-desc', 'created_at-asc', 'updated_at-desc', 'deleted-asc']) {
        const params = { include_legacy_cards: true, with_deleted: true, sort_by }
        const all = dataOf(await ads('GET', CARDS, { ...params, with_total_count: true }))
        const seen: Shown[] = []
        let cursor: string | null = ''
        while (cursor !== null) {
          const { body } = await ads('GET', CARDS, { ...params, count: 1, ...(cursor && { cursor }) })
          seen.push(...body.data)
          cursor = body.next_cursor
        }
        assert.deepEqual(seen, all, sort_by)
        assert.equal(seen.length, 4)
      }
      const { next_cursor: cursor } = (await ads('GET', CARDS, { include_legacy_cards: true, count: 1 })).body
      assert.deepEqual(mistakesOf(await ads('GET', CARDS, { count: 1, cursor })), [400, 'INVALID_PARAMETER cursor'])
    })

    test('cards of any kind are read by their URIs and ids', async () => {
      const cards = [{ id: '11', ...website }, ...legacy]
      await using stage = await setStage({ flavour, seed: creativeSeed([], { cards }) })
      const ads = adsCaller(stage)
      const poll = dataOf(await ads('GET', `${CARDS}/all/p1`))
      assert.deepEqual([poll.card_type, poll.card_uri, 'media_key' in poll], ['TEXT_POLLS', 'card://901', false])
      const all = dataOf(await ads('GET', `${CARDS}/all`, { card_uris: ['card://11', 'card://901', 'card://5'] }))
      assert.deepEqual(idsOf(all), ['11', 'p1'])
      assert.deepEqual(mistakesOf(await ads('GET', `${CARDS}/all`)), [400, 'MISSING_PARAMETER card_uris'])
      assert.deepEqual(mistakesOf(await ads('GET', `${CARDS}/all/zz`)), [404, 'CARD_NOT_FOUND'])
      assert.deepEqual(mistakesOf(await ads('GET', `${CARDS}/p1`)), [404, 'CARD_NOT_FOUND'])
      assert.deepEqual(mistakesOf(await ads('DELETE', `${CARDS}/p1`)), [404, 'CARD_NOT_FOUND'])
    })

    test('a deleted card is hidden, and cannot be attached', async () => {
      await using stage = await setStage({ flavour, seed: creativeSeed(), more: { resources: [], endpoints: [listed(getAttachable)] } })
      const ads = adsCaller(stage)
      const { id, card_uri } = dataOf(await sendJson(stage, 'POST', CARDS, website))
      const found = async (uri: string) => dataOf(await ads('GET', `/12/accounts/${ACCOUNT}/attachable`, { uri }))
      assert.deepEqual([await found(card_uri), await found('card://5')], [id, null])
      assert.equal(dataOf(await ads('DELETE', `${CARDS}/${id}`)).deleted, true)
      for (const method of ['GET', 'DELETE']) assert.deepEqual(mistakesOf(await ads(method, `${CARDS}/${id}`)), [404, 'CARD_NOT_FOUND'])
      assert.equal(dataOf(await ads('GET', `${CARDS}/${id}`, { with_deleted: true })).deleted, true)
      assert.deepEqual(dataOf(await ads('GET', `${CARDS}/all`, { card_uris: [card_uri] })), [])
      assert.deepEqual(idsOf(dataOf(await ads('GET', `${CARDS}/all`, { card_uris: [card_uri], with_deleted: true }))), [id])
      assert.equal(await found(card_uri), null)
    })

    test('a seed brings cards back as they were answered, and refuses what is none', async () => {
      await using stage = await setStage({ flavour, seed: creativeSeed() })
      const ads = adsCaller(stage)
      const card = dataOf(await sendJson(stage, 'POST', CARDS, { ...website, components: [picture(WIDE_IMAGE), details] }))
      const load = (...cards: object[]) =>
        stage.operator('POST', '/operator/seed', { accounts: [{ id: ACCOUNT, name: 'Demo ads', cards }] })
      assert.deepEqual((await load(card)).body.data.differing, [])
      assert.deepEqual(dataOf(await ads('GET', `${CARDS}/${card.id}`)), card)
      const wrong: [object, RegExp][] = [
        [{ name: 'x' }, /cards\.card_type/],
        [{ ...website, components: [details] }, /cards\.card_type/],
        [{ ...website, components: [picture(), details, details] }, /cards\.components.*are not those of a card/],
        [{ ...website, card_type: 'VIDEO_WEBSITE' }, /cards\.card_type.*does not match/],
        [{ name: 'x', first_choice: 'Tea', second_choice: 'Coffee' }, /cards\.duration_in_minutes.*is missing/],
        [{ name: 'x', card_type: 'VIDEO_CONVERSATION', media_key: VIDEO }, /cards\.first_cta.*is missing/],
      ]
      for (const [one, message] of wrong) assert.match((await load(one)).text, message, JSON.stringify(one))
    })

    test('only members who make creatives change cards', async () => {
      await using stage = await setStage({ flavour, seed: creativeSeed() })
      assert.deepEqual(mistakesOf(await sendJson(stage, 'POST', CARDS, website, graces)), [403, 'ACTION_NOT_ALLOWED'])
    })
  })
