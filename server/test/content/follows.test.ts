import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callAs, postAs, setProfile, usersSeed } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { type Stage, setStage } from '../stage/postern.ts'
import { rawRows } from '../storage/samples.ts'

const seed = usersSeed('101', '102', '103')

const act = (stage: Stage, userId: string, path: string, target_user_id: string) =>
  callAs(stage, userId, 'POST', `/2/users/${userId}/${path}`, { json: { target_user_id } })
const undo = (stage: Stage, userId: string, path: string, targetId: string) =>
  callAs(stage, userId, 'DELETE', `/2/users/${userId}/${path}/${targetId}`)

const listed = async (stage: Stage, viewerId: string, path: string): Promise<string[]> => {
  const { status, body, text } = await callAs(stage, viewerId, 'GET', path)
  assert.equal(status, 200, text)
  assert.equal(body.errors, undefined, text)
  return (body.data ?? []).map(({ id }: { id: string }) => id)
}

/** Followers and followed users of a user, as counted. */
const counted = async (stage: Stage, userId: string) => {
  const { body } = await callAs(stage, '101', 'GET', `/2/users/${userId}?user.fields=public_metrics`)
  const { followers_count, following_count } = body.data.public_metrics
  return [followers_count, following_count]
}

const forbidden = (detail: string) => ({ type: 'about:blank', title: 'Forbidden', detail, status: 403 })

for (const flavour of databasesOf(import.meta))
  suite(`follows, mutes and blocks on ${flavour}`, () => {
    test('a follow is answered, listed for both and counted for both, once, until it is undone', async () => {
      await using stage = await setStage({ flavour, seed })
      for (const _ of ['once', 'twice']) {
        const answer = await act(stage, '101', 'following', '102')
        assert.deepEqual([answer.status, answer.body], [200, { data: { following: true, pending_follow: false } }])
      }
      assert.deepEqual(await listed(stage, '103', '/2/users/101/following'), ['102'])
      assert.deepEqual(await listed(stage, '103', '/2/users/102/followers'), ['101'])
      assert.deepEqual(
        [await counted(stage, '101'), await counted(stage, '102')],
        [
          [0, 1],
          [1, 0],
        ],
      )
      for (const _ of ['once', 'twice']) {
        const answer = await undo(stage, '101', 'following', '102')
        assert.deepEqual([answer.status, answer.body], [200, { data: { following: false } }])
      }
      assert.deepEqual(await listed(stage, '103', '/2/users/102/followers'), [])
      assert.deepEqual(
        [await counted(stage, '101'), await counted(stage, '102')],
        [
          [0, 0],
          [0, 0],
        ],
      )
    })

    test('a protected user is not followed but by those who do already, and its lists are for followers', async () => {
      await using stage = await setStage({ flavour, seed })
      await act(stage, '101', 'following', '102')
      await setProfile(stage, '102', 'protected', true)
      assert.deepEqual((await act(stage, '103', 'following', '102')).body, { data: { following: false, pending_follow: true } })
      assert.deepEqual((await act(stage, '101', 'following', '102')).body, { data: { following: true, pending_follow: false } })
      assert.deepEqual(await listed(stage, '101', '/2/users/102/followers'), ['101'])
      assert.deepEqual(await listed(stage, '102', '/2/users/102/followers'), ['101'])
      for (const path of ['followers', 'following']) {
        const { body } = await callAs(stage, '103', 'GET', `/2/users/102/${path}`)
        assert.deepEqual(body, {
          errors: [
            {
              value: '102',
              parameter: 'id',
              resource_id: '102',
              resource_type: 'user',
              section: 'data',
              title: 'Authorization Error',
              detail: 'Sorry, you are not authorized to see the User with id: [102].',
              type: `${stage.origins.base_url}/2/problems/not-authorized-for-resource`,
            },
          ],
          meta: { result_count: 0 },
        })
      }
    })

    test('following, muting or blocking oneself is forbidden', async () => {
      await using stage = await setStage({ flavour, seed })
      for (const [path, verb] of [
        ['following', 'follow'],
        ['muting', 'mute'],
        ['blocking', 'block'],
      ] as const) {
        const answer = await act(stage, '101', path, '101')
        assert.deepEqual([answer.status, answer.body], [403, forbidden(`You cannot ${verb} yourself.`)])
      }
    })

    test('a user who does not exist cannot be followed, muted or blocked', async () => {
      await using stage = await setStage({ flavour, seed })
      for (const path of ['following', 'muting', 'blocking']) {
        const { status, body } = await act(stage, '101', path, '999')
        assert.deepEqual(
          [status, body.type.split('/').at(-1), body.detail],
          [404, 'resource-not-found', 'Could not find user with target_user_id: [999].'],
        )
        assert.equal((await undo(stage, '101', path, '999')).status, 200)
      }
    })

    test('a suspended user cannot be followed', async () => {
      await using stage = await setStage({ flavour, seed })
      assert.equal((await stage.operator('PATCH', '/operator/users/102', { disabled: true })).status, 200)
      const answer = await act(stage, '101', 'following', '102')
      assert.deepEqual([answer.status, answer.body], [403, forbidden('You cannot follow a user who is suspended.')])
    })

    test('a mute and a block are answered and listed for the user alone, until they are undone', async () => {
      await using stage = await setStage({ flavour, seed })
      for (const path of ['muting', 'blocking']) {
        for (const _ of ['once', 'twice']) assert.deepEqual((await act(stage, '101', path, '102')).body, { data: { [path]: true } })
        assert.deepEqual(await listed(stage, '101', `/2/users/101/${path}`), ['102'])
        const ofOther = await callAs(stage, '103', 'GET', `/2/users/101/${path}`)
        assert.equal(ofOther.status, 400)
        assert.match(ofOther.body.errors[0].message, /must be the same as the authenticating user \[103\]/)
        for (const _ of ['once', 'twice']) assert.deepEqual((await undo(stage, '101', path, '102')).body, { data: { [path]: false } })
        assert.deepEqual(await listed(stage, '101', `/2/users/101/${path}`), [])
      }
    })

    test('the home timeline leaves out those whom the user mutes', async () => {
      await using stage = await setStage({ flavour, seed })
      for (const followed of ['102', '103']) await act(stage, '101', 'following', followed)
      const [one, two] = [await postAs(stage, '102', 'One'), await postAs(stage, '103', 'Two')]
      const home = '/2/users/101/timelines/reverse_chronological'
      assert.deepEqual(await listed(stage, '101', home), [two, one])
      await act(stage, '101', 'muting', '103')
      assert.deepEqual(await listed(stage, '101', home), [one])
      await undo(stage, '101', 'muting', '103')
      assert.deepEqual(await listed(stage, '101', home), [two, one])
    })

    test('a block ends the follows in both directions with their counters', async () => {
      await using stage = await setStage({ flavour, seed })
      await act(stage, '101', 'following', '102')
      await act(stage, '102', 'following', '101')
      await act(stage, '103', 'following', '101')
      await act(stage, '101', 'blocking', '102')
      assert.deepEqual(
        [await counted(stage, '101'), await counted(stage, '102')],
        [
          [1, 0],
          [0, 0],
        ],
      )
      assert.deepEqual(await listed(stage, '101', '/2/users/101/followers'), ['103'])
      assert.deepEqual(await listed(stage, '101', '/2/users/102/followers'), [])
    })

    test('neither a blocked user nor the one who blocks can follow the other', async () => {
      await using stage = await setStage({ flavour, seed })
      await act(stage, '101', 'blocking', '102')
      const byBlocked = await act(stage, '102', 'following', '101')
      const IS_BLOCKED = 'You have been blocked from following this account at the request of the user.'
      assert.deepEqual([byBlocked.status, byBlocked.body], [403, forbidden(IS_BLOCKED)])
      const byBlocking = await act(stage, '101', 'following', '102')
      assert.deepEqual(byBlocking.body, forbidden('You cannot follow a user whom you block. Unblock the user first.'))
      await undo(stage, '101', 'blocking', '102')
      assert.equal((await act(stage, '102', 'following', '101')).status, 200)
    })

    test('a blocked user can neither reply to, quote, like, bookmark nor repost a post of the user', async () => {
      await using stage = await setStage({ flavour, seed })
      const post = await postAs(stage, '101', 'Hello')
      await act(stage, '101', 'blocking', '102')
      const refused = async (path: string, json: unknown, verb: string) => {
        const answer = await callAs(stage, '102', 'POST', path, { json })
        const detail = `You attempted to ${verb} a post that is deleted or not visible to you.`
        assert.deepEqual([answer.status, answer.body], [403, forbidden(detail)])
      }
      await refused('/2/posts', { text: 'Hi', reply: { in_reply_to_post_id: post } }, 'reply to')
      await refused('/2/posts', { text: 'Look', quote_post_id: post }, 'quote')
      await refused('/2/users/102/likes', { post_id: post }, 'like')
      await refused('/2/users/102/bookmarks', { post_id: post }, 'bookmark')
      await refused('/2/users/102/reposts', { post_id: post }, 'repost')
    })

    test('nobody follows or unfollows for another user', async () => {
      await using stage = await setStage({ flavour, seed })
      const create = await callAs(stage, '101', 'POST', '/2/users/102/following', { json: { target_user_id: '103' } })
      assert.deepEqual([create.status, create.body.errors[0].parameters], [400, { id: ['102'] }])
      const remove = await callAs(stage, '101', 'DELETE', '/2/users/102/following/103')
      assert.deepEqual([remove.status, remove.body.errors[0].parameters], [400, { source_user_id: ['102'] }])
    })

    test('a user follows up to 5000 others, or 1.1 times as many as follow the user', async () => {
      await using stage = await setStage({ flavour, seed })
      const setCounts = (following: number, followers: number) =>
        rawRows(
          stage.databaseUrl,
          `update profiles set following_count = ${following}, followers_count = ${followers} where user_id = '101' returning user_id`,
        )
      const refusal =
        'You are unable to follow more people at this time: with more than 5000 follows you may follow 1.1 times as many users as follow you.'
      for (const [following, followers, isAllowed] of [
        [5000, 0, false],
        [5000, 4545, false],
        [5000, 4547, true],
        [5499, 5000, true],
        [5500, 5000, false],
        [4999, 0, true],
      ] as const) {
        await setCounts(following, followers)
        const answer = await act(stage, '101', 'following', '102')
        const label = `${following} with ${followers}`
        if (isAllowed) assert.equal(answer.body.data.following, true, label)
        else assert.deepEqual([answer.status, answer.body], [403, forbidden(refusal)], label)
        if (isAllowed) await undo(stage, '101', 'following', '102')
      }
      await setCounts(4999, 0)
      await act(stage, '101', 'following', '102')
      assert.equal((await act(stage, '101', 'following', '102')).status, 200, 'who is followed already')
    })
  })
