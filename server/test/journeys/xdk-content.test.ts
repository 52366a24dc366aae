// The generated client reads and writes data objects, unmodified, in its own spelling (camelCase).
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ApiError, Client, OAuth1 } from '@xdevplatform/xdk'
import { usersSeed } from '../stage/content.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'

const { consumer_key: apiKey, consumer_secret: apiSecret } = demoApp

/** Users 101 and 102, each with a client of the same app, and the app by itself. */
async function withClients() {
  const stage = await setStage({ seed: usersSeed('101', '102'), environment: { POSTERN_DIALECT: 'x' } })
  const baseUrl = stage.origins.base_url
  const of = (id: string) => {
    const keys = { apiKey, apiSecret, callback: 'oob', accessToken: `${id}-token`, accessTokenSecret: `secret of ${id}` }
    return new Client({ baseUrl, oauth1: new OAuth1(keys) })
  }
  const app = new Client({ baseUrl, bearerToken: await stage.token() })
  return { one: of('101'), other: of('102'), app, [Symbol.asyncDispose]: () => (stage as Stage)[Symbol.asyncDispose]() }
}

const idsOf = (objects: readonly { id?: string }[] = []) => objects.map(({ id }) => id)

suite('@xdevplatform/xdk', () => {
  test('writes posts, replies, quotes and polls, reads them back, finds, counts and deletes them', async () => {
    await using they = await withClients()
    const post = async (by: Client, more: object) => (await by.posts.create(more)).data!.id!
    const first = await post(they.one, { text: 'Low tide at noon, @user102' })
    const reply = await post(they.other, { text: 'See you there', reply: { inReplyToTweetId: first, autoPopulateReplyMetadata: true } })
    const quote = await post(they.other, { text: 'Worth a walk', quoteTweetId: first, madeWithAi: false })
    const poll = await post(they.one, { text: 'Tide or train?', poll: { options: ['tide', 'train'], durationMinutes: 60 } })

    const shape: Parameters<Client['posts']['getById']>[1] = {
      postFields: ['public_metrics', 'created_at', 'conversation_id'],
      expansions: ['attachments.poll_ids', 'edit_history_post_ids', 'username', 'entities.mentions.username'],
    }
    const one = await they.app.posts.getById(first, shape)
    assert.equal(one.data?.text, 'Low tide at noon, @user102')
    assert.deepEqual([one.data?.publicMetrics?.replyCount, one.data?.publicMetrics?.quoteCount], [1, 1])
    assert.deepEqual(idsOf(one.includes?.users), ['101', '102'])
    const all = await they.app.posts.getByIds([first, reply, quote, poll], shape)
    assert.deepEqual(idsOf(all.data), [first, reply, quote, poll])
    assert.deepEqual(
      all.includes?.polls?.map(({ options }) => options?.map(({ label }) => label)),
      [['tide', 'train']],
    )
    assert.deepEqual(idsOf((await they.app.posts.searchRecent('tide')).data), [poll, first])
    assert.deepEqual(idsOf((await they.app.posts.searchAll('tide -train')).data), [first])
    const counted = await they.app.posts.getCountsRecent('tide', { granularity: 'day' })
    assert.equal((counted.meta as { totalTweetCount?: number }).totalTweetCount, 2)
    assert.deepEqual((await they.one.posts.hideReply(reply, { hidden: true })).data, { hidden: true })
    assert.deepEqual((await they.other.posts.delete(quote)).data, { deleted: true })
    assert.deepEqual((await they.app.posts.getQuoted(first)).meta, { resultCount: 0 })
  })

  test('likes and reposts, follows, mutes, and reads who did and the timelines', async () => {
    await using they = await withClients()
    const { data } = await they.one.posts.create({ text: 'Like this, @user102' })
    const id = data!.id!
    assert.deepEqual((await they.other.users.likePost('102', { tweetId: id })).data, { liked: true })
    assert.equal((await they.other.users.repostPost('102', { tweetId: id })).data?.retweeted, true)
    assert.deepEqual(idsOf((await they.one.posts.getLikingUsers(id)).data), ['102'])
    assert.deepEqual(idsOf((await they.app.posts.getRepostedBy(id)).data), ['102'])
    assert.deepEqual(idsOf((await they.other.users.getLikedPosts('102')).data), [id])
    assert.deepEqual((await they.other.users.unlikePost('102', id)).data, { liked: false })
    assert.equal((await they.other.users.unrepostPost('102', id)).data?.retweeted, false)

    assert.equal((await they.other.users.followUser('102', { targetUserId: '101' })).data?.following, true)
    assert.deepEqual(idsOf((await they.app.users.getFollowers('101')).data), ['102'])
    assert.deepEqual(idsOf((await they.other.users.getTimeline('102')).data), [id])
    assert.deepEqual(idsOf((await they.app.users.getMentions('102')).data), [id])
    assert.deepEqual(idsOf((await they.app.users.getPosts('101')).data), [id])
    assert.equal((await they.other.users.unfollowUser('102', '101')).data?.following, false)
    assert.equal((await they.other.users.muteUser('102', { targetUserId: '101' })).data?.muting, true)
    assert.deepEqual(idsOf((await they.other.users.getMuting('102')).data), ['101'])
    assert.equal((await they.other.users.unmuteUser('102', '101')).data?.muting, false)
  })

  test('finds users by id and name, and itself; what is missing is an error beside them', async () => {
    await using they = await withClients()
    const me = await they.one.users.getMe({ userFields: ['public_metrics', 'created_at', 'protected'] })
    assert.deepEqual([me.data?.id, me.data?.protected, me.data?.publicMetrics?.followersCount], ['101', false, 0])
    assert.equal((await they.app.users.getById('102')).data?.username, 'user102')
    const found = await they.app.users.getByUsernames(['USER101', 'nobody'])
    assert.deepEqual(idsOf(found.data), ['101'])
    assert.equal((found.errors as { resourceId?: string }[])[0]?.resourceId, 'nobody')
    const refused = await they.app.users.getById('none').then(
      () => assert.fail('it was found'),
      (error) => error,
    )
    assert.ok(refused instanceof ApiError)
    assert.equal(refused.status, 400)
  })

  test('makes a list, fills, follows and pins it, and reads its members and posts', async () => {
    await using they = await withClients()
    const { data: post } = await they.other.posts.create({ text: 'From the list' })
    const id = (await they.one.lists.create({ name: 'Shore', description: 'People of the shore', private: false })).data!.id!
    assert.equal((await they.one.lists.addMember(id, { userId: '102' })).data?.isMember, true)
    const read = await they.app.lists.getById(id, { listFields: ['member_count', 'description'], expansions: ['owner_id'] })
    assert.deepEqual([read.data?.name, read.data?.memberCount, idsOf(read.includes?.users)], ['Shore', 1, ['101']])
    assert.deepEqual(idsOf((await they.app.lists.getMembers(id)).data), ['102'])
    assert.deepEqual(idsOf((await they.app.lists.getPosts(id)).data), [post!.id])
    assert.equal((await they.other.users.followList('102', { listId: id })).data?.following, true)
    assert.deepEqual(idsOf((await they.app.lists.getFollowers(id)).data), ['102'])
    assert.equal((await they.one.users.pinList('101', { listId: id })).data?.pinned, true)
    for (const lists of [
      they.one.users.getPinnedLists('101'),
      they.app.users.getOwnedLists('101'),
      they.app.users.getListMemberships('102'),
    ])
      assert.deepEqual(idsOf((await lists).data), [id])
    assert.deepEqual((await they.one.lists.update(id, { name: 'Coast' })).data, { updated: true })
    assert.equal((await they.one.lists.removeMemberByUserId(id, '102')).data?.isMember, false)
    assert.deepEqual((await they.one.lists.delete(id)).data, { deleted: true })
  })

  test('sends messages to a user and to a group, and reads and deletes them', async () => {
    await using they = await withClients()
    const sent = (await they.one.directMessages.createByParticipantId('102', { text: 'Boat or bus?' })).data!
    assert.equal(sent.dmConversationId, '101-102')
    const answered = (await they.other.directMessages.createByConversationId('101-102', { text: 'Boat' })).data!
    const events = await they.other.directMessages.getEventsByParticipantId('101', {
      dmEventFields: ['created_at'],
      expansions: ['sender_id'],
    })
    assert.deepEqual(
      (events.data as { id: string; senderId?: string }[]).map(({ id, senderId }) => [id, senderId]),
      [
        [answered.dmEventId, '102'],
        [sent.dmEventId, '101'],
      ],
    )
    assert.deepEqual(idsOf(events.includes?.users), ['102', '101'])
    assert.equal((await they.one.directMessages.getEventsById(sent.dmEventId!)).data?.text, 'Boat or bus?')
    assert.deepEqual((await they.one.directMessages.deleteEvents(sent.dmEventId!)).data, { deleted: true })
    assert.deepEqual(idsOf((await they.one.directMessages.getEvents()).data), [answered.dmEventId])

    const group = { conversationType: 'Group' as const, participantIds: ['102'], message: { text: 'All aboard' } }
    const made = await they.one.directMessages.createConversation(group).catch((error) => error)
    assert.ok(made instanceof ApiError, 'a group has at least two others')
    assert.equal(made.status, 400)
  })
})
