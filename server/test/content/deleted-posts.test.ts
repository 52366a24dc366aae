import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Outbox } from '../../src/delivery/outbox.ts'
import { surroundingsOf } from '../../src/endpoints/posts/insert-posts.ts'
import { removeOwnPost } from '../../src/endpoints/posts/remove-own-post.ts'
import { storedPost, storePost } from '../../src/endpoints/posts/stored-post.ts'
import { users } from '../../src/storage/content-tables.ts'
import { callAs, nameOf, postAs, usersSeed } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { setPair } from '../stage/pair.ts'
import { until } from '../stage/pause.ts'
import { type Stage, setStage } from '../stage/postern.ts'
import { aUser, openedAlone, rawRows } from '../storage/samples.ts'

const environment = { POSTERN_RATE_LIMITS: 'off' }
const MANY = 1300

const metricsOf = async (stage: Stage, userId: string) =>
  (await callAs(stage, '101', 'GET', `/2/users/${userId}?user.fields=public_metrics`)).body.data.public_metrics

const left = async (url: string) =>
  Number((await rawRows(url, `select count(*) as n from relations where relation in ('like', 'bookmark')`))[0]!.n)

/** Waits until nothing of removed posts is left, however long that takes. */
const untilNothingLeft = (url: string) => until(async () => (await left(url)) === 0)

/** Likes and bookmarks of a post by users who exist in the database alone. */
async function likedByMany(url: string, post: string) {
  const numbers = url.startsWith('sqlite:')
    ? `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${MANY})`
    : `with numbers as (select n from generate_series(1, ${MANY}) as n)`
  const fill = async (table: string, columns: string, values: string) =>
    rawRows(
      url,
      `${url.startsWith('sqlite:') ? '' : numbers} insert into ${table} (${columns}) ${url.startsWith('sqlite:') ? numbers : ''} ${values} returning 1`,
    )
  await fill(
    'users',
    'id, username, username_key, name, disabled, created_at_ms',
    `select cast(5000 + n as text), 'many' || n, 'many' || n, 'Many', false, 0 from numbers`,
  )
  await fill(
    'profiles',
    'user_id, description, location, url, profile_image_url, profile_banner_url, protected, verified, verified_type, receives_dms, followers_count, following_count, post_count, listed_count, like_count, media_count',
    `select cast(5000 + n as text), '', '', '', '', '', false, false, '', true, 0, 0, 0, 0, 1, 0 from numbers`,
  )
  for (const relation of ['like', 'bookmark'])
    await fill('relations', 'relation, source, target, position', `select '${relation}', cast(5000 + n as text), '${post}', n from numbers`)
}

const likesCounted = async (url: string) => Number((await rawRows(url, 'select coalesce(sum(like_count), 0) as n from profiles'))[0]!.n)

for (const flavour of databasesOf(import.meta))
  suite(`deleted posts on ${flavour}`, () => {
    test('likes, bookmarks and the poll of a post go with it, and likers and the author count without it', async () => {
      await using stage = await setStage({ flavour, seed: usersSeed('101', '102', '103'), environment })
      const post = await postAs(stage, '101', 'Which?', { poll: { options: ['One', 'Two'], duration_minutes: 60 } })
      const other = await postAs(stage, '101', 'Another')
      for (const user of ['102', '103'])
        for (const id of [post, other]) {
          await callAs(stage, user, 'POST', `/2/users/${user}/likes`, { json: { post_id: id } })
          await callAs(stage, user, 'POST', `/2/users/${user}/bookmarks`, { json: { post_id: id } })
        }
      assert.equal((await callAs(stage, '101', 'DELETE', `/2/posts/${post}`)).status, 200)
      assert.deepEqual(await rawRows(stage.databaseUrl, 'select id from polls'), [])
      const rows = await rawRows(stage.databaseUrl, `select distinct target from relations where relation in ('like', 'bookmark')`)
      assert.deepEqual(rows, [{ target: other }])
      for (const user of ['102', '103']) assert.equal((await metricsOf(stage, user)).like_count, 1)
      const liked = (await callAs(stage, '102', 'GET', '/2/users/102/liked_posts')).body
      assert.deepEqual([liked.meta.result_count, liked.meta.next_token], [1, undefined])
    })

    test('what many likes and bookmarks of a deleted post leave goes in slices', async () => {
      await using stage = await setStage({ flavour, seed: usersSeed('101'), environment })
      const post = await postAs(stage, '101', 'Popular')
      await likedByMany(stage.databaseUrl, post)
      assert.equal(await likesCounted(stage.databaseUrl), MANY)
      assert.equal((await callAs(stage, '101', 'DELETE', `/2/posts/${post}`)).status, 200)
      assert.deepEqual((await callAs(stage, '101', 'GET', `/2/posts/${post}`)).body.data, undefined)
      await untilNothingLeft(stage.databaseUrl)
      assert.equal(await likesCounted(stage.databaseUrl), 0)
    })

    test('a start goes on where a removal stopped', async () => {
      await using stage = await setStage({ flavour, seed: usersSeed('101'), environment })
      await likedByMany(stage.databaseUrl, '77')
      await rawRows(stage.databaseUrl, 'insert into removed_posts (id) values (77) returning 1')
      await stage.restart()
      await untilNothingLeft(stage.databaseUrl)
      assert.equal(await likesCounted(stage.databaseUrl), 0)
    })

    test('likes, bookmarks and reposts that come while a post is deleted leave nothing', async () => {
      const users = ['101', '102', '103', '104', '105', '106']
      await using pair = await setPair({ flavour, seed: usersSeed(...users), environment })
      for (let round = 0; round < 6; round += 1) {
        const post = await postAs(pair.one, '101', `Hello ${round}`)
        const acts = users.flatMap((user, place) => {
          const stage = place % 2 === 0 ? pair.one : pair.other
          return ['likes', 'bookmarks'].map(
            (what) => () => callAs(stage, user, 'POST', `/2/users/${user}/${what}`, { json: { post_id: post } }),
          )
        })
        const deletion = () => callAs(pair.other, '101', 'DELETE', `/2/posts/${post}`)
        const answers = await Promise.all([...acts.slice(0, 3), deletion, ...acts.slice(3)].map((act) => act()))
        assert.deepEqual(
          answers.filter(({ status }) => status !== 200 && status !== 403).map(({ text }) => text),
          [],
        )
        assert.equal((await callAs(pair.one, '101', 'GET', `/2/posts/${post}`)).body.data, undefined)
      }
      await untilNothingLeft(pair.one.databaseUrl)
      assert.equal(await likesCounted(pair.one.databaseUrl), 0)
    })

    test('a deleted user leaves no likes, bookmarks and polls of posts', async () => {
      await using stage = await setStage({ flavour, seed: usersSeed('101', '102'), environment })
      const post = await postAs(stage, '101', 'Which?', { poll: { options: ['One', 'Two'], duration_minutes: 60 } })
      await callAs(stage, '102', 'POST', '/2/users/102/likes', { json: { post_id: post } })
      assert.equal((await stage.operator('DELETE', '/operator/users/101')).status, 200)
      await untilNothingLeft(stage.databaseUrl)
      assert.equal(await likesCounted(stage.databaseUrl), 0)
      assert.deepEqual(await rawRows(stage.databaseUrl, 'select id from polls'), [])
    })

    test('posts with media count for their author as long as they are there', async () => {
      await using stage = await setStage({ flavour, seed: usersSeed('101'), environment })
      await rawRows(
        stage.databaseUrl,
        `insert into media (media_key, owner_id, type, created_at_ms, view_count) values ('3_1', '101', 'photo', 0, 0) returning 1`,
      )
      const post = await postAs(stage, '101', 'A photo', { media: { media_ids: ['1'] } })
      await postAs(stage, '101', 'None')
      assert.equal((await metricsOf(stage, '101')).media_count, 1)
      await callAs(stage, '101', 'DELETE', `/2/posts/${post}`)
      assert.equal((await metricsOf(stage, '101')).media_count, 0)
    })

    test('of two posts that are deleted at once neither is left as the newest of their author', async () => {
      await using it = await openedAlone(flavour)
      const { content } = it.storage
      await it.storage.users.insert(aUser({ id: '101' }))
      const store = async (id: string, nullcast = false) => {
        const post = { id, authorId: '101', text: `Post ${id}`, createdAtMs: 0, nullcast }
        const surroundings = await surroundingsOf(post, content)
        await content.change((transaction) => storePost(transaction, post, surroundings))
      }
      for (const id of ['8', '9', '10']) await store(id)
      await store('11', true)
      const newest = async () => (await content.rows(users, ['most_recent_post_id'], ['101']))[0]![0]
      assert.equal(await newest(), '10')

      /** Removes a post; `meanwhile` happens between its reads and its transaction. */
      const remove = async (id: string, meanwhile: () => Promise<unknown> = async () => undefined) => {
        const change: Outbox['change'] = async (_, run) => {
          await meanwhile()
          return content.change((transaction) => run(transaction, async () => undefined))
        }
        const outbox = { change } as Outbox
        assert.equal(await removeOwnPost({ content, outbox, now: () => 0 }, (await storedPost(content, id))!), true)
      }
      await remove('10', () => remove('9'))
      assert.equal(await newest(), '8')
      await remove('8')
      assert.equal(await newest(), null)
    })

    test('a repost is no mention of the author of its original', async () => {
      await using stage = await setStage({ flavour, seed: usersSeed('101', '102', '103'), environment })
      const post = await postAs(stage, '101', 'Hello')
      await callAs(stage, '102', 'POST', '/2/users/102/reposts', { json: { post_id: post } })
      const mention = await postAs(stage, '103', `Hello @${nameOf('101')}`)
      const { body } = await callAs(stage, '101', 'GET', '/2/users/101/mentions')
      assert.deepEqual([body.data.map(({ id }: { id: string }) => id), body.meta.result_count], [[mention], 1])
    })
  })
