import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callAs, postAs, setProfile, usersSeed } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { type Stage, setStage } from '../stage/postern.ts'

const seed = usersSeed('101', '102', '103')

const like = (stage: Stage, userId: string, post_id: string) =>
  callAs(stage, userId, 'POST', `/2/users/${userId}/likes`, { json: { post_id } })
const unlike = (stage: Stage, userId: string, postId: string) => callAs(stage, userId, 'DELETE', `/2/users/${userId}/likes/${postId}`)

const likeCounts = async (stage: Stage, userId: string, postId: string) => {
  const [post, user] = await Promise.all([
    callAs(stage, userId, 'GET', `/2/posts/${postId}?post.fields=public_metrics`),
    callAs(stage, userId, 'GET', `/2/users/${userId}?user.fields=public_metrics`),
  ])
  return { ofPost: post.body.data.public_metrics.like_count, ofUser: user.body.data.public_metrics.like_count }
}

const idsIn = ({ body }: { body: { data?: { id: string }[] } }) => (body.data ?? []).map(({ id }) => id)

for (const flavour of databasesOf(import.meta))
  suite(`likes on ${flavour}`, () => {
    test('a like is answered, listed for the user and the post, and counted for both, once', async () => {
      await using stage = await setStage({ flavour, seed })
      const post = await postAs(stage, '102', 'Hello')
      for (const _ of ['once', 'twice']) {
        const answer = await like(stage, '101', post)
        assert.deepEqual([answer.status, answer.body], [200, { data: { liked: true } }])
      }
      assert.deepEqual(await likeCounts(stage, '101', post), { ofPost: 1, ofUser: 1 })
      assert.deepEqual(idsIn(await callAs(stage, '103', 'GET', '/2/users/101/liked_posts')), [post])
      const users = await callAs(stage, '103', 'GET', `/2/posts/${post}/liking_users`)
      assert.deepEqual(users.body, { data: [{ id: '101', name: 'User 101', username: 'user101' }], meta: { result_count: 1 } })
    })

    test('an undone like is gone from lists and counters, and undone again it answers the same', async () => {
      await using stage = await setStage({ flavour, seed })
      const post = await postAs(stage, '102', 'Hello')
      await like(stage, '101', post)
      for (const _ of ['once', 'twice']) {
        const answer = await unlike(stage, '101', post)
        assert.deepEqual([answer.status, answer.body], [200, { data: { liked: false } }])
      }
      assert.deepEqual(await likeCounts(stage, '101', post), { ofPost: 0, ofUser: 0 })
      const list = await callAs(stage, '101', 'GET', '/2/users/101/liked_posts')
      assert.deepEqual(list.body, { meta: { result_count: 0 } })
    })

    test('the like of a repost is one of the original', async () => {
      await using stage = await setStage({ flavour, seed })
      const post = await postAs(stage, '102', 'Hello')
      const repost = (await callAs(stage, '103', 'POST', '/2/users/103/reposts', { json: { post_id: post } })).body.data.id
      await like(stage, '101', repost)
      assert.deepEqual(idsIn(await callAs(stage, '101', 'GET', '/2/users/101/liked_posts')), [post])
      await unlike(stage, '101', repost)
      assert.deepEqual(await likeCounts(stage, '101', post), { ofPost: 0, ofUser: 0 })
    })

    test('a post that is gone or not visible cannot be liked, and a like of one that goes can be undone', async () => {
      await using stage = await setStage({ flavour, seed })
      const REFUSED = {
        type: 'about:blank',
        title: 'Forbidden',
        status: 403,
        detail: 'You attempted to like a post that is deleted or not visible to you.',
      }
      const unknown = await like(stage, '101', '1')
      assert.deepEqual([unknown.status, unknown.body], [403, REFUSED])
      const [kept, deleted] = [await postAs(stage, '102', 'Hello'), await postAs(stage, '102', 'Bye')]
      await like(stage, '101', deleted)
      await callAs(stage, '102', 'DELETE', `/2/posts/${deleted}`)
      assert.deepEqual((await unlike(stage, '101', deleted)).body, { data: { liked: false } })
      assert.deepEqual(await likeCounts(stage, '101', kept), { ofPost: 0, ofUser: 0 })
      await setProfile(stage, '102', 'protected', true)
      assert.deepEqual((await like(stage, '101', kept)).body, REFUSED)
      await setProfile(stage, '102', 'protected', false)
      await callAs(stage, '102', 'POST', '/2/users/102/blocking', { json: { target_user_id: '101' } })
      assert.deepEqual((await like(stage, '101', kept)).body, REFUSED)
    })

    test('nobody likes for another user', async () => {
      await using stage = await setStage({ flavour, seed })
      const post = await postAs(stage, '102', 'Hello')
      for (const [method, path, json] of [
        ['POST', '/2/users/102/likes', { post_id: post }],
        ['DELETE', `/2/users/102/likes/${post}`, undefined],
      ] as const) {
        const { status, body } = await callAs(stage, '101', method, path, { json })
        assert.equal(status, 400)
        assert.deepEqual(body.errors, [
          {
            message: 'The `id` query parameter value [102] must be the same as the authenticating user [101]',
            parameters: { id: ['102'] },
          },
        ])
      }
    })

    test('the lists of a post or a user that is not shown have its problem instead', async () => {
      await using stage = await setStage({ flavour, seed })
      const post = await postAs(stage, '102', 'Hello')
      await setProfile(stage, '102', 'protected', true)
      const hidden = async (path: string, ...about: [string, string, string]) => {
        const [id, type, kind] = about
        const { status, body } = await callAs(stage, '101', 'GET', path)
        assert.equal(status, 200)
        const [error] = body.errors
        assert.deepEqual([error.resource_id, error.type.split('/').at(-1), error.resource_type, error.parameter], [id, type, kind, 'id'])
        assert.deepEqual([body.data, body.errors.length, body.meta], [undefined, 1, { result_count: 0 }])
      }
      await hidden(`/2/posts/${post}/liking_users`, post, 'not-authorized-for-resource', 'post')
      await hidden('/2/users/102/liked_posts', '102', 'not-authorized-for-resource', 'user')
      await hidden('/2/posts/1/liking_users', '1', 'resource-not-found', 'post')
      await hidden('/2/users/999/liked_posts', '999', 'resource-not-found', 'user')
      assert.deepEqual(idsIn(await callAs(stage, '102', 'GET', `/2/posts/${post}/liking_users`)), [])
    })

    test('likes are paged, the latest first', async () => {
      await using stage = await setStage({ flavour, seed })
      const posts: string[] = []
      for (let n = 1; n <= 7; n += 1) posts.unshift(await postAs(stage, '102', `Hello ${n}`))
      for (const post of posts) await like(stage, '101', post)
      const latestFirst = posts.toReversed()
      const one = await callAs(stage, '101', 'GET', '/2/users/101/liked_posts?max_results=5')
      const two = await callAs(stage, '101', 'GET', `/2/users/101/liked_posts?max_results=5&pagination_token=${one.body.meta.next_token}`)
      assert.deepEqual([idsIn(one), idsIn(two)], [latestFirst.slice(0, 5), latestFirst.slice(5)])
      const back = await callAs(
        stage,
        '101',
        'GET',
        `/2/users/101/liked_posts?max_results=5&pagination_token=${two.body.meta.previous_token}`,
      )
      assert.deepEqual(idsIn(back), idsIn(one))
    })
  })
