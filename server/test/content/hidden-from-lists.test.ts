import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callAs, postAs, setProfile, usersSeed } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { type Stage, setStage } from '../stage/postern.ts'

const seed = usersSeed('101', '102', '103')
const environment = { POSTERN_RATE_LIMITS: 'off' }

/** The token of a page before everything: a client can write one. */
const fromTheTop = (list: string) => Buffer.from(`${list}:n:9223372036854775807`).toString('base64url')

const get = async (stage: Stage, userId: string, path: string) => {
  const { status, body, text } = await callAs(stage, userId, 'GET', path)
  assert.equal(status, 200, text)
  return body
}
const create = async (stage: Stage, userId: string, path: string, json: object) => {
  const { status, body, text } = await callAs(stage, userId, 'POST', path, { json })
  assert.equal(status, 200, text)
  return body.data
}

const NOTHING = { meta: { result_count: 0 } }

for (const flavour of databasesOf(import.meta))
  suite(`what lists tell of hidden objects on ${flavour}`, () => {
    test('no list of posts or users tells that a protected user wrote, quoted, reposted or liked', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const post = await postAs(stage, '102', 'A post of everybody')
      await postAs(stage, '101', 'My secret pineapple, @user102 https://example.com/i/spaces/1abc', { quote_post_id: post })
      await create(stage, '101', '/2/users/101/likes', { post_id: post })
      await create(stage, '101', '/2/users/101/reposts', { post_id: post })
      const { id: list } = await create(stage, '103', '/2/lists', { name: 'Watched' })
      await create(stage, '103', `/2/lists/${list}/members`, { user_id: '101' })
      const lists = {
        [`/2/posts/search/recent?query=${encodeURIComponent('from:user101 pineapple')}`]: 'search',
        [`/2/posts/search/recent?query=${encodeURIComponent('from:user101 "secret pineapple"')}`]: 'search',
        '/2/users/102/mentions?max_results=5': 'mentions-102',
        [`/2/posts/${post}/quote_posts?max_results=10`]: `quotes-${post}`,
        [`/2/posts/${post}/reposts?max_results=1`]: `reposts-${post}`,
        [`/2/posts/${post}/reposted_by?max_results=1`]: `reposters-${post}`,
        [`/2/posts/${post}/liking_users?max_results=1`]: `like-to-${post}`,
        [`/2/lists/${list}/posts?max_results=1`]: `list-posts-${list}`,
      }
      const resultsOf = async (userId: string) =>
        Promise.all(Object.keys(lists).map(async (path) => (await get(stage, userId, path)).meta.result_count))
      const seen = [1, 1, 1, 1, 1, 1, 1, 1]
      assert.deepEqual(await resultsOf('103'), seen)
      await create(stage, '102', '/2/users/102/following', { target_user_id: '101' })
      await setProfile(stage, '101', 'protected', true)
      for (const [path, name] of Object.entries(lists)) {
        assert.deepEqual(await get(stage, '103', path), NOTHING, path)
        const again = `${path}${path.includes('?') ? '&' : '?'}pagination_token=${fromTheTop(name)}`
        assert.deepEqual(await get(stage, '103', again), NOTHING, again)
      }
      assert.deepEqual(await resultsOf('102'), seen)
    })

    test('the posts of a user who is protected or unknown are the problem of the user', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      for (const text of ['1', '2', '3', '4', '5', '6']) await postAs(stage, '101', text)
      await setProfile(stage, '101', 'protected', true)
      const hidden = await get(stage, '103', '/2/users/101/posts?max_results=5')
      assert.deepEqual([hidden.data, hidden.meta], [undefined, { result_count: 0 }])
      assert.deepEqual(hidden.errors[0].detail, 'Sorry, you are not authorized to see the User with id: [101].')
      const unknown = await get(stage, '103', '/2/users/999/posts')
      assert.deepEqual([unknown.meta, unknown.errors[0].detail], [{ result_count: 0 }, 'Could not find user with id: [999].'])
      assert.equal((await get(stage, '101', '/2/users/101/posts?max_results=5')).meta.result_count, 5)
    })

    test('no list of lists tells of private ones, except to their owner', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      for (const name of ['One', 'Two']) {
        const { id } = await create(stage, '101', '/2/lists', { name, private: true })
        await create(stage, '101', `/2/lists/${id}/members`, { user_id: '103' })
        await create(stage, '101', '/2/users/101/followed_lists', { list_id: id })
      }
      const paths = { 'users/101/owned_lists': 'owned-lists-101', 'users/103/list_memberships': 'list-memberships-103' }
      const all = { ...paths, 'users/101/followed_lists': 'followed-lists-101' }
      for (const [path, name] of Object.entries(all)) {
        assert.deepEqual(await get(stage, '103', `/2/${path}?max_results=1`), NOTHING, path)
        assert.deepEqual(await get(stage, '103', `/2/${path}?pagination_token=${fromTheTop(name)}`), NOTHING, path)
        assert.equal((await get(stage, '101', `/2/${path}`)).meta.result_count, 2, path)
      }
    })

    test('a post that is only promoted is in no list, and not the most recent one', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const shown = await postAs(stage, '101', 'For all')
      const promoted = await postAs(stage, '101', 'Buy this, @user102', { nullcast: true, quote_post_id: shown })
      await create(stage, '103', '/2/users/103/following', { target_user_id: '101' })
      const { id: list } = await create(stage, '103', '/2/lists', { name: 'Watched' })
      await create(stage, '103', `/2/lists/${list}/members`, { user_id: '101' })
      const idsOf = async (path: string) => ((await get(stage, '103', path)).data ?? []).map(({ id }: { id: string }) => id)
      assert.deepEqual(await idsOf('/2/users/101/posts'), [shown])
      assert.deepEqual(await idsOf('/2/users/103/timelines/reverse_chronological'), [shown])
      assert.deepEqual(await idsOf(`/2/lists/${list}/posts`), [shown])
      assert.deepEqual(await idsOf(`/2/posts/${shown}/quote_posts`), [])
      assert.deepEqual(await idsOf('/2/users/102/mentions'), [])
      assert.equal((await get(stage, '103', '/2/users/101?user.fields=most_recent_post_id')).data.most_recent_post_id, shown)
      assert.equal((await get(stage, '103', `/2/posts/${promoted}`)).data.id, promoted)
    })
  })
