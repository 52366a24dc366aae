// What operators do is no action of a user: it announces nothing.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callAs, postAs } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { listening, outboxOf, type Wanted } from '../stage/heard.ts'

const TYPES = ['follow.follow', 'follow.unfollow', 'like.create', 'post.create', 'post.delete', 'post.mention.create', 'profile.update.bio']
const wanted = TYPES.flatMap((type) => ['101', '102'].map((id): Wanted => [type, id]))

for (const flavour of databasesOf(import.meta))
  suite(`changes by operators on ${flavour}`, () => {
    test('a seed, a suspended and a removed user announce nothing', async () => {
      await using they = await listening(flavour, ['101', '102', '103'], wanted)
      const { stage } = they
      const post = await postAs(stage, '103', 'Hello')
      await callAs(stage, '103', 'POST', '/2/users/103/likes', { json: { post_id: post } })
      const seed = {
        posts: [{ id: '1000', author_id: '101', text: 'For @user102', created_at: '2026-01-01T00:00:00.000Z' }],
        follows: [{ user_id: '103', target_user_id: '101' }],
        likes: [{ user_id: '103', post_id: '1000' }],
      }
      const loaded = await stage.operator('POST', '/operator/seed', seed)
      assert.equal(loaded.status, 200, loaded.text)
      assert.equal((await stage.operator('PATCH', '/operator/users/103', { disabled: true })).status, 200)
      assert.equal((await stage.operator('DELETE', '/operator/users/103')).status, 200)
      assert.deepEqual(await outboxOf(stage.databaseUrl), [])
      assert.deepEqual(await they.heard(), [])
    })
  })
