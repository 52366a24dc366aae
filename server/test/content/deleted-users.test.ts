import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { surroundingsOf } from '../../src/endpoints/posts/insert-posts.ts'
import { insertPost, type NewPost } from '../../src/endpoints/posts/new-post.ts'
import type { Content } from '../../src/storage/content.ts'
import { posts, users } from '../../src/storage/content-tables.ts'
import { databasesOf } from '../stage/databases.ts'
import { aUser, openedAlone } from '../storage/samples.ts'

const NOW = 1_800_000_000_000

async function add(content: Content, post: Omit<NewPost, 'createdAtMs'>) {
  const dated = { ...post, createdAtMs: NOW }
  const surroundings = await surroundingsOf(dated, content)
  await content.change((transaction) => insertPost(transaction, dated, surroundings))
}

const countsOf = async ({ rows }: Content, id: string) => (await rows(users, ['followers_count', 'following_count'], [id]))[0]
const postCountsOf = async ({ rows }: Content, id: string) => (await rows(posts, ['reply_count', 'quote_count', 'repost_count'], [id]))[0]
const likesOf = async ({ rows }: Content, id: string) => (await rows(posts, ['like_count'], [id]))[0]

for (const flavour of databasesOf(import.meta)) {
  suite(`content of deleted users on ${flavour}`, () => {
    test('a deleted user takes posts and relations along, and the counters of others follow', async () => {
      await using it = await openedAlone(flavour)
      const { users: userStore, content } = it.storage
      for (const id of ['101', '102', '103']) await userStore.insert(aUser({ id, username: `user${id}` }))
      await add(content, { id: '1', authorId: '101', text: 'by the deleted one' })
      await add(content, { id: '2', authorId: '102', text: 'by another' })
      for (const [author, first] of [
        ['101', 3],
        ['103', 7],
      ] as const) {
        await add(content, { id: String(first), authorId: author, text: 'one', repliedToId: '2' })
        await add(content, { id: String(first + 1), authorId: author, text: 'two', repliedToId: '2' })
        await add(content, { id: String(first + 2), authorId: author, text: 'three', quotedId: '2' })
        await add(content, { id: String(first + 3), authorId: author, text: 'four', repostedId: '2' })
      }
      assert.deepEqual(await postCountsOf(content, '2'), [4, 2, 2])
      await content.change(async (transaction) => {
        const follow = async (source: string, target: string, position: string) => {
          await transaction.relate({ relation: 'follow', source, target }, position)
          transaction.count(users, source, 'following_count', 1)
          transaction.count(users, target, 'followers_count', 1)
        }
        await follow('101', '102', '1')
        await follow('103', '101', '2')
        await follow('103', '102', '3')
        await transaction.relate({ relation: 'like', source: '101', target: '2' }, '4')
        transaction.count(posts, '2', 'like_count', 1)
        // The list 101 has nothing to do with the user 101.
        await transaction.relate({ relation: 'list_member', source: '101', target: '102' }, '5')
      })
      assert.deepEqual(await countsOf(content, '102'), [2, 0])

      assert.equal(await userStore.remove('101'), true)
      assert.deepEqual(await countsOf(content, '102'), [1, 0])
      assert.deepEqual(await countsOf(content, '103'), [0, 1])
      assert.deepEqual(await likesOf(content, '2'), [0])
      assert.deepEqual(await postCountsOf(content, '2'), [2, 1, 1])
      assert.deepEqual(await content.rows(posts, ['id'], ['1', '2']), [['2']])
      assert.deepEqual(
        (await content.items({ of: 'targets', relation: 'list_member', source: '101' }, { limit: 9 })).map(({ key }) => key),
        ['102'],
      )
      assert.deepEqual(await content.items({ of: 'sources', relation: 'follow', target: '102' }, { limit: 9 }), [
        { key: '103', position: '3' },
      ])
    })
  })
}
