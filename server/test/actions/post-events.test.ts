// What posts, reposts and their deletion announce: to whom, and what.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callAs, postAs, setProfile, usersSeed } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { countsOf, listening, outboxOf, subjectsOf, userJson, type Wanted } from '../stage/heard.ts'
import { type Stage, setStage } from '../stage/postern.ts'
import { open, subscribeStream } from '../stage/streaming.ts'

const USERS = ['101', '102', '103', '104']
const TO_OTHERS = ['post.mention.create', 'post.reply.create', 'post.quote.create', 'post.repost.create']

const everybody = (...types: string[]): Wanted[] => types.flatMap((type) => USERS.map((id): Wanted => [type, id]))

const repost = async (stage: Stage, userId: string, post_id: string): Promise<string> => {
  const answer = await callAs(stage, userId, 'POST', `/2/users/${userId}/reposts`, { json: { post_id } })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data.id
}

const remove = async (stage: Stage, userId: string, path: string) => {
  const answer = await callAs(stage, userId, 'DELETE', path)
  assert.equal(answer.status, 200, answer.text)
}

const relate = async (stage: Stage, userId: string, path: string, target_user_id: string) => {
  const answer = await callAs(stage, userId, 'POST', `/2/users/${userId}/${path}`, { json: { target_user_id } })
  assert.equal(answer.status, 200, answer.text)
}

const PUBLIC_POST_FIELDS =
  'attachments,author_id,conversation_id,created_at,display_text_range,edit_controls,edit_history_post_ids,entities,in_reply_to_user_id,lang,possibly_sensitive,public_metrics,referenced_posts,reply_settings,source'

for (const flavour of databasesOf(import.meta))
  suite(`events of posts on ${flavour}`, () => {
    test('a post that mentions others, replies and quotes is announced to each of them, with the post as v2 has it', async () => {
      await using they = await listening(flavour, USERS, everybody(...TO_OTHERS))
      const { stage } = they
      const [parent, quoted] = [await postAs(stage, '103', 'Parent'), await postAs(stage, '104', 'Quoted')]
      const text = 'Hello @user102 @user101 @user102 @nobody'
      const id = await postAs(stage, '101', text, { reply: { in_reply_to_post_id: parent }, quote_post_id: quoted })
      const events = await they.heard()
      assert.deepEqual(subjectsOf(events), ['post.mention.create 102', 'post.quote.create 104', 'post.reply.create 103'])
      const shown = await callAs(stage, '102', 'GET', `/2/posts/${id}?post.fields=${PUBLIC_POST_FIELDS}`)
      for (const { payload, includes } of events) {
        const { public_metrics, ...post } = shown.body.data
        assert.deepEqual(payload, { ...post, public_metrics: countsOf(public_metrics) })
        assert.deepEqual(includes.users.map((user: { id: string }) => user.id).sort(), ['101', '102', '103', '104'])
        assert.deepEqual(includes.posts.map((post: { id: string }) => post.id).sort(), [parent, quoted].sort())
      }
    })

    test('nobody is told of an own post by the events of others', async () => {
      await using they = await listening(flavour, USERS, everybody(...TO_OTHERS))
      const { stage } = they
      const first = await postAs(stage, '101', 'First')
      await postAs(stage, '101', 'I am @user101', { reply: { in_reply_to_post_id: first }, quote_post_id: first })
      await repost(stage, '101', first)
      assert.deepEqual(subjectsOf(await they.heard()), [])
    })

    test('a repost is announced as a post of who reposts, and to the author of the original; those whom its text mentions are not told', async () => {
      await using they = await listening(flavour, USERS, everybody('post.create', ...TO_OTHERS))
      const { stage } = they
      const original = await postAs(stage, '102', 'For @user103')
      const id = await repost(stage, '101', original)
      await repost(stage, '101', original)
      const events = await they.heard()
      assert.deepEqual(subjectsOf(events), [...['post.create 101', 'post.create 102', 'post.mention.create 103', 'post.repost.create 102']])
      const [created, , , reposted] = events
      assert.deepEqual(reposted!.payload, created!.payload)
      assert.deepEqual([created!.payload.id, created!.payload.text], [id, 'RT @user102: For @user103'])
      assert.deepEqual(created!.payload.referenced_posts, [{ type: 'reposted', id: original }])
      assert.deepEqual([created!.includes.posts[0].id, created!.includes.posts[0].public_metrics.repost_count], [original, 1])
    })

    test('counters of posts and users in an event are there as text too', async () => {
      await using they = await listening(flavour, USERS, everybody('post.reply.create'))
      const parent = await postAs(they.stage, '102', 'Parent')
      await postAs(they.stage, '101', 'Reply', { reply: { in_reply_to_post_id: parent } })
      const [{ payload, includes } = assert.fail()] = await they.heard()
      const counters = ['repost_count', 'reply_count', 'like_count', 'quote_count', 'bookmark_count', 'impression_count']
      const names = counters.flatMap((name) => [name, `${name}_str`]).sort()
      for (const post of [payload, includes.posts[0]]) assert.deepEqual(Object.keys(post.public_metrics).sort(), names)
      assert.deepEqual([includes.posts[0].public_metrics.reply_count, includes.posts[0].public_metrics.reply_count_str], [1, '1'])
      assert.equal(includes.users.find(({ id }: { id: string }) => id === '101').public_metrics.post_count_str, '1')
    })

    test('a repost of a post for promotion only announces nothing, neither made nor undone', async () => {
      await using they = await listening(flavour, USERS, everybody('post.create', 'post.delete', ...TO_OTHERS))
      const { stage } = they
      const dark = await postAs(stage, '102', 'Only for promotion', { nullcast: true })
      await repost(stage, '101', dark)
      await remove(stage, '101', `/2/users/101/reposts/${dark}`)
      assert.deepEqual(subjectsOf(await they.heard()), [])
    })

    test('includes of a quote of a post for promotion only, and of a reply to one, leave that post out', async () => {
      await using they = await listening(flavour, USERS, everybody('post.create', ...TO_OTHERS))
      const { stage } = they
      const dark = await postAs(stage, '102', 'Only for promotion', { nullcast: true })
      const listed = await postAs(stage, '102', 'For all')
      await postAs(stage, '101', 'Quote for @user103', { quote_post_id: dark, reply: { in_reply_to_post_id: listed } })
      await postAs(stage, '103', 'Reply', { reply: { in_reply_to_post_id: dark } })
      const shown = (await they.heard()).map(({ event_type, filter, includes }) => [
        ...[event_type, filter.user_id],
        (includes.posts ?? []).map(({ id }: { id: string }) => id),
      ])
      assert.deepEqual(
        shown.filter(([, , ids]) => ids.includes(dark)),
        [],
      )
      // Deliveries of one webhook come in any order.
      const sorted = (events: unknown[]) => events.map((event) => JSON.stringify(event)).sort()
      const expected = [
        ['post.create', '101', [listed]],
        ['post.create', '102', []],
        ['post.create', '103', []],
        ['post.mention.create', '103', [listed]],
        ['post.quote.create', '102', [listed]],
        ['post.reply.create', '102', [listed]],
        ['post.reply.create', '102', []],
      ]
      assert.deepEqual(sorted(shown), sorted(expected))
    })

    test('the deletion of a post that was announced is announced with ids alone once its author is protected', async () => {
      await using they = await listening(flavour, USERS, everybody('post.delete'))
      const { stage } = they
      const id = await postAs(stage, '101', 'Hello')
      const original = await postAs(stage, '102', 'Original')
      const reposted = await repost(stage, '103', original)
      for (const author of ['101', '102']) await setProfile(stage, author, 'protected', true)
      await remove(stage, '101', `/2/posts/${id}`)
      await remove(stage, '103', `/2/users/103/reposts/${original}`)
      const [ofProtected, ofRepost] = await they.heard()
      assert.deepEqual([ofProtected!.payload, ofProtected!.includes], [{ id, author_id: '101' }, undefined])
      assert.deepEqual([ofRepost!.payload, ofRepost!.includes.users[0].data.id], [{ id: reposted, author_id: '103' }, '103'])
    })

    test('the author in includes has the new post counted, and as the most recent one', async () => {
      await using they = await listening(flavour, USERS, [['post.create', '101']])
      const { stage } = they
      const id = await postAs(stage, '101', 'Hello')
      const [event] = await they.heard()
      const { created_at } = (await callAs(stage, '102', 'GET', '/2/users/101?user.fields=created_at')).body.data
      assert.deepEqual(event!.includes.users, [userJson('101', created_at, { post_count: 1 }, { most_recent_post_id: id })])
    })

    test('a deleted post is announced with its id and its author as the author is after it, once', async () => {
      await using they = await listening(flavour, USERS, everybody('post.delete'))
      const { stage } = they
      const [first, second] = [await postAs(stage, '101', 'First'), await postAs(stage, '101', 'Second')]
      const { created_at } = (await callAs(stage, '102', 'GET', '/2/users/101?user.fields=created_at')).body.data
      await remove(stage, '101', `/2/posts/${second}`)
      const again = await callAs(stage, '101', 'DELETE', `/2/posts/${second}`)
      assert.equal(again.status, 404)
      const [event, ...more] = await they.heard()
      assert.deepEqual(more, [])
      assert.deepEqual(
        [event!.event_type, event!.filter, event!.payload],
        ['post.delete', { user_id: '101' }, { id: second, author_id: '101' }],
      )
      const author = userJson('101', created_at, { post_count: 1 }, { most_recent_post_id: first })
      assert.deepEqual(event!.includes, { users: [{ data: author }] })
    })

    test('an undone repost is a deleted post', async () => {
      await using they = await listening(flavour, USERS, everybody('post.delete'))
      const { stage } = they
      const original = await postAs(stage, '102', 'Hello')
      const id = await repost(stage, '101', original)
      await remove(stage, '101', `/2/users/101/reposts/${original}`)
      const [event, ...more] = await they.heard()
      assert.deepEqual([event!.payload, more], [{ id, author_id: '101' }, []])
    })

    test('posts for promotion only announce nothing, neither made nor deleted', async () => {
      await using they = await listening(flavour, USERS, everybody('post.create', 'post.delete', ...TO_OTHERS))
      const { stage } = they
      const parent = await postAs(stage, '102', 'Parent')
      const dark = { nullcast: true, reply: { in_reply_to_post_id: parent }, quote_post_id: parent }
      const id = await postAs(stage, '101', 'For @user103', dark)
      await remove(stage, '101', `/2/posts/${id}`)
      assert.deepEqual(subjectsOf(await they.heard()), ['post.create 102'])
    })

    test('of posts of a protected author only those hear who follow the author', async () => {
      await using they = await listening(flavour, USERS, everybody('post.create', 'post.delete', ...TO_OTHERS))
      const { stage } = they
      await relate(stage, '102', 'following', '101')
      await setProfile(stage, '101', 'protected', true)
      const parent = await postAs(stage, '104', 'Parent')
      const id = await postAs(stage, '101', 'For @user102 and @user103', { reply: { in_reply_to_post_id: parent } })
      await remove(stage, '101', `/2/posts/${id}`)
      const events = await they.heard()
      assert.deepEqual(subjectsOf(events), ['post.create 104', 'post.delete 101', 'post.mention.create 102'])
      assert.equal(events[2]!.payload.id, id)
    })

    test('a live stream has the posts of a user until the user is protected, and again once the user is public; a follower is told meanwhile', async () => {
      await using stage = await setStage({ flavour, environment: { POSTERN_RATE_LIMITS: 'off' }, seed: usersSeed(...USERS) })
      const token = await stage.token()
      for (const [event_type, user_id] of [
        ['post.create', '101'],
        ['post.mention.create', '102'],
        ['post.mention.create', '103'],
      ])
        await subscribeStream(stage, token, { event_type, filter: { user_id } })
      await relate(stage, '102', 'following', '101')
      using live = await open(stage, token)
      const post = (number: number) => postAs(stage, '101', `For @user102 and @user103, ${number}`)
      const before = await post(1)
      await live.received(3)
      await setProfile(stage, '101', 'protected', true)
      const meanwhile = await post(2)
      await live.received(4)
      await setProfile(stage, '101', 'protected', false)
      const after = await post(3)
      await live.received(7)
      const told = live.texts.map((line) => {
        const { event_type, filter, payload } = JSON.parse(line).data
        return `${event_type} ${filter.user_id} ${payload.id}`
      })
      const everything = (id: string) => [`post.create 101 ${id}`, `post.mention.create 102 ${id}`, `post.mention.create 103 ${id}`]
      assert.deepEqual(told.toSorted(), [...everything(before), `post.mention.create 102 ${meanwhile}`, ...everything(after)].toSorted())
    })

    test('a user is not told of posts by who is blocked, or by who blocks', async () => {
      await using they = await listening(flavour, USERS, everybody(...TO_OTHERS))
      const { stage } = they
      const parent = await postAs(stage, '103', 'Parent')
      await relate(stage, '101', 'blocking', '102')
      await relate(stage, '103', 'blocking', '104')
      await postAs(stage, '101', 'For @user102 and @user104')
      await postAs(stage, '102', 'For @user101 and @user104')
      await postAs(stage, '101', 'Replying', { reply: { in_reply_to_post_id: parent } })
      const events = await they.heard()
      assert.deepEqual(subjectsOf(events), ['post.mention.create 104', 'post.mention.create 104', 'post.reply.create 103'])
    })

    test('includes leave out a post for the user whom its author blocks, and for nobody else', async () => {
      await using they = await listening(flavour, USERS, everybody('post.mention.create', 'post.reply.create'))
      const { stage } = they
      const parent = await postAs(stage, '103', 'Parent')
      await relate(stage, '103', 'blocking', '102')
      await postAs(stage, '101', 'For @user102 and @user104', { reply: { in_reply_to_post_id: parent } })
      const shown = (await they.heard()).map(({ event_type, filter, includes }) => [
        ...[event_type, filter.user_id],
        (includes.posts ?? []).map(({ id }: { id: string }) => id),
      ])
      assert.deepEqual(shown, [
        ['post.mention.create', '102', []],
        ['post.mention.create', '104', [parent]],
        ['post.reply.create', '103', [parent]],
      ])
    })

    test('ten users who are mentioned are told in one transaction, and nothing is left in the outbox', async () => {
      const mentioned = Array.from({ length: 10 }, (_, place) => String(201 + place))
      const wanted = mentioned.map((id): Wanted => ['post.mention.create', id])
      await using they = await listening(flavour, ['101', ...mentioned], wanted)
      await postAs(they.stage, '101', mentioned.map((id) => `@user${id}`).join(' '))
      assert.deepEqual(
        subjectsOf(await they.heard()),
        mentioned.map((id) => `post.mention.create ${id}`),
      )
      assert.deepEqual(await outboxOf(they.stage.databaseUrl), [])
    })
  })
