import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import type { Answer } from '../stage/call.ts'
import { cases } from '../stage/cases.ts'
import { callAs, postAs, usersSeed } from '../stage/content.ts'
import type { Flavour } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { type Pair, setPair } from '../stage/pair.ts'
import { rawRows } from '../storage/samples.ts'

const USERS = Array.from({ length: 20 }, (_, n) => String(101 + n))
const [A, B] = ['101', '102']
const ROUNDS = cases(2, 10)

const pairOf = (flavour: Flavour) =>
  setPair({ flavour, seed: usersSeed(...USERS), environment: { POSTERN_RATE_LIMITS: 'off' }, unused: true })

/**
 * A call that the servers of a pair take in turn. On a busy machine it may wait for a lock for too long, which changes nothing: then it is made
 * again. A circle is noticed before that.
 */
function callerOf({ one, other }: Pair) {
  let calls = 0
  return async (userId: string, method: string, path: string, json?: unknown): Promise<Answer> => {
    const stage = calls++ % 2 === 0 ? one : other
    for (;;) {
      const answer = await callAs(stage, userId, method, path, { json })
      if (answer.status !== 503) return answer
    }
  }
}
type Call = ReturnType<typeof callerOf>

const like = (call: Call, user: string, post_id: string) => call(user, 'POST', `/2/users/${user}/likes`, { post_id })
const unlike = (call: Call, user: string, post: string) => call(user, 'DELETE', `/2/users/${user}/likes/${post}`)
const repost = (call: Call, user: string, post_id: string) => call(user, 'POST', `/2/users/${user}/reposts`, { post_id })
const follow = (call: Call, user: string, target_user_id: string) => call(user, 'POST', `/2/users/${user}/following`, { target_user_id })
const unfollow = (call: Call, user: string, target: string) => call(user, 'DELETE', `/2/users/${user}/following/${target}`)
const block = (call: Call, user: string, target_user_id: string) => call(user, 'POST', `/2/users/${user}/blocking`, { target_user_id })
const unblock = (call: Call, user: string, target: string) => call(user, 'DELETE', `/2/users/${user}/blocking/${target}`)

const statusesOf = async (calls: Promise<Answer>[]) => [...new Set((await Promise.all(calls)).map(({ status }) => status))].sort()

/** Every counter that differs from the relations or posts that it counts. */
async function wrongCounters(url: string): Promise<unknown[]> {
  const counted = (relation: string, side: string, key: string) =>
    `(select count(*) from relations where relation = '${relation}' and ${side} = ${key})`
  const ofUsers = {
    followers_count: counted('follow', 'target', 'user_id'),
    following_count: counted('follow', 'source', 'user_id'),
    like_count: counted('like', 'source', 'user_id'),
    post_count: '(select count(*) from posts where author_id = user_id)',
    media_count: '(select count(*) from posts where author_id = user_id and media_keys is not null)',
  }
  const ofPosts = {
    like_count: counted('like', 'target', 'cast(posts.id as text)'),
    bookmark_count: counted('bookmark', 'target', 'cast(posts.id as text)'),
    repost_count: '(select count(*) from posts as r where r.reposted_id = posts.id)',
    reply_count: '(select count(*) from posts as r where r.replied_to_id = posts.id)',
    quote_count: '(select count(*) from posts as r where r.quoted_id = posts.id)',
  }
  const differing = async (table: string, key: string, counters: Record<string, string>) => {
    const found = Object.entries(counters).map(([column, actual]) =>
      rawRows(
        url,
        `select '${column}' as counter, ${key} as key, ${column} as says, ${actual} as is_really from ${table} where ${column} <> ${actual}`,
      ),
    )
    return (await Promise.all(found)).flat()
  }
  return [...(await differing('profiles', 'user_id', ofUsers)), ...(await differing('posts', 'id', ofPosts))]
}

const countOf = async (url: string, relation: string) =>
  Number((await rawRows(url, `select count(*) as n from relations where relation = '${relation}'`))[0]!.n)

/** SQLSTATE deadlock_detected. */
const DEADLOCK = '40P01'

/** PostgreSQL looks for a circle after this time. By default it takes longer than a transaction waits for a lock. */
async function noticeDeadlocks({ one, other }: Pair) {
  if (one === other) return
  const { pathname } = new URL(one.databaseUrl)
  await rawRows(one.databaseUrl, `alter database ${pathname.slice(1)} set deadlock_timeout = '50ms'`)
  await Promise.all([one.restart(), other.restart()])
}

for (const flavour of databasesOf(import.meta))
  suite(`engagement at once on ${flavour}`, () => {
    let pair: Pair
    before(async () => {
      pair = await pairOf(flavour)
      await noticeDeadlocks(pair)
    })
    after(() => pair[Symbol.asyncDispose]())
    afterEach(() =>
      assert.deepEqual(
        pair.lines(({ reason }) => (reason as { code?: string } | undefined)?.code === DEADLOCK),
        [],
      ),
    )
    beforeEach(async () => assert.equal((await pair.one.operator('POST', '/operator/reset')).status, 200))

    test('twenty likes, bookmarks, reposts and follows at once, each sent twice, count twenty', async () => {
      const call = callerOf(pair)
      const post = await postAs(pair.one, A!, 'Hello')
      const others = USERS.slice(1)
      const bookmark = (user: string) => call(user, 'POST', `/2/users/${user}/bookmarks`, { post_id: post })
      const twice = [...USERS, ...USERS]
      assert.deepEqual(await statusesOf(twice.map((user) => like(call, user, post))), [200])
      assert.deepEqual(await statusesOf(twice.map((user) => bookmark(user))), [200])
      assert.deepEqual(await statusesOf(twice.map((user) => repost(call, user, post))), [200])
      assert.deepEqual(await statusesOf([...others, ...others].map((user) => follow(call, user, A!))), [200])
      const metrics = (await call(A!, 'GET', `/2/posts/${post}?post.fields=public_metrics`)).body.data.public_metrics
      assert.deepEqual([metrics.like_count, metrics.bookmark_count, metrics.repost_count], [20, 20, 20])
      const { public_metrics } = (await call(A!, 'GET', `/2/users/${A}?user.fields=public_metrics`)).body.data
      assert.deepEqual([public_metrics.followers_count, public_metrics.like_count, public_metrics.post_count], [19, 1, 2])
      assert.deepEqual(await wrongCounters(pair.one.databaseUrl), [])
    })

    test('counters are those of the relations after likes, reposts and follows that are undone at the same time', async () => {
      const call = callerOf(pair)
      const post = await postAs(pair.one, A!, 'Hello')
      const calls = USERS.flatMap((user) => [
        ...[like(call, user, post), unlike(call, user, post), like(call, user, post), unlike(call, user, post)],
        ...[repost(call, user, post), call(user, 'DELETE', `/2/users/${user}/reposts/${post}`), repost(call, user, post)],
        ...(user === A ? [] : [follow(call, user, A!), unfollow(call, user, A!), follow(call, user, A!)]),
      ])
      assert.deepEqual(await statusesOf(calls), [200])
      assert.deepEqual(await wrongCounters(pair.one.databaseUrl), [])
    })

    test('two users who follow and unfollow each other at the same time do not wait for each other', async () => {
      const call = callerOf(pair)
      for (let round = 0; round < ROUNDS; round += 1) {
        const calls = [follow(call, A!, B!), follow(call, B!, A!), unfollow(call, A!, B!), unfollow(call, B!, A!)]
        assert.deepEqual(await statusesOf([...calls, follow(call, A!, B!), follow(call, B!, A!)]), [200])
      }
      assert.deepEqual(await statusesOf([follow(call, A!, B!), follow(call, B!, A!)]), [200])
      assert.equal(await countOf(pair.one.databaseUrl, 'follow'), 2)
      assert.deepEqual(await wrongCounters(pair.one.databaseUrl), [])
    })

    test('of a block and follows at the same time no follow is left', async () => {
      const call = callerOf(pair)
      for (let round = 0; round < ROUNDS; round += 1) {
        const statuses = await statusesOf([
          ...[follow(call, A!, B!), block(call, B!, A!), follow(call, B!, A!), block(call, A!, B!), follow(call, A!, B!)],
        ])
        assert.ok(
          statuses.every((status) => status === 200 || status === 403),
          String(statuses),
        )
        assert.deepEqual([await countOf(pair.one.databaseUrl, 'follow'), await countOf(pair.one.databaseUrl, 'block')], [0, 2])
        assert.deepEqual(await wrongCounters(pair.one.databaseUrl), [])
        assert.deepEqual(await statusesOf([unblock(call, A!, B!), unblock(call, B!, A!)]), [200])
      }
    })

    test('posts that are replied to, quoted, liked and deleted at the same time wait for nothing in a circle', async () => {
      const call = callerOf(pair)
      for (let round = 0; round < ROUNDS / 2; round += 1) {
        const first = await postAs(pair.one, A!, `Hello ${round}`)
        const reply = await postAs(pair.one, B!, `Hi ${round}`, { reply: { in_reply_to_post_id: first } })
        const answers = await Promise.all([
          ...USERS.slice(2).map((user) =>
            call(user, 'POST', '/2/posts', { text: `${user} ${round}`, reply: { in_reply_to_post_id: first }, quote_post_id: reply }),
          ),
          ...[A!, B!].flatMap((user) => [like(call, user, first), like(call, user, reply), repost(call, user, reply)]),
          ...[call(A!, 'POST', '/2/posts', { text: `own ${round}`, reply: { in_reply_to_post_id: first } })],
          ...[call(B!, 'DELETE', `/2/posts/${reply}`), unlike(call, B!, reply), call(A!, 'DELETE', `/2/posts/${first}`)],
        ])
        const failed = answers.filter(({ status }) => status >= 500)
        assert.deepEqual(
          failed.map(({ text }) => text),
          [],
        )
      }
      const ofUsers = (await wrongCounters(pair.one.databaseUrl)) as { counter: string }[]
      assert.deepEqual(ofUsers, [])
    })

    test('users who are deleted while others follow, like, reply, list and delete wait for nothing in a circle', async () => {
      const call = callerOf(pair)
      const [listId] = await Promise.all(
        [A!].map(async (user) => (await call(user, 'POST', '/2/lists', { name: 'All' })).body.data.id as string),
      )
      for (let round = 0; round < cases(2, 4); round += 1) {
        const gone = USERS.slice(2 + round * 2, 4 + round * 2)
        const others = [A!, B!, ...USERS.slice(15)]
        const posts = await Promise.all(gone.map((user) => postAs(pair.one, user, `Hello ${round}`)))
        const own = await Promise.all(
          others.map((user) => postAs(pair.one, user, `Hi ${round} ${user}`, { reply: { in_reply_to_post_id: posts[0]! } })),
        )
        await Promise.all(
          gone.flatMap((user) => [follow(call, user, A!), follow(call, user, B!), ...own.map((post) => like(call, user, post))]),
        )
        const answers = await Promise.all([
          ...others.flatMap((user, place) => [
            ...gone.flatMap((one) => [
              follow(call, user, one),
              call(one, 'POST', '/2/posts', { text: `Me ${place}`, quote_post_id: own[place] }),
            ]),
            ...posts.map((post) => like(call, user, post)),
            ...gone.map((one) => unlike(call, one, own[place]!)),
          ]),
          ...gone.map((user) => call(A!, 'POST', `/2/lists/${listId}/members`, { user_id: user })),
          ...gone.map((user) => call(user, 'POST', `/2/users/${user}/followed_lists`, { list_id: listId })),
          ...gone.map((user, place) => (place % 2 === 0 ? pair.one : pair.other).operator('DELETE', `/operator/users/${user}`)),
          ...own.slice(0, 4).map((post, place) => call(others[place]!, 'DELETE', `/2/posts/${post}`)),
        ])
        // The operator's may wait for a lock for too long, too.
        const refused = answers.filter(({ status }) => status >= 500)
        assert.deepEqual(
          refused.filter(({ status }) => status !== 503).map(({ text }) => text),
          [],
        )
        for (const user of gone) await pair.one.operator('DELETE', `/operator/users/${user}`)
      }
      assert.deepEqual(await wrongCounters(pair.one.databaseUrl), [])
      const gone = USERS.slice(2, 2 + 2 * cases(2, 4)).map((user) => `'${user}'`)
      const left = `select relation, source, target from relations where relation in ('follow', 'like', 'list_member', 'list_follower')
        and (source in (${gone}) or (relation <> 'like' and target in (${gone})))`
      assert.deepEqual(await rawRows(pair.one.databaseUrl, left), [])
      assert.deepEqual(await rawRows(pair.one.databaseUrl, `select id from posts where author_id in (${gone})`), [])
    })
  })
