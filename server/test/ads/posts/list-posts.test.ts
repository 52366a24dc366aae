import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { listAdsPosts } from '../../../src/endpoints/ads/posts/posts.ts'
import { posts, users } from '../../../src/storage/content-tables.ts'
import { ACCOUNT, type AdsParams, adsCaller, dataOf, mistakesOf } from '../../stage/ads.ts'
import {
  addMedia,
  brand,
  brands,
  composers,
  inOtherAccount,
  POST,
  POSTS,
  postsSeed,
  SCHEDULED,
  stranger,
  withOtherAccount,
} from '../../stage/ads-posts.ts'
import { databasesOf } from '../../stage/databases.ts'
import { type Stage, setStage } from '../../stage/postern.ts'
import { ada, signed } from '../../stage/sign-in.ts'
import { adas, graces } from '../../stage/signed-calls.ts'
import { rawRows } from '../../storage/samples.ts'

const seed = { ...postsSeed, posts: [{ id: '7000', author_id: stranger.id, text: 'Of a stranger' }] } as typeof postsSeed

const idsIn = (data: { id_str: string }[]) => data.map(({ id_str }) => id_str)

/** Creates a post of a user in v2. */
async function postInV2(stage: Stage, credentials: typeof adas, json: object): Promise<string> {
  const url = `${stage.publicOrigins.base_url}/2/posts`
  const { authorization } = await import('../../stage/oauth-client.ts')
  const header = authorization({ ...credentials, method: 'POST', url, nowMs: stage.clock.now() })
  const answer = await stage.api('POST', '/2/posts', { headers: { authorization: header }, json })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data.id
}

/** Content with posts of one author, some of which are deleted once a page was looked up. */
function contentLosing(ids: readonly string[], lost: readonly string[]) {
  const rowOf = (key: string): Record<string, unknown> => ({
    id: key,
    author_id: '101',
    text: 'Hello',
    replied_to_id: null,
    created_at_ms: 0,
  })
  return {
    postIds: async (_list: object, { limit, olderThan = '99' }: { limit: number; olderThan?: string }) =>
      ids.filter((id) => BigInt(id) < BigInt(olderThan)).slice(0, limit),
    rows: async (table: object, columns: readonly string[], keys: readonly string[]) => {
      const found = table === posts || table === users ? keys.filter((key) => !lost.includes(key)) : []
      return found.map((key) => columns.map((column) => rowOf(key)[column] ?? null))
    },
  }
}

test('a post that is deleted while a page is read is left out, and the list goes on', async () => {
  const content = contentLosing(['5', '4', '3', '2', '1'], ['4', '3'])
  const pages: string[][] = []
  let cursor: string | undefined
  do {
    const params = {
      account_id: ACCOUNT,
      post_type: 'PUBLISHED',
      timeline_type: 'ALL',
      include_mentions_and_replies: true,
      count: 2,
      cursor,
    }
    const caller = { accountId: ACCOUNT, user: { id: '101' } }
    const answer = await listAdsPosts.handle({ params, caller } as never, { content, records: { list: async () => [] } } as never)
    const { data, next_cursor } = answer as { data: { id_str: string }[]; next_cursor: string | null }
    pages.push(idsIn(data))
    cursor = next_cursor ?? undefined
  } while (cursor !== undefined)
  assert.deepEqual(pages, [['5'], ['2'], ['1']])
})

for (const flavour of databasesOf(import.meta))
  suite(`posts of an account on ${flavour}`, () => {
    test('are listed by author and kind, newest first, in pages', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const asComposer = adsCaller(stage, 'production', composers)
      const make = async (call: typeof ads, as_user_id: string, text: string, more: AdsParams = {}) =>
        dataOf(await call('POST', POST, { as_user_id, text, ...more })).id_str as string
      const promoted = await make(asComposer, brand.id, 'One')
      const organic = await postInV2(stage, brands, { text: 'Two' })
      const reply = await postInV2(stage, brands, { text: 'Three', reply: { in_reply_to_post_id: organic } })
      const last = await make(asComposer, brand.id, 'Four', { name: 'Spring', conversation_settings: 'FOLLOWING' })
      const own = await make(ads, ada.id, 'Five', { nullcast: false })
      const list = async (params: AdsParams) => idsIn(dataOf(await ads('GET', POSTS, { post_type: 'PUBLISHED', ...params })))
      assert.deepEqual(await list({}), [last, promoted])
      assert.deepEqual(await list({ timeline_type: 'NULLCAST' }), [last, promoted])
      assert.deepEqual(await list({ timeline_type: 'ORGANIC' }), [reply, organic])
      assert.deepEqual(await list({ timeline_type: 'ORGANIC', include_mentions_and_replies: false }), [organic])
      assert.deepEqual(await list({ timeline_type: 'ALL' }), [last, reply, organic, promoted])
      assert.deepEqual(await list({ timeline_type: 'ALL', user_id: ada.id }), [own])
      assert.deepEqual(await list({ timeline_type: 'ALL', post_ids: [promoted, own, '7000', '1', last] }), [last, promoted])
      assert.deepEqual(await list({ post_type: 'DRAFT' }), [])
      assert.deepEqual(await list({ post_type: 'SCHEDULED' }), [])

      const first = await ads('GET', POSTS, { post_type: 'PUBLISHED', timeline_type: 'ALL', count: 3 })
      assert.deepEqual(idsIn(dataOf(first)), [last, reply, organic])
      const { next_cursor: cursor } = first.body
      const second = await ads('GET', POSTS, { post_type: 'PUBLISHED', timeline_type: 'ALL', count: 3, cursor })
      assert.deepEqual([idsIn(dataOf(second)), second.body.next_cursor], [[promoted], null])
      const other = await ads('GET', POSTS, { post_type: 'PUBLISHED', timeline_type: 'NULLCAST', cursor })
      assert.deepEqual(mistakesOf(other), [400, 'INVALID_PARAMETER cursor'])

      const [shown] = dataOf(await ads('GET', POSTS, { post_type: 'PUBLISHED', post_ids: [last], trim_user: true }))
      assert.deepEqual(
        [shown.full_text, shown.display_text_range, shown.name, shown.conversation_settings, shown.tweet_type, shown.post_id, shown.user],
        ['Four', [0, 4], 'Spring', 'FOLLOWING', 'PUBLISHED', last, { id: 301, id_str: '301' }],
      )
      assert.equal(shown.text, shown.full_text)
      const [answered] = dataOf(await ads('GET', POSTS, { post_type: 'PUBLISHED', timeline_type: 'ORGANIC', post_ids: [reply] }))
      assert.deepEqual(
        [answered.in_reply_to_status_id_str, answered.in_reply_to_user_id, answered.in_reply_to_screen_name],
        [organic, 301, 'brand'],
      )
    })

    test('are listed after no cursor that names what is not an id', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      for (const text of ['One', 'Two']) {
        dataOf(await ads('POST', POST, { as_user_id: ada.id, text }))
        dataOf(
          await ads('POST', SCHEDULED, { as_user_id: ada.id, text, scheduled_at: new Date(stage.clock.now() + 600_000).toISOString() }),
        )
      }
      for (const [path, params] of [
        [POSTS, { post_type: 'PUBLISHED' }],
        [POSTS, { post_type: 'SCHEDULED' }],
        [SCHEDULED, {}],
      ] as const) {
        const listed = { ...params, user_id: ada.id }
        const { next_cursor: cursor } = (await ads('GET', path, { ...listed, count: 1 })).body
        const after = (key: string) =>
          ads('GET', path, { ...listed, cursor: cursor.slice(0, 12) + Buffer.from(JSON.stringify([[key], key])).toString('base64url') })
        for (const key of ['x', '', '-1', '1.5', '9223372036854775808', '99999999999999999999'])
          assert.deepEqual(mistakesOf(await after(key)), [400, 'INVALID_PARAMETER cursor'], `${path} ${key}`)
        assert.deepEqual(dataOf(await after('1')), [])
      }
    })

    test('are listed for members, of the caller or of promotable users', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      dataOf(await adsCaller(stage, 'production', graces)('GET', POSTS, { post_type: 'PUBLISHED' }))
      assert.deepEqual(mistakesOf(await ads('GET', POSTS)), [400, 'MISSING_PARAMETER post_type'])
      const inOtherWords = await ads('GET', POSTS, { tweet_type: 'PUBLISHED', count: 0 })
      assert.deepEqual(inOtherWords.body.request.params, { account_id: ACCOUNT, tweet_type: 'PUBLISHED', count: 0 })
      for (const [params, mistake] of [
        [{ user_id: stranger.id }, 'INVALID_USER_ID user_id'],
        [{ timeline_type: 'HOME' }, 'INVALID_PARAMETER timeline_type'],
        [{ count: 1001 }, 'INVALID_PARAMETER count'],
        [{ post_ids: Array.from({ length: 201 }, (_, place) => place + 1) }, 'INVALID_PARAMETER post_ids'],
      ] as [AdsParams, string][])
        assert.deepEqual(mistakesOf(await ads('GET', POSTS, { post_type: 'PUBLISHED', ...params })), [400, mistake])
    })

    test('are named by members who may post, up to 80 characters; an empty name removes it', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const { id_str: id } = dataOf(
        await ads('POST', POST, { as_user_id: ada.id, text: 'Hello', name: 'One', conversation_settings: 'FOLLOWING' }),
      )
      const nameOf = (post: string) => `${POSTS}/${post}/name`
      const renamed = await ads('PUT', nameOf(id), { name: 'x'.repeat(80) })
      const { name, full_text, conversation_settings, user } = dataOf(renamed)
      assert.deepEqual([name, full_text, conversation_settings, user.screen_name], ['x'.repeat(80), 'Hello', 'FOLLOWING', 'ada'])
      assert.deepEqual(renamed.body.request.params.name, 'x'.repeat(80))
      assert.equal(dataOf(await ads('PUT', nameOf(id), { name: '' })).name, null)
      assert.deepEqual(mistakesOf(await ads('PUT', nameOf(id), { name: 'x'.repeat(81) })), [400, 'INVALID_PARAMETER name'])
      assert.deepEqual(mistakesOf(await ads('PUT', nameOf(id))), [400, 'MISSING_PARAMETER name'])
      assert.deepEqual(mistakesOf(await adsCaller(stage, 'production', graces)('PUT', nameOf(id), { name: 'x' })), [
        403,
        'ACTION_NOT_ALLOWED',
      ])
      // Of a promotable user, made elsewhere; twice at once.
      const organic = await postInV2(stage, brands, { text: 'Two' })
      const twice = await Promise.all([ads('PUT', nameOf(organic), { name: 'A' }), ads('PUT', nameOf(organic), { name: 'B' })])
      assert.deepEqual(
        twice.map((answer) => dataOf(answer).full_text),
        ['Two', 'Two'],
      )
      for (const missing of ['7000', '1', '18446744073709551615'])
        assert.deepEqual(mistakesOf(await ads('PUT', nameOf(missing), { name: 'x' })), [404, 'TWEET_NOT_FOUND post_id'], missing)
      assert.equal((await signed(stage, 'DELETE', `/2/posts/${id}`, adas)).status, 200)
      assert.deepEqual(mistakesOf(await ads('PUT', nameOf(id), { name: 'x' })), [404, 'TWEET_NOT_FOUND post_id'])
    })

    test('are hidden from another account that has their author for reposts only, unless they are organic', async () => {
      await using stage = await setStage({ flavour, seed: withOtherAccount('RETWEETS_ONLY') })
      const ads = adsCaller(stage)
      const asComposer = adsCaller(stage, 'production', composers)
      const asGrace = adsCaller(stage, 'production', graces)
      const { id_str: dark } = dataOf(await asComposer('POST', POST, { as_user_id: brand.id, text: 'Secret', name: 'Secret plan' }))
      const organic = await postInV2(stage, brands, { text: 'For all' })
      dataOf(await ads('PUT', `${POSTS}/${organic}/name`, { name: 'Internal' }))
      const list = async (params: AdsParams) =>
        dataOf(await asGrace('GET', inOtherAccount(POSTS), { post_type: 'PUBLISHED', user_id: brand.id, ...params })).map(
          ({ id_str, name }: Record<string, unknown>) => [id_str, name],
        )
      assert.deepEqual(await list({}), [])
      assert.deepEqual(await list({ post_ids: [dark] }), [])
      assert.deepEqual(await list({ timeline_type: 'ALL' }), [[organic, null]])
      assert.deepEqual(await list({ timeline_type: 'ALL', post_ids: [dark, organic] }), [[organic, null]])
      assert.deepEqual(await list({ timeline_type: 'ORGANIC' }), [[organic, null]])
      for (const id of [dark, organic]) {
        const renamed = await asGrace('PUT', inOtherAccount(`${POSTS}/${id}/name`), { name: 'Mine' })
        assert.deepEqual(mistakesOf(renamed), [404, 'TWEET_NOT_FOUND post_id'])
      }
      const own = await ads('GET', POSTS, { post_type: 'PUBLISHED', timeline_type: 'ALL' })
      assert.deepEqual(
        dataOf(own).map(({ id_str, name }: Record<string, unknown>) => [id_str, name]),
        [
          [organic, 'Internal'],
          [dark, 'Secret plan'],
        ],
      )
    })

    test('have a name of their own in each account with the same full promotable user', async () => {
      await using stage = await setStage({ flavour, seed: withOtherAccount('FULL') })
      await addMedia(stage)
      await rawRows(stage.databaseUrl, `update media set owner_id = '${brand.id}' where media_key = '7_7'`)
      const ads = adsCaller(stage)
      const asGrace = adsCaller(stage, 'production', graces)
      const sent = { as_user_id: brand.id, text: 'Hello', name: 'First', media_keys: ['7_7'], video_title: 'Title' }
      const { id_str: id } = dataOf(await adsCaller(stage, 'production', composers)('POST', POST, sent))
      const shown = async (call: typeof ads, path: string) => {
        const found = dataOf(await call('GET', path, { post_type: 'PUBLISHED' }))
        return found.map(({ id_str, name, video_title }: Record<string, unknown>) => [id_str, name, video_title])
      }
      assert.deepEqual(await shown(asGrace, inOtherAccount(POSTS)), [[id, null, null]])
      assert.equal(dataOf(await asGrace('PUT', inOtherAccount(`${POSTS}/${id}/name`), { name: 'Second' })).name, 'Second')
      assert.deepEqual(await shown(asGrace, inOtherAccount(POSTS)), [[id, 'Second', null]])
      assert.deepEqual(await shown(ads, POSTS), [[id, 'First', 'Title']])
      // A name does not make the other account the one that made the post.
      await rawRows(stage.databaseUrl, `update promotable_users set promotable_user_type = 'RETWEETS_ONLY' where id = 'pu2'`)
      assert.deepEqual(dataOf(await asGrace('GET', inOtherAccount(POSTS), { post_type: 'PUBLISHED', user_id: brand.id })), [])
      const renamed = await asGrace('PUT', inOtherAccount(`${POSTS}/${id}/name`), { name: 'Third' })
      assert.deepEqual(mistakesOf(renamed), [404, 'TWEET_NOT_FOUND post_id'])
    })

    test('that an account made stay in its lists when their author is for reposts only', async () => {
      await using stage = await setStage({ flavour, seed })
      const { id_str: id } = dataOf(
        await adsCaller(stage, 'production', composers)('POST', POST, { as_user_id: brand.id, text: 'Hello', name: 'First' }),
      )
      await rawRows(stage.databaseUrl, `update promotable_users set promotable_user_type = 'RETWEETS_ONLY' where id = 'pu1'`)
      const ads = adsCaller(stage)
      for (const params of [{}, { post_ids: [id] }, { timeline_type: 'ALL' }] as AdsParams[])
        assert.deepEqual(idsIn(dataOf(await ads('GET', POSTS, { post_type: 'PUBLISHED', user_id: brand.id, ...params }))), [id])
      assert.equal(dataOf(await ads('PUT', `${POSTS}/${id}/name`, { name: 'Second' })).name, 'Second')
    })

    test('promotable users of an account are listed and read', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const [one] = dataOf(await ads('GET', `/12/accounts/${ACCOUNT}/promotable_users`))
      const { created_at, updated_at, ...fields } = one
      assert.deepEqual(fields, { id: 'pu1', user_id: brand.id, promotable_user_type: 'FULL', deleted: false })
      assert.deepEqual(dataOf(await ads('GET', `/12/accounts/${ACCOUNT}/promotable_users/pu1`)), one)
      const none = await ads('GET', `/12/accounts/${ACCOUNT}/promotable_users/pu2`)
      assert.deepEqual(mistakesOf(none), [404, 'PROMOTABLE_USER_NOT_FOUND'])
      const sandbox = adsCaller(stage, 'sandbox')
      const { id } = dataOf(await sandbox('POST', '/12/accounts'))
      const [creator] = dataOf(await sandbox('GET', `/12/accounts/${id}/promotable_users`))
      assert.deepEqual([creator.user_id, creator.promotable_user_type], [ada.id, 'FULL'])
    })
  })
