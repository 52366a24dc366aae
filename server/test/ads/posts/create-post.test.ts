import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Problem } from '../../../src/api/declare/problem.ts'
import { createAdsPost } from '../../../src/endpoints/ads/posts/posts.ts'
import { createIds } from '../../../src/lib/ids.ts'
import { posts } from '../../../src/storage/content-tables.ts'
import { ACCOUNT, type AdsParams, adsCaller, dataOf, mistakesOf } from '../../stage/ads.ts'
import { addMedia, brand, brands, composers, POST, postsSeed, stranger } from '../../stage/ads-posts.ts'
import { databasesOf } from '../../stage/databases.ts'
import { authorization } from '../../stage/oauth-client.ts'
import { SECRET, setStage } from '../../stage/postern.ts'
import { ada, signed } from '../../stage/sign-in.ts'
import { adas, graces } from '../../stage/signed-calls.ts'
import { openAt } from '../../storage/samples.ts'

const CARDS = `/12/accounts/${ACCOUNT}/cards/poll`

const letters = (count: number) => 'x'.repeat(count)
const environment = { POSTERN_RATE_LIMITS: 'off' }
const seed = postsSeed

for (const flavour of databasesOf(import.meta))
  suite(`a post of the advertising API on ${flavour}`, () => {
    test('answers its v1.1 form, in compat mode, and is the post that v2 reads', async () => {
      await using stage = await setStage({ flavour, seed })
      await addMedia(stage)
      const text = 'Hello @brand and @nobody, #spring $TEA https://example.com/a'
      const created = await adsCaller(stage)('POST', POST, { as_user_id: ada.id, text, media_keys: ['3_2', '3_1'], name: 'Spring' })
      const { id, id_str, post_id, created_at, user, entities, ...post } = dataOf(created)
      assert.ok(created.text.includes(`"id":${id_str},"id_str":"${id_str}"`), created.text)
      assert.ok(created.text.includes(`"as_user_id":${ada.id}`), created.text)
      assert.equal(post_id, id_str)
      assert.match(created_at, /^[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d \+0000 \d{4}$/)
      assert.deepEqual([user.id, user.id_str, user.screen_name, user.name, user.followers_count], [101, '101', 'ada', 'Ada', 0])
      assert.deepEqual(entities.hashtags, [{ text: 'spring', indices: [26, 33] }])
      assert.deepEqual(entities.symbols, [{ text: 'TEA', indices: [34, 38] }])
      assert.deepEqual(entities.user_mentions, [{ screen_name: 'brand', name: 'Brand & Co', id: 301, id_str: '301', indices: [6, 12] }])
      assert.deepEqual(
        entities.urls.map(({ url, expanded_url, indices }: Record<string, unknown>) => [url, expanded_url, indices]),
        [['https://example.com/a', 'https://example.com/a', [39, 60]]],
      )
      assert.deepEqual(
        entities.media.map(({ media_key, id_str, type, media_url_https }: Record<string, unknown>) => [
          media_key,
          id_str,
          type,
          media_url_https,
        ]),
        [
          ['3_2', '2', 'photo', 'https://media.example/2.png'],
          ['3_1', '1', 'photo', 'https://media.example/1.png'],
        ],
      )
      assert.deepEqual(post, {
        text,
        full_text: text,
        truncated: false,
        name: 'Spring',
        source: 'Demo',
        in_reply_to_status_id: null,
        in_reply_to_status_id_str: null,
        in_reply_to_user_id: null,
        in_reply_to_user_id_str: null,
        in_reply_to_screen_name: null,
        geo: null,
        coordinates: null,
        place: null,
        contributors: null,
        is_quote_status: false,
        repost_count: 0,
        favorite_count: 0,
        favorited: false,
        reposted: false,
        scopes: { followers: false },
        lang: post.lang,
        nullcast: true,
        card_uri: null,
        scheduled_at: null,
        scheduled_status: null,
        tweet_type: 'PUBLISHED',
        video_cta: null,
        video_cta_value: null,
        video_title: null,
        video_description: null,
      })

      const fields = 'post.fields=author_id,attachments,entities,reply_settings,source&expansions=attachments.media_keys,author_id'
      const read = await signed(stage, 'GET', `/2/posts/${id_str}?${fields}`, adas)
      assert.deepEqual(
        [read.body.data.text, read.body.data.author_id, read.body.data.attachments, read.body.data.reply_settings, read.body.data.source],
        [text, ada.id, { media_keys: ['3_2', '3_1'] }, 'everyone', 'Demo'],
      )
      assert.deepEqual(read.body.data.entities.hashtags, [{ start: 26, end: 33, tag: 'spring' }])
      assert.equal(read.body.includes.media.length, 2)
      // For promotion only: in no timeline, and no search finds it.
      for (const path of [`/2/users/${ada.id}/posts`, '/2/posts/search/recent?query=%23spring'])
        assert.equal((await signed(stage, 'GET', path, adas)).body.meta.result_count, 0, path)
    })

    test('is organic with nullcast=false: in timelines, and found by its words', async () => {
      await using stage = await setStage({ flavour, seed })
      const { id_str, nullcast } = dataOf(await adsCaller(stage)('POST', POST, { as_user_id: ada.id, text: 'Hello', nullcast: false }))
      assert.equal(nullcast, false)
      for (const path of [`/2/users/${ada.id}/posts`, '/2/posts/search/recent?query=hello'])
        assert.deepEqual(
          (await signed(stage, 'GET', path, adas)).body.data.map(({ id }: { id: string }) => id),
          [id_str],
        )
    })

    test('is cut to 140 characters in compat mode, and whole in extended mode', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const text = `${letters(138)} #late`
      const compat = dataOf(await ads('POST', POST, { as_user_id: ada.id, text }))
      assert.deepEqual([compat.text, compat.truncated, compat.entities.hashtags], [`${letters(138)} …`, true, []])
      assert.equal(compat.full_text, text)
      assert.ok(!('display_text_range' in compat))
      const extended = dataOf(await ads('POST', POST, { as_user_id: ada.id, text: `${text}r`, post_mode: 'extended' }))
      assert.deepEqual([extended.full_text, extended.display_text_range, extended.truncated], [`${text}r`, [0, 145], false])
      assert.equal(extended.text, `${text}r`)
      assert.ok(!('conversation_settings' in extended))
    })

    test('has the ids of its author alone with trim_user, and its setting of replies in v2', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      for (const [conversation_settings, reply_settings] of [
        ['EVERYONE', 'everyone'],
        ['FOLLOWING', 'following'],
        ['MENTIONED_USERS', 'mentionedUsers'],
      ] as const) {
        const sent = { as_user_id: ada.id, text: conversation_settings, conversation_settings, trim_user: true }
        const { user, id_str } = dataOf(await ads('POST', POST, sent))
        assert.deepEqual(user, { id: 101, id_str: '101' })
        const read = await signed(stage, 'GET', `/2/posts/${id_str}?post.fields=reply_settings`, adas)
        assert.equal(read.body.data.reply_settings, reply_settings)
      }
    })

    test('is of the caller, or with TWEET_COMPOSER of the full promotable user', async () => {
      await using stage = await setStage({ flavour, seed })
      const post = async (credentials: typeof adas, as_user_id: string, more: AdsParams = {}) =>
        adsCaller(stage, 'production', credentials)('POST', POST, { as_user_id, text: `${Math.random()}`, ...more })
      const made = dataOf(await post(composers, brand.id))
      assert.deepEqual([made.user.screen_name, made.source], ['brand', 'Demo'])
      dataOf(await post(composers, '302', { nullcast: false }))
      assert.deepEqual(mistakesOf(await post(composers, brand.id, { nullcast: false })), [400, 'INVALID_PARAMETER nullcast'])
      assert.deepEqual(mistakesOf(await post(adas, brand.id)), [403, 'ACTION_NOT_ALLOWED as_user_id'])
      for (const other of [stranger.id, '999'])
        assert.deepEqual(mistakesOf(await post(composers, other)), [400, 'INVALID_USER_ID as_user_id'], other)
      assert.deepEqual(mistakesOf(await post(graces, '102')), [403, 'ACTION_NOT_ALLOWED'])
      assert.deepEqual(mistakesOf(await post(brands, brand.id)), [403, 'ACCOUNT_NOT_FOUND'])
    })

    test('has each parameter up to its limit, and is refused by code and parameter beyond', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      await addMedia(stage)
      const ads = adsCaller(stage)
      let place = 0
      const text = () => {
        place += 1
        return `Post ${place}`
      }
      const post = (params: AdsParams) => ads('POST', POST, { as_user_id: ada.id, ...params })
      const video = { media_keys: ['7_7'] }
      const accepted: AdsParams[] = [
        { text: letters(280) },
        { text: `${'日'.repeat(140)}` },
        { text: `${letters(256)} https://example.com/${letters(200)}` },
        { media_keys: ['3_1', '3_2', '3_3', '3_4'] },
        { media_keys: ['16_6'] },
        { media_keys: ['3_1', '3_1', '3_2'] },
        { media_keys: ['13_8'], text: text() },
        { ...video, text: '' },
        { text: text(), name: letters(80) },
        { text: text(), name: '' },
        { ...video, text: text(), video_title: letters(70), video_description: letters(200) },
        { ...video, text: text(), video_cta: 'VISIT_SITE', video_cta_value: 'https://example.com/' },
        { ...video, text: text(), video_cta: 'WATCH_NOW', video_cta_value: 'http://example.com/watch' },
      ]
      for (const params of accepted) {
        const { status, text } = await post(params)
        assert.equal(status, 200, `${JSON.stringify(params).slice(0, 200)}: ${text}`)
      }
      const refused: [AdsParams, string][] = [
        [{}, 'MISSING_PARAMETER text'],
        [{ text: '' }, 'TWEET_CANNOT_BE_BLANK text'],
        [{ text: ' \n\t' }, 'TWEET_CANNOT_BE_BLANK text'],
        [{ text: letters(281) }, 'INVALID_PARAMETER text'],
        [{ text: `${'日'.repeat(140)}x` }, 'INVALID_PARAMETER text'],
        [{ text: `${letters(257)} https://example.com/a` }, 'INVALID_PARAMETER text'],
        [{ text: 'a\uFFFEb' }, 'ILLEGAL_CHARACTERS text'],
        [{ text: letters(280) }, 'DUPLICATE_TWEET text'],
        [{ text: text(), as_user_id: 'ada' }, 'INVALID_PARAMETER as_user_id'],
        [{ text: text(), as_user_id: '' }, 'INVALID_PARAMETER as_user_id'],
        [{ text: text(), name: letters(81) }, 'INVALID_PARAMETER name'],
        [{ text: text(), nullcast: 'maybe' }, 'INVALID_PARAMETER nullcast'],
        [{ text: text(), trim_user: 'maybe' }, 'INVALID_PARAMETER trim_user'],
        [{ text: text(), post_mode: 'long' }, 'INVALID_PARAMETER post_mode'],
        [{ text: text(), conversation_settings: 'FOLLOWERS' }, 'INVALID_PARAMETER conversation_settings'],
        [{ text: text(), card_uri: 'https://example.com' }, 'INVALID_PARAMETER card_uri'],
        [{ text: text(), card_uri: 'card://1' }, 'CARD_NOT_FOUND card_uri'],
        [{ media_keys: ['3_1', '3_2', '3_3', '3_4', '3_5'] }, 'INVALID_PARAMETER media_keys'],
        [{ media_keys: ['x'] }, 'INVALID_PARAMETER media_keys'],
        [{ media_keys: ['3_1', '16_6'] }, 'INVALID_MEDIA media_keys'],
        [{ media_keys: ['7_7', '13_8'] }, 'INVALID_MEDIA media_keys'],
        [{ media_keys: ['7_7', '3_1'] }, 'INVALID_MEDIA media_keys'],
        [{ media_keys: ['3_77'] }, 'INVALID_MEDIA_ID media_keys'],
        [{ media_keys: ['3_9'] }, 'INVALID_MEDIA_ID media_keys'],
        [{ text: text(), video_title: 'A title' }, 'INCLUSIVE_PARAMETERS media_keys'],
        [{ text: text(), video_description: 'A text' }, 'INCLUSIVE_PARAMETERS media_keys'],
        [{ media_keys: ['3_1'], video_title: 'A title' }, 'INVALID_MEDIA media_keys'],
        [{ media_keys: ['16_6'], video_description: 'A text' }, 'INVALID_MEDIA media_keys'],
        [{ ...video, video_title: letters(71) }, 'INVALID_PARAMETER video_title'],
        [{ ...video, video_description: letters(201) }, 'INVALID_PARAMETER video_description'],
        [{ ...video, video_cta: 'BUY', video_cta_value: 'https://example.com/' }, 'INVALID_PARAMETER video_cta'],
        [{ ...video, video_cta: 'VISIT_SITE' }, 'INCLUSIVE_PARAMETERS video_cta_value'],
        [{ ...video, video_cta_value: 'https://example.com/' }, 'INCLUSIVE_PARAMETERS video_cta'],
        [{ ...video, video_cta: 'VISIT_SITE', video_cta_value: 'example' }, 'INVALID_PARAMETER video_cta_value'],
      ]
      for (const [params, mistake] of refused) {
        const answer = await post(params)
        const status = mistake.startsWith('CARD') ? 404 : 400
        assert.deepEqual(mistakesOf(answer), [status, mistake], `${JSON.stringify(params).slice(0, 200)}: ${answer.text}`)
      }
      const missing = await ads('POST', POST, { text: text() })
      assert.deepEqual(mistakesOf(missing), [400, 'MISSING_PARAMETER as_user_id'])
    })

    test('that is deleted before it is answered is told by its id', async () => {
      await using stage = await setStage({ flavour, seed })
      await stage.stop()
      const storage = await openAt(stage.databaseUrl, stage.clock, [SECRET])
      const { content, records } = storage
      const ids = createIds(stage.clock)
      const made: string[] = []
      const services = {
        content,
        records,
        now: stage.clock.now,
        ids: { ...ids, next: () => made[made.push(ids.next()) - 1]! },
        outbox: {
          async change(_events: unknown, run: (transaction: unknown, announce: () => Promise<void>) => Promise<void>) {
            await content.change((transaction) => run(transaction, async () => {}))
            await content.change((transaction) => transaction.remove(posts, made.at(-1)!))
          },
        },
      }
      const params = {
        as_user_id: ada.id,
        text: 'Hello',
        nullcast: true,
        trim_user: false,
        post_mode: 'compat',
        conversation_settings: 'EVERYONE',
      }
      const call = { params, caller: { accountId: ACCOUNT, user: { id: ada.id }, app: { name: 'App' }, adsHost: 'production' } }
      const create = createAdsPost.handle as (call: object, services: object) => Promise<unknown>
      await assert.rejects(create(call, services), (problem: Problem) => {
        assert.equal(problem.status, 404)
        assert.match(JSON.stringify(problem.members), new RegExp(`Post ${made[0]} was created, and deleted.*TWEET_NOT_FOUND`))
        return true
      })
      await storage.close()
      await stage.start()
    })

    test('is not of an author who is suspended', async () => {
      const users = seed.users?.map((user) => ({ ...user, disabled: user.id === brand.id }))
      await using stage = await setStage({ flavour, seed: { ...seed, users } as typeof seed })
      const answer = await adsCaller(stage, 'production', composers)('POST', POST, { as_user_id: brand.id, text: 'Hello' })
      assert.deepEqual(mistakesOf(answer), [400, 'INVALID_USER_ID as_user_id'])
    })

    test('carries a card of the account that is not deleted, which v2 shows', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const choices = { name: 'Poll', first_choice: 'Tea', second_choice: 'Coffee', duration_in_minutes: 60 }
      const { id, card_uri } = dataOf(await ads('POST', CARDS, choices))
      const post = (text: string) => ads('POST', POST, { as_user_id: ada.id, text, card_uri })
      const { id_str, card_uri: shown } = dataOf(await post('One'))
      const read = await signed(stage, 'GET', `/2/posts/${id_str}?post.fields=card_uri`, adas)
      assert.deepEqual([shown, read.body.data.card_uri], [card_uri, card_uri])
      dataOf(await ads('DELETE', `${CARDS}/${id}`))
      assert.deepEqual(mistakesOf(await post('Two')), [404, 'CARD_NOT_FOUND card_uri'])
    })

    test('carries in v2 only a card of an account of which its author is a member', async () => {
      await using stage = await setStage({ flavour, seed })
      const choices = { name: 'Poll', first_choice: 'Tea', second_choice: 'Coffee', duration_in_minutes: 60 }
      const { card_uri } = dataOf(await adsCaller(stage)('POST', CARDS, choices))
      const post = (credentials: typeof adas, card_uri: string) => {
        const url = `${stage.publicOrigins.base_url}/2/posts`
        const header = authorization({ ...credentials, method: 'POST', url, nowMs: stage.clock.now() })
        return stage.api('POST', '/2/posts', { headers: { authorization: header }, json: { text: 'Hello', card_uri } })
      }
      for (const [credentials, uri] of [
        [brands, card_uri],
        [adas, 'card://1'],
        [adas, 'https://example.com/'],
      ] as const) {
        const { status, body, text } = await post(credentials, uri)
        assert.deepEqual([status, body.errors[0].parameters], [400, { card_uri: [uri] }], text)
      }
      assert.equal((await post(adas, card_uri)).status, 201)
    })

    test('carries media of the library of the account, whoever owns them, and turns them tweeted', async () => {
      const accounts = seed.accounts?.map((account) => ({ ...account, media_library: [{ media_key: '3_9' }, { media_key: '3_1' }] }))
      await using stage = await setStage({ flavour, seed: { ...seed, accounts } as typeof seed })
      await addMedia(stage)
      const ads = adsCaller(stage)
      const libraryOf = async (key: string) => dataOf(await ads('GET', `/12/accounts/${ACCOUNT}/media_library/${key}`)).tweeted
      assert.equal(await libraryOf('3_9'), false)
      dataOf(await ads('POST', POST, { as_user_id: ada.id, media_keys: ['3_9'] }))
      assert.deepEqual([await libraryOf('3_9'), await libraryOf('3_1')], [true, false])
    })

    test('is a duplicate of the same text by the same author within 24 hours, wherever that was made', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const post = () => ads('POST', POST, { as_user_id: ada.id, text: 'Once' })
      const answers = await Promise.all([post(), post(), post()])
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400])
      dataOf(await adsCaller(stage, 'production', composers)('POST', POST, { as_user_id: brand.id, text: 'Once' }))
      stage.clock.advance(24 * 3_600_000 + 1000)
      dataOf(await post())
    })
  })
