import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createPromotedPosts } from '../../src/endpoints/ads/promoted-posts/create-promoted-posts.ts'
import { createIds } from '../../src/lib/ids.ts'
import { posts } from '../../src/storage/content-tables.ts'
import type { Records } from '../../src/storage/records.ts'
import { ACCOUNT, adsCaller, dataOf, mistakesOf } from '../stage/ads.ts'
import { CAMPAIGN, seedWithLineItems } from '../stage/ads-line-items.ts'
import { databasesOf } from '../stage/databases.ts'
import { SECRET, setStage } from '../stage/postern.ts'
import { signed } from '../stage/sign-in.ts'
import { adas } from '../stage/signed-calls.ts'
import { openAt } from '../storage/samples.ts'

const PROMOTED = `/12/accounts/${ACCOUNT}/promoted_posts`
const BIG = '1997712707928100865'
const seed = seedWithLineItems('l1', 'l2')
const sorted = (records: { id: string }[]) => records.toSorted((one, other) => (one.id < other.id ? -1 : 1))

for (const flavour of databasesOf(import.meta))
  suite(`promoted posts on ${flavour}`, () => {
    test('posts are promoted together, read, filtered and deleted', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const created = await ads('POST', PROMOTED, { line_item_id: 'l1', post_ids: [BIG, '7'] })
      const [first, second] = dataOf(created)
      const { id, created_at, updated_at, ...fields } = first
      assert.deepEqual(fields, {
        line_item_id: 'l1',
        post_id: BIG,
        entity_status: 'ACTIVE',
        approval_status: 'ACCEPTED',
        deleted: false,
      })
      assert.deepEqual([second.post_id, created.body.data.length, 'total_count' in created.body], ['7', 2, false])
      assert.ok(created.text.includes(`"post_ids":[${BIG},7]`), created.text)
      const [other] = dataOf(await ads('POST', PROMOTED, { line_item_id: 'l2', post_ids: [BIG] }))

      assert.deepEqual(sorted(dataOf(await ads('GET', PROMOTED))), sorted([first, second, other]))
      assert.deepEqual(dataOf(await ads('GET', PROMOTED, { line_item_ids: ['l2'] })), [other])
      assert.deepEqual(dataOf(await ads('GET', PROMOTED, { promoted_post_ids: [second.id] })), [second])
      assert.deepEqual(dataOf(await ads('GET', `${PROMOTED}/${id}`)), first)
      assert.equal(dataOf(await ads('DELETE', `${PROMOTED}/${id}`)).deleted, true)
      for (const method of ['GET', 'DELETE'])
        assert.deepEqual(mistakesOf(await ads(method, `${PROMOTED}/${id}`)), [404, 'PROMOTED_TWEET_NOT_FOUND'], method)
      assert.equal(dataOf(await ads('GET', `${PROMOTED}/${id}`, { with_deleted: true })).deleted, true)
    })

    test('a line item promotes a post once, until that is deleted; if one is rejected, none is promoted', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const promote = (...post_ids: string[]) => ads('POST', PROMOTED, { line_item_id: 'l1', post_ids })
      const [made] = dataOf(await promote('7'))
      for (const again of ['7', '007']) assert.deepEqual(mistakesOf(await promote('8', again)), [400, 'INVALID post_ids'], again)
      assert.deepEqual(dataOf(await ads('GET', PROMOTED)), [made])
      dataOf(await ads('DELETE', `${PROMOTED}/${made.id}`))
      assert.equal(dataOf(await promote('8', '7')).length, 2)
    })

    test('one to fifty different ids are promoted, for an existing line item', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
      for (const post_ids of ['', numbers(51), ['x'], ['18446744073709551616']])
        assert.deepEqual(mistakesOf(await ads('POST', PROMOTED, { line_item_id: 'l1', post_ids })), [400, 'INVALID_PARAMETER post_ids'])
      const without = await ads('POST', PROMOTED, { line_item_id: 'zzz', post_ids: [7] })
      assert.deepEqual(mistakesOf(without), [404, 'LINE_ITEM_NOT_FOUND line_item_id'])
      assert.deepEqual(dataOf(await ads('GET', PROMOTED)), [])
      assert.equal(dataOf(await ads('POST', PROMOTED, { line_item_id: 'l1', post_ids: [...numbers(50), 7] })).length, 50)
    })

    test('posts are promoted that exist and are of promotable users, or were made by the account; others are named', async () => {
      const users = [...(seed.users ?? []), { id: '303', username: 'stranger', name: 'Stranger' }]
      const accounts = seed.accounts?.map((account) => ({ ...account, promotable_users: [{ id: 'pu1', user_id: '102' }] }))
      const posts = [
        { id: '8101', author_id: '102', text: 'Of a promotable user' },
        { id: '8102', author_id: '303', text: 'Of a stranger' },
        { id: '8103', author_id: '101', text: 'Of a member' },
      ]
      const reposts = [{ user_id: '102', post_id: '8102' }]
      await using stage = await setStage({ flavour, seed: { ...seed, users, accounts, posts, reposts } as typeof seed })
      const ads = adsCaller(stage)
      const promote = (...post_ids: string[]) => ads('POST', PROMOTED, { line_item_id: 'l1', post_ids })
      const { id_str: made } = dataOf(await ads('POST', `/12/accounts/${ACCOUNT}/post`, { as_user_id: '101', text: 'Made here' }))
      const organic = await signed(stage, 'GET', '/2/users/102/posts', adas)
      const repost = organic.body.data.find(({ id }: { id: string }) => id !== '8101').id
      const refused = await promote('8101', '8102', '8103', repost, made)
      assert.deepEqual(mistakesOf(refused), [400, 'INVALID_TWEET post_ids'])
      assert.match(refused.body.errors[0].message, new RegExp(`: 8102, 8103, ${repost}$`))
      const unknown = await promote('8101', '1', '18446744073709551615')
      assert.deepEqual(mistakesOf(unknown), [404, 'TWEET_NOT_FOUND post_ids'])
      assert.match(unknown.body.errors[0].message, /: 1, 18446744073709551615$/)
      assert.deepEqual(dataOf(await ads('GET', PROMOTED)), [])
      assert.equal(dataOf(await promote('8101', made)).length, 2)
      assert.equal((await signed(stage, 'DELETE', `/2/posts/${made}`, adas)).status, 200)
      assert.deepEqual(mistakesOf(await promote(made)), [404, 'TWEET_NOT_FOUND post_ids'])
    })

    test('a post that is deleted just before the transaction is not promoted, nor are others with it', async () => {
      const accounts = seed.accounts?.map((account) => ({ ...account, promotable_users: [{ id: 'pu1', user_id: '102' }] }))
      const ofGrace = [
        { id: '8101', author_id: '102', text: 'One' },
        { id: '8102', author_id: '102', text: 'Two' },
      ]
      await using stage = await setStage({ flavour, seed: { ...seed, accounts, posts: ofGrace } as typeof seed })
      await stage.stop()
      const storage = await openAt(stage.databaseUrl, stage.clock, [SECRET])
      const { content, records } = storage
      const late: Records = {
        ...records,
        async change(accountId, by, run) {
          await content.change((transaction) => transaction.remove(posts, '8102'))
          return records.change(accountId, by, run)
        },
      }
      const promote = createPromotedPosts.handle as (call: object, services: object) => Promise<unknown>
      const call = { params: { line_item_id: 'l1', post_ids: ['8101', '8102'] }, caller: { accountId: ACCOUNT, user: { id: '101' } } }
      const services = { content, records: late, ids: createIds(stage.clock), now: stage.clock.now }
      await assert.rejects(promote(call, services), { status: 404 })
      await storage.close()
      await stage.start()
      assert.deepEqual(dataOf(await adsCaller(stage)('GET', PROMOTED)), [])
    })

    test('the promoted posts of a deleted line item are hidden but not deleted themselves', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const [promoted] = dataOf(await ads('POST', PROMOTED, { line_item_id: 'l1', post_ids: [7] }))
      dataOf(await ads('DELETE', `/12/accounts/${ACCOUNT}/campaigns/${CAMPAIGN}`))
      assert.deepEqual(dataOf(await ads('GET', PROMOTED)), [])
      assert.deepEqual(dataOf(await ads('GET', PROMOTED, { with_deleted: true })), [promoted])
      assert.deepEqual(mistakesOf(await ads('GET', `${PROMOTED}/${promoted.id}`)), [404, 'PROMOTED_TWEET_NOT_FOUND'])
      assert.deepEqual(dataOf(await ads('GET', `${PROMOTED}/${promoted.id}`, { with_deleted: true })), promoted)
    })
  })
