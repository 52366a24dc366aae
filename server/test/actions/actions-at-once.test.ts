// Many actions at once, all of them announced: none waits for another in a circle, and each has its events once.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callAs, postAs } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { type Heard, listening, type Wanted } from '../stage/heard.ts'

const USERS = ['201', '202', '203', '204', '205']

const count = (events: readonly Heard[]) =>
  Object.fromEntries([...Map.groupBy(events, ({ event_type }) => event_type)].map(([type, found]) => [type, found.length]))

for (const flavour of databasesOf(import.meta))
  suite(`actions at once on ${flavour}`, () => {
    test('likes, follows, mentions and messages of all users to all others are announced to both sides, each once', async () => {
      const types = ['like.create', 'follow.follow', 'post.mention.create', 'dm.sent', 'dm.received']
      const wanted = types.flatMap((type) => USERS.map((id): Wanted => [type, id]))
      await using they = await listening(flavour, USERS, wanted)
      const { stage } = they
      const posts = await Promise.all(USERS.map((id) => postAs(stage, id, `Post of ${id}`)))
      const others = (id: string) => USERS.filter((other) => other !== id)
      const act = async (id: string, path: string, json: object) => {
        const { status, text } = await callAs(stage, id, 'POST', path, { json })
        assert.ok(status < 300, `${path}: ${status} ${text}`)
      }
      await Promise.all(
        USERS.flatMap((id) => [
          ...posts.map((post_id) => act(id, `/2/users/${id}/likes`, { post_id })),
          ...others(id).map((target_user_id) => act(id, `/2/users/${id}/following`, { target_user_id })),
          ...others(id).map((other) => act(id, `/2/dm_conversations/with/${other}/messages`, { text: 'Hello' })),
          postAs(
            stage,
            id,
            others(id)
              .map((other) => `@user${other}`)
              .join(' '),
          ),
        ]),
      )
      const pairs = USERS.length * (USERS.length - 1)
      assert.deepEqual(count(await they.heard()), {
        'dm.received': pairs,
        'dm.sent': pairs,
        'follow.follow': 2 * pairs,
        'like.create': 2 * pairs + USERS.length,
        'post.mention.create': pairs,
      })
    })

    test('what a user does several times at once is announced once', async () => {
      const wanted = ['like.create', 'follow.follow', 'post.repost.create'].flatMap((type) =>
        ['201', '202'].map((id): Wanted => [type, id]),
      )
      await using they = await listening(flavour, USERS, wanted)
      const { stage } = they
      const post_id = await postAs(stage, '202', 'Hello')
      const again = (path: string, json: object) =>
        ['once', 'twice', 'again'].map(async () => {
          const { status, text } = await callAs(stage, '201', 'POST', `/2/users/201/${path}`, { json })
          assert.equal(status, 200, text)
        })
      const calls = [...again('likes', { post_id }), ...again('following', { target_user_id: '202' }), ...again('reposts', { post_id })]
      await Promise.all(calls)
      assert.deepEqual(count(await they.heard()), { 'like.create': 2, 'follow.follow': 2, 'post.repost.create': 1 })
    })

    test('of follows and blocks at once each that took place is announced, and no other', async () => {
      const wanted = ['follow.follow', 'follow.unfollow', 'block.block'].flatMap((type) => USERS.map((id): Wanted => [type, id]))
      await using they = await listening(flavour, USERS, wanted)
      const { stage } = they
      const [one, ...others] = USERS as [string, ...string[]]
      const following = others.map(async (id) => {
        const { status } = await callAs(stage, id, 'POST', `/2/users/${id}/following`, { json: { target_user_id: one } })
        return status
      })
      const blocking = others.map((id) => callAs(stage, one, 'POST', `/2/users/${one}/blocking`, { json: { target_user_id: id } }))
      const [statuses, blocks] = [await Promise.all(following), await Promise.all(blocking)]
      assert.ok(blocks.every(({ status }) => status === 200))
      const follows = statuses.filter((status) => status === 200).length
      assert.ok(statuses.every((status) => status === 200 || status === 403))
      const { 'block.block': blocked, 'follow.follow': followed = 0, 'follow.unfollow': unfollowed = 0 } = count(await they.heard())
      assert.deepEqual([blocked, followed, unfollowed], [others.length, 2 * follows, 0])
    })
  })
