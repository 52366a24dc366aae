// What likes, follows, mutes and blocks announce: to whom, and what.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callAs, postAs, setProfile } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { type Listening, listening, outboxOf, subjectsOf, userJson, type Wanted } from '../stage/heard.ts'
import type { Stage } from '../stage/postern.ts'

const act = async (stage: Stage, userId: string, path: string, json: object) => {
  const answer = await callAs(stage, userId, 'POST', `/2/users/${userId}/${path}`, { json })
  assert.equal(answer.status, 200, answer.text)
}
const undo = async (stage: Stage, userId: string, path: string, target: string) => {
  const answer = await callAs(stage, userId, 'DELETE', `/2/users/${userId}/${path}/${target}`)
  assert.equal(answer.status, 200, answer.text)
}

const like = (stage: Stage, userId: string, post_id: string) => act(stage, userId, 'likes', { post_id })
const follow = (stage: Stage, userId: string, target_user_id: string) => act(stage, userId, 'following', { target_user_id })
const mute = (stage: Stage, userId: string, target_user_id: string) => act(stage, userId, 'muting', { target_user_id })
const block = (stage: Stage, userId: string, target_user_id: string) => act(stage, userId, 'blocking', { target_user_id })

const createdAtOf = async ({ stage }: Listening, id: string): Promise<string> =>
  (await callAs(stage, id, 'GET', `/2/users/${id}?user.fields=created_at`)).body.data.created_at

const bothSides = (type: string): Wanted[] => [
  [type, '101'],
  [type, '102'],
]

for (const flavour of databasesOf(import.meta))
  suite(`events of relations on ${flavour}`, () => {
    test('a like is announced to who likes and to the author, both with both users and the post', async () => {
      await using they = await listening(flavour, ['101', '102', '103'], [...bothSides('like.create'), ['like.create', '103']])
      const post = await postAs(they.stage, '102', 'Hello')
      const before = they.stage.clock.now()
      await like(they.stage, '101', post)
      await like(they.stage, '101', post)
      const [sent, received, ...more] = await they.heard()
      assert.deepEqual(more, [])
      const { id, created_at, timestamp_ms, ...payload } = sent!.payload
      assert.match(id, /^[0-9]{1,19}$/)
      assert.equal(new Date(Number(timestamp_ms)).toISOString(), created_at)
      assert.ok(Number(timestamp_ms) >= before && Number(timestamp_ms) <= they.stage.clock.now())
      assert.deepEqual(payload, { liked_post_id: post, liked_post_author_id: '102' })
      assert.deepEqual(received!.payload, sent!.payload)
      assert.deepEqual([sent!.filter, received!.filter], [{ user_id: '101' }, { user_id: '102' }])
      const [ofLiker, ofAuthor] = [await createdAtOf(they, '101'), await createdAtOf(they, '102')]
      for (const { includes } of [sent!, received!]) {
        const author = userJson('102', ofAuthor, { post_count: 1 }, { most_recent_post_id: post })
        assert.deepEqual(includes.users, [userJson('101', ofLiker, { like_count: 1 }), author])
        const [shown, ...others] = includes.posts
        assert.deepEqual(others, [])
        assert.deepEqual([shown.id, shown.text, shown.author_id, shown.public_metrics.like_count], [post, 'Hello', '102', 1])
      }
    })

    test('subscriptions to likes and follows hear the direction that they ask for', async () => {
      await using they = await listening(...([flavour, ['101', '102']] as const), [
        ['like.create', '101', 'sent'],
        ['like.create', '101', 'received'],
        ['follow.follow', '101', 'sent'],
        ['follow.follow', '101', 'received'],
      ])
      await like(they.stage, '101', await postAs(they.stage, '102', 'Hello'))
      await follow(they.stage, '102', '101')
      const directions = (await they.heard()).map(({ event_type, filter }) => `${event_type} ${filter.direction}`)
      assert.deepEqual(directions, ['follow.follow received', 'like.create sent'])
    })

    test('who likes an own post has sent it, and not received it; an undone like announces nothing', async () => {
      await using they = await listening(flavour, ['101', '102'], [['like.create', '101']])
      const post = await postAs(they.stage, '101', 'Hello')
      await like(they.stage, '101', post)
      await undo(they.stage, '101', 'likes', post)
      assert.deepEqual(subjectsOf(await they.heard()), ['like.create 101'])
    })

    test('an author is not told of likes by a protected user whom the author does not follow, nor across a block', async () => {
      await using they = await listening(...([flavour, ['101', '102', '103', '104']] as const), [
        ['like.create', '102'],
        ['like.create', '103'],
        ['like.create', '101'],
      ])
      const post = await postAs(they.stage, '101', 'Hello')
      await follow(they.stage, '101', '103')
      for (const shy of ['102', '103']) await setProfile(they.stage, shy, 'protected', true)
      await block(they.stage, '104', '101')
      for (const liker of ['102', '103', '104']) await like(they.stage, liker, post)
      const events = await they.heard()
      assert.deepEqual(subjectsOf(events), ['like.create 101', 'like.create 102', 'like.create 103'])
      assert.equal(events[0]!.includes.users[0].id, '103')
    })

    test('a follow and its end are announced to both, once, with both as they are after it', async () => {
      await using they = await listening(flavour, ['101', '102'], [...bothSides('follow.follow'), ...bothSides('follow.unfollow')])
      for (const _ of ['once', 'twice']) await follow(they.stage, '101', '102')
      for (const _ of ['once', 'twice']) await undo(they.stage, '101', 'following', '102')
      const events = await they.heard()
      assert.deepEqual(subjectsOf(events), ['follow.follow 101', 'follow.follow 102', 'follow.unfollow 101', 'follow.unfollow 102'])
      const [source, target] = [await createdAtOf(they, '101'), await createdAtOf(they, '102')]
      const payload = (count: number) => ({
        source: { data: userJson('101', source, { following_count: count }) },
        target: { data: userJson('102', target, { followers_count: count }) },
      })
      assert.deepEqual(
        events.map((event) => event.payload),
        [payload(1), payload(1), payload(0), payload(0)],
      )
    })

    test('nothing is announced of whom a protected user follows, and nothing about a protected user who is followed', async () => {
      await using they = await listening(flavour, ['101', '102'], [...bothSides('follow.follow'), ...bothSides('follow.unfollow')])
      const { stage } = they
      await follow(stage, '102', '101')
      await setProfile(stage, '101', 'protected', true)
      await follow(stage, '101', '102')
      await undo(stage, '101', 'following', '102')
      assert.deepEqual(subjectsOf(await they.heard()), ['follow.follow 101', 'follow.follow 102'])
      await undo(stage, '102', 'following', '101')
      const [, , unfollowed, ...more] = await they.heard()
      assert.deepEqual([unfollowed!.event_type, unfollowed!.filter, more], ['follow.unfollow', { user_id: '102' }, []])
      const { source, target } = unfollowed!.payload
      assert.deepEqual([source.data.id, target.data.id], ['102', '101'])
    })

    test('the end of a follow of a suspended user is announced with what names the user', async () => {
      await using they = await listening(flavour, ['101', '102'], bothSides('follow.unfollow'))
      await follow(they.stage, '101', '102')
      const suspended = await they.stage.operator('PATCH', '/operator/users/102', { disabled: true })
      assert.equal(suspended.status, 200)
      await undo(they.stage, '101', 'following', '102')
      const events = await they.heard()
      assert.deepEqual(subjectsOf(events), ['follow.unfollow 101', 'follow.unfollow 102'])
      for (const { payload } of events) assert.deepEqual(payload.target, { data: { id: '102', name: 'User 102', username: 'user102' } })
    })

    test('a mute, a block and their ends are announced to who did them alone', async () => {
      const types = ['mute.mute', 'mute.unmute', 'block.block', 'block.unblock']
      await using they = await listening(flavour, ['101', '102'], types.flatMap(bothSides))
      for (const _ of ['once', 'twice']) {
        await mute(they.stage, '101', '102')
        await block(they.stage, '101', '102')
      }
      for (const _ of ['once', 'twice']) {
        await undo(they.stage, '101', 'muting', '102')
        await undo(they.stage, '101', 'blocking', '102')
      }
      const events = await they.heard()
      assert.deepEqual(subjectsOf(events), ['block.block 101', 'block.unblock 101', 'mute.mute 101', 'mute.unmute 101'])
      const [source, target] = [await createdAtOf(they, '101'), await createdAtOf(they, '102')]
      for (const { payload } of events)
        assert.deepEqual(payload, { source: { data: userJson('101', source) }, target: { data: userJson('102', target) } })
    })

    test('a block announces itself to who blocks, and nobody hears of the follows that it ends', async () => {
      await using they = await listening(flavour, ['101', '102'], [...bothSides('block.block'), ...bothSides('follow.unfollow')])
      await follow(they.stage, '102', '101')
      await follow(they.stage, '101', '102')
      await block(they.stage, '101', '102')
      assert.deepEqual(subjectsOf(await they.heard()), ['block.block 101'])
      const { body } = await callAs(they.stage, '102', 'GET', '/2/users/102/following')
      assert.equal(body.meta.result_count, 0)
    })

    test('a refused action, and one that nobody has subscribed to, writes nothing', async () => {
      await using they = await listening(flavour, ['101', '102'], [['follow.follow', '102']])
      const { stage } = they
      await block(stage, '102', '101')
      const refused = await callAs(stage, '101', 'POST', '/2/users/101/following', { json: { target_user_id: '102' } })
      assert.equal(refused.status, 403)
      await like(stage, '101', await postAs(stage, '101', 'Hello'))
      await mute(stage, '101', '102')
      assert.deepEqual(await outboxOf(stage.databaseUrl), [])
      assert.deepEqual(await they.heard(), [])
    })
  })
