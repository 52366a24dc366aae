import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callAs, postAs, setProfile, usersSeed } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { type Stage, setStage } from '../stage/postern.ts'

const seed = usersSeed('101', '102', '103')

const repost = (stage: Stage, userId: string, post_id: string) =>
  callAs(stage, userId, 'POST', `/2/users/${userId}/reposts`, { json: { post_id } })
const undo = (stage: Stage, userId: string, postId: string) => callAs(stage, userId, 'DELETE', `/2/users/${userId}/reposts/${postId}`)

const listed = async (stage: Stage, viewerId: string, path: string): Promise<string[]> => {
  const { status, body, text } = await callAs(stage, viewerId, 'GET', path)
  assert.equal(status, 200, text)
  return (body.data ?? []).map(({ id }: { id: string }) => id)
}

const repostsOf = async (stage: Stage, post: string) =>
  (await callAs(stage, '102', 'GET', `/2/posts/${post}?post.fields=public_metrics`)).body.data.public_metrics.repost_count
const postsOf = async (stage: Stage, userId: string) => {
  const { body } = await callAs(stage, userId, 'GET', `/2/users/${userId}?user.fields=public_metrics,most_recent_post_id`)
  return [body.data.public_metrics.post_count, body.data.most_recent_post_id]
}

for (const flavour of databasesOf(import.meta))
  suite(`reposts on ${flavour}`, () => {
    test('a repost is a post of the user that begins with RT, and there is one of each user and post', async () => {
      await using stage = await setStage({ flavour, seed })
      const post = await postAs(stage, '102', 'Hello #world')
      const first = await repost(stage, '101', post)
      const { id } = first.body.data
      assert.deepEqual([first.status, first.body], [200, { data: { reposted: true, id } }])
      assert.deepEqual((await repost(stage, '101', post)).body, first.body)
      const { body } = await callAs(stage, '103', 'GET', `/2/posts/${id}?post.fields=author_id,referenced_posts`)
      assert.deepEqual(body.data, {
        id,
        text: 'RT @user102: Hello #world',
        author_id: '101',
        referenced_posts: [{ type: 'reposted', id: post }],
      })
      assert.deepEqual([await repostsOf(stage, post), await postsOf(stage, '101')], [1, [1, id]])
    })

    test('the text of a repost is cut at 140 characters', async () => {
      await using stage = await setStage({ flavour, seed })
      const post = await postAs(stage, '102', '🙂'.repeat(135))
      const { id } = (await repost(stage, '101', post)).body.data
      const { body } = await callAs(stage, '101', 'GET', `/2/posts/${id}`)
      assert.equal(body.data.text, `RT @user102: ${'🙂'.repeat(126)}…`)
    })

    test('a repost is listed by post, by user and for the author of the post', async () => {
      await using stage = await setStage({ flavour, seed })
      const [post, other] = [await postAs(stage, '102', 'Hello'), await postAs(stage, '103', 'Not mine')]
      const one = (await repost(stage, '101', post)).body.data.id
      const two = (await repost(stage, '103', post)).body.data.id
      await repost(stage, '101', other)
      assert.deepEqual(await listed(stage, '101', `/2/posts/${post}/reposted_by`), ['103', '101'])
      assert.deepEqual(await listed(stage, '101', `/2/posts/${post}/reposts`), [two, one])
      assert.deepEqual(await listed(stage, '102', '/2/users/reposts_of_me'), [two, one])
      assert.deepEqual(await listed(stage, '101', '/2/users/reposts_of_me'), [])
    })

    test('an undone repost is gone with its counters, and the former post is the most recent again', async () => {
      await using stage = await setStage({ flavour, seed })
      const [mine, post] = [await postAs(stage, '101', 'Before'), await postAs(stage, '102', 'Hello')]
      const { id } = (await repost(stage, '101', post)).body.data
      for (const _ of ['once', 'twice']) assert.deepEqual((await undo(stage, '101', post)).body, { data: { reposted: false } })
      assert.deepEqual([await repostsOf(stage, post), await postsOf(stage, '101')], [0, [1, mine]])
      assert.deepEqual(await listed(stage, '101', `/2/posts/${post}/reposts`), [])
      assert.equal((await callAs(stage, '101', 'GET', `/2/posts/${id}`)).body.errors[0].title, 'Not Found Error')
      assert.notEqual((await repost(stage, '101', post)).body.data.id, id)
    })

    test('the repost of a repost is one of the original, and can be undone by either id', async () => {
      await using stage = await setStage({ flavour, seed })
      const post = await postAs(stage, '102', 'Hello')
      const first = (await repost(stage, '101', post)).body.data.id
      await repost(stage, '103', first)
      assert.deepEqual(await listed(stage, '101', `/2/posts/${post}/reposted_by`), ['103', '101'])
      await undo(stage, '103', first)
      assert.deepEqual(await listed(stage, '101', `/2/posts/${post}/reposted_by`), ['101'])
    })

    test('a post that is gone, and a post of a protected user, cannot be reposted but by its author', async () => {
      await using stage = await setStage({ flavour, seed })
      assert.match((await repost(stage, '101', '1')).body.detail, /^You attempted to repost a post that is deleted or not visible/)
      const post = await postAs(stage, '102', 'Hello')
      await callAs(stage, '101', 'POST', '/2/users/101/following', { json: { target_user_id: '102' } })
      await setProfile(stage, '102', 'protected', true)
      const refused = await repost(stage, '101', post)
      assert.deepEqual([refused.status, refused.body.detail], [403, 'You cannot repost a post of a protected user.'])
      assert.equal((await repost(stage, '102', post)).status, 200)
    })

    test('a repost is hidden as its original is: alone, in lists and in includes', async () => {
      await using stage = await setStage({ flavour, seed })
      const [one, two] = [await postAs(stage, '102', 'One'), await postAs(stage, '102', 'Two')]
      const ofOne = (await repost(stage, '101', one)).body.data.id
      const ofTwo = (await repost(stage, '101', two)).body.data.id
      const timeline = '/2/users/101/posts?max_results=5'
      const alone = async (viewer: string, id: string) => (await callAs(stage, viewer, 'GET', `/2/posts/${id}`)).body.errors?.[0].title
      const included = async (viewer: string) => {
        const { body } = await callAs(stage, viewer, 'GET', '/2/users/101?expansions=most_recent_post_id')
        return (body.includes?.posts ?? []).map(({ id }: { id: string }) => id)
      }
      assert.deepEqual([await listed(stage, '103', timeline), await included('103')], [[ofTwo, ofOne], [ofTwo]])
      await setProfile(stage, '102', 'protected', true)
      assert.deepEqual([await listed(stage, '103', timeline), await included('103')], [[], []])
      // Neither counts nor tokens tell of them.
      const page = '/2/users/101/posts?max_results=5'
      for (const path of [page, '/2/posts/search/recent?query=from%3Auser101', '/2/posts/search/recent?query=one'])
        assert.deepEqual((await callAs(stage, '103', 'GET', path)).body, { meta: { result_count: 0 } }, path)
      for (const query of ['from%3Auser101', 'one']) {
        const counts = (await callAs(stage, '103', 'GET', `/2/posts/counts/recent?query=${query}`)).body
        assert.equal(counts.meta.total_post_count, 0)
      }
      assert.equal(await alone('103', ofTwo), 'Authorization Error')
      assert.deepEqual([await listed(stage, '102', timeline), await included('102')], [[ofTwo, ofOne], [ofTwo]])
      await setProfile(stage, '102', 'protected', false)
      await callAs(stage, '102', 'DELETE', `/2/posts/${two}`)
      assert.deepEqual([await listed(stage, '103', timeline), await included('103')], [[ofOne], []])
      assert.equal(await alone('103', ofTwo), 'Not Found Error')
    })

    test('quotes are listed, without those that are replies if these are excluded', async () => {
      await using stage = await setStage({ flavour, seed })
      const post = await postAs(stage, '102', 'Hello')
      const quote = await postAs(stage, '101', 'Look', { quote_post_id: post })
      const reply = await postAs(stage, '103', 'Here', { quote_post_id: post, reply: { in_reply_to_post_id: quote } })
      assert.deepEqual(await listed(stage, '101', `/2/posts/${post}/quote_posts`), [reply, quote])
      assert.deepEqual(await listed(stage, '101', `/2/posts/${post}/quote_posts?exclude=replies`), [quote])
    })

    test('reposts are paged, the latest first', async () => {
      await using stage = await setStage({ flavour, seed })
      const post = await postAs(stage, '102', 'Hello')
      for (const user of ['101', '102', '103']) await repost(stage, user, post)
      for (const [path, key] of [
        [`/2/posts/${post}/reposted_by`, 'id'],
        ['/2/users/reposts_of_me', 'author_id'],
      ] as const) {
        const fields = key === 'id' ? '' : '&post.fields=author_id'
        const seen: string[] = []
        let token = ''
        do {
          const { body } = await callAs(stage, '102', 'GET', `${path}?max_results=1${fields}${token && `&pagination_token=${token}`}`)
          seen.push(...body.data.map((one: Record<string, string>) => one[key]))
          token = body.meta.next_token ?? ''
        } while (token)
        assert.deepEqual(seen, ['103', '102', '101'])
      }
    })
  })
