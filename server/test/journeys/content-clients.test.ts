// The client that most programs use, unmodified, reads and writes every data object.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { TwitterApi } from 'twitter-api-v2'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { demoApp } from '../stage/postern.ts'
import { asTheirHosts } from '../stage/their-hosts.ts'

const tokenOf = (userId: string) => ({
  consumer_key: demoApp.consumer_key,
  user_id: userId,
  oauth_token: `${userId}-token-of-the-tests`,
  oauth_token_secret: `secret-of-${userId}`,
})

const seed: SeedDocument = {
  apps: [{ ...demoApp, permissions: 'read_write_dm' }],
  users: [
    { id: '101', username: 'ada', name: 'Ada' },
    { id: '102', username: 'grace', name: 'Grace' },
  ],
  tokens: [tokenOf('101'), tokenOf('102')],
}

/** Ada and Grace, each with a client of the same app, and the app by itself. */
async function withClients() {
  const hosts = await asTheirHosts(seed)
  const settings = { httpAgent: hosts.agent }
  const of = (userId: string) => {
    const { oauth_token: accessToken, oauth_token_secret: accessSecret } = tokenOf(userId)
    return new TwitterApi({ appKey: demoApp.consumer_key, appSecret: demoApp.consumer_secret, accessToken, accessSecret }, settings).v2
  }
  const app = new TwitterApi(await hosts.stage.token(), settings).v2
  return { ada: of('101'), grace: of('102'), app, [Symbol.asyncDispose]: () => hosts[Symbol.asyncDispose]() }
}

/** The client's type leaves out that the answer stands in `data`. */
const sent = (answer: unknown) => (answer as { data: { dm_conversation_id: string; dm_event_id: string } }).data

const idsOf = (objects: readonly { id: string }[] = []) => objects.map(({ id }) => id)

suite('twitter-api-v2', () => {
  test('posts, replies, quotes and deletes, and reads what it wrote with everything it refers to', async () => {
    await using they = await withClients()
    const { data: first } = await they.ada.tweet('Low tide at noon, @grace #tides')
    const { data: reply } = await they.grace.reply('See you there', first.id)
    const { data: quote } = await they.grace.quote('Worth a walk', first.id)

    const one = await they.app.singleTweet(first.id, {
      'tweet.fields': ['public_metrics', 'entities', 'created_at', 'conversation_id'],
      expansions: ['author_id', 'entities.mentions.username'],
    })
    assert.equal(one.data.text, 'Low tide at noon, @grace #tides')
    assert.deepEqual(one.data.public_metrics, {
      retweet_count: 0,
      reply_count: 1,
      like_count: 0,
      quote_count: 1,
      bookmark_count: 0,
      impression_count: 0,
    })
    assert.deepEqual(one.data.entities?.hashtags, [{ start: 25, end: 31, tag: 'tides' }])
    assert.deepEqual(idsOf(one.includes?.users), ['101', '102'])

    const both = await they.app.tweets([reply.id, quote.id], {
      'tweet.fields': ['referenced_tweets', 'in_reply_to_user_id'],
      expansions: ['referenced_tweets.id', 'referenced_tweets.id.author_id'],
    })
    assert.deepEqual(
      both.data.map(({ referenced_tweets }) => referenced_tweets),
      [[{ type: 'replied_to', id: first.id }], [{ type: 'quoted', id: first.id }]],
    )
    assert.equal(both.data[0]?.in_reply_to_user_id, '101')
    assert.deepEqual(idsOf(both.includes?.tweets), [first.id])
    assert.deepEqual(await they.grace.deleteTweet(reply.id), { data: { deleted: true } })
    assert.equal((await they.app.singleTweet(first.id, { 'tweet.fields': ['public_metrics'] })).data.public_metrics?.reply_count, 0)
    assert.deepEqual(idsOf((await they.app.quotes(first.id)).tweets), [quote.id])
  })

  test('walks timelines and a search page by page', async () => {
    await using they = await withClients()
    for (let n = 1; n <= 12; n += 1) await they.ada.tweet(`Wave ${n}`)
    const timeline = await they.app.userTimeline('101', { max_results: 5 })
    const all: string[] = []
    for await (const { text } of timeline) all.push(text)
    assert.deepEqual(
      all,
      Array.from({ length: 12 }, (_, n) => `Wave ${12 - n}`),
    )
    const found: string[] = []
    for await (const { text } of await they.app.search('wave -wave3', { max_results: 10 })) found.push(text)
    assert.equal(found.length, 12)
    await they.grace.follow('102', '101')
    assert.equal((await they.grace.homeTimeline({ max_results: 5 })).tweets[0]?.text, 'Wave 12')
    await they.grace.tweet('Hello @ada')
    assert.deepEqual(
      (await they.app.userMentionTimeline('101')).tweets.map(({ text }) => text),
      ['Hello @ada'],
    )
  })

  test('likes, reposts, bookmarks, follows, mutes and blocks, and lists who did', async () => {
    await using they = await withClients()
    const { data: post } = await they.ada.tweet('Like this')
    assert.deepEqual((await they.grace.like('102', post.id)).data, { liked: true })
    assert.equal((await they.grace.retweet('102', post.id)).data.retweeted, true)
    assert.equal((await they.grace.bookmark(post.id)).data.bookmarked, true)
    assert.deepEqual(idsOf((await they.app.tweetLikedBy(post.id)).data), ['102'])
    assert.deepEqual(idsOf((await they.app.tweetRetweetedBy(post.id)).data), ['102'])
    assert.deepEqual(idsOf((await they.app.userLikedTweets('102')).tweets), [post.id])
    assert.deepEqual(idsOf((await they.grace.bookmarks()).tweets), [post.id])
    assert.deepEqual((await they.grace.unlike('102', post.id)).data, { liked: false })
    assert.equal((await they.grace.unretweet('102', post.id)).data.retweeted, false)
    assert.equal((await they.grace.deleteBookmark(post.id)).data.bookmarked, false)

    assert.equal((await they.grace.follow('102', '101')).data.following, true)
    assert.deepEqual(idsOf((await they.app.followers('101')).data), ['102'])
    assert.deepEqual(idsOf((await they.app.following('102')).data), ['101'])
    assert.equal((await they.grace.unfollow('102', '101')).data.following, false)
    assert.equal((await they.grace.mute('102', '101')).data.muting, true)
    assert.deepEqual(idsOf((await they.grace.userMutingUsers('102')).users), ['101'])
    assert.equal((await they.grace.unmute('102', '101')).data.muting, false)
    assert.equal((await they.grace.block('102', '101')).data.blocking, true)
    assert.deepEqual(idsOf((await they.grace.userBlockingUsers('102')).users), ['101'])
  })

  test('makes lists, fills, follows and pins them, and reads their members and posts', async () => {
    await using they = await withClients()
    const { data: list } = await they.ada.createList({ name: 'Shore', description: 'People of the shore' })
    assert.equal((await they.ada.addListMember(list.id, '102')).data.is_member, true)
    const { data: post } = await they.grace.tweet('From the list')
    const read = await they.app.list(list.id, { 'list.fields': ['member_count', 'owner_id'], expansions: ['owner_id'] })
    assert.deepEqual([read.data.name, read.data.member_count, idsOf(read.includes?.users)], ['Shore', 1, ['101']])
    assert.deepEqual(idsOf((await they.app.listMembers(list.id)).users), ['102'])
    assert.deepEqual(idsOf((await they.app.listTweets(list.id)).tweets), [post.id])
    assert.deepEqual(idsOf((await they.app.listsOwned('101')).lists), [list.id])
    assert.deepEqual(idsOf((await they.app.listMemberships('102')).lists), [list.id])
    assert.equal((await they.grace.subscribeToList('102', list.id)).data.following, true)
    assert.deepEqual(idsOf((await they.app.listFollowed('102')).lists), [list.id])
    assert.equal((await they.ada.pinList('101', list.id)).data.pinned, true)
    assert.equal((await they.ada.updateList(list.id, { name: 'Coast' })).data.updated, true)
    assert.equal((await they.ada.removeListMember(list.id, '102')).data.is_member, false)
    assert.equal((await they.ada.removeList(list.id)).data.deleted, true)
  })

  test('sends direct messages, and reads the conversation', async () => {
    await using they = await withClients()
    const { dm_conversation_id, dm_event_id } = sent(await they.ada.sendDmToParticipant('102', { text: 'Boat or bus?' }))
    assert.equal(dm_conversation_id, '101-102')
    const answer = sent(await they.grace.sendDmInConversation('101-102', { text: 'Boat' }))
    const events = await they.grace.listDmEventsWithParticipant('101', { 'dm_event.fields': ['sender_id', 'created_at'] })
    assert.deepEqual(
      events.events.map(({ id, sender_id }) => [id, sender_id]),
      [
        [answer.dm_event_id, '102'],
        [dm_event_id, '101'],
      ],
    )
  })

  test('finds users by id and name, itself too, with fields and expansions', async () => {
    await using they = await withClients()
    const { data: post } = await they.ada.tweet('The latest')
    const found = await they.app.usersByUsernames(['ADA', 'grace', 'nobody'], {
      'user.fields': ['public_metrics', 'created_at'],
      expansions: ['most_recent_tweet_id' as never],
    })
    assert.deepEqual(idsOf(found.data), ['101', '102'])
    assert.equal(found.data[0]?.public_metrics?.tweet_count, 1)
    assert.deepEqual(idsOf(found.includes?.tweets), [post.id])
    assert.equal(found.errors?.[0]?.resource_id, 'nobody')
    assert.equal((await they.app.user('101')).data.username, 'ada')
    assert.equal((await they.app.userByUsername('grace')).data.id, '102')
    assert.equal((await they.grace.me({ 'user.fields': ['protected'] })).data.protected, false)
  })
})
