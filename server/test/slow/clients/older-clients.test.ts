// Clients that are no longer developed, which programs still use, unmodified: what they read and write.
import assert from 'node:assert/strict'
import https from 'node:https'
import { suite, test } from 'node:test'
import { auth, Client } from 'twitter-api-sdk'
import TwitterLite from 'twitter-lite'
import * as xdk from 'xdk-0.5'
import { usersSeed } from '../../stage/content.ts'
import { authorization } from '../../stage/oauth-client.ts'
import { demoApp, setStage } from '../../stage/postern.ts'
import { asTheirHosts } from '../../stage/their-hosts.ts'

const credentialsOf = (id: string) => ({
  consumer_key: demoApp.consumer_key,
  consumer_secret: demoApp.consumer_secret,
  oauth_token: `${id}-token`,
  oauth_token_secret: `secret of ${id}`,
})

/** Signs with OAuth 1.0a: the client asks whatever object it is given for the header. */
class SignedUser {
  readonly #id: string

  constructor(id: string) {
    this.#id = id
  }

  getAuthHeader(url = '', method = 'GET') {
    return { Authorization: authorization({ ...credentialsOf(this.#id), url, method }) }
  }
}

const idsOf = (objects: readonly { id: string }[] = []) => objects.map(({ id }) => id)

suite('twitter-api-sdk', () => {
  async function withClients() {
    const hosts = await asTheirHosts(usersSeed('101', '102'))
    const settings = { agent: hosts.agent } as object
    const of = (id: string) => new Client(new SignedUser(id), settings)
    const app = new Client(new auth.OAuth2Bearer(await hosts.stage.token()), settings)
    return { one: of('101'), other: of('102'), app, [Symbol.asyncDispose]: () => hosts[Symbol.asyncDispose]() }
  }

  test('writes posts, replies, likes, reposts and follows, and reads them with what they refer to', async () => {
    await using they = await withClients()
    const id = (await they.one.tweets.createTweet({ text: 'Low tide at noon, @user102' })).data!.id
    const reply = (await they.other.tweets.createTweet({ text: 'See you there', reply: { in_reply_to_tweet_id: id } })).data!.id
    assert.equal((await they.other.tweets.usersIdLike('102', { tweet_id: id })).data?.liked, true)
    assert.equal((await they.other.tweets.usersIdRetweets('102', { tweet_id: id })).data?.retweeted, true)
    assert.equal((await they.other.users.usersIdFollow('102', { target_user_id: '101' })).data?.following, true)
    assert.equal((await they.other.bookmarks.postUsersIdBookmarks('102', { tweet_id: id })).data?.bookmarked, true)

    const read = await they.app.tweets.findTweetById(id, {
      'tweet.fields': ['public_metrics', 'created_at', 'author_id'],
      expansions: ['author_id', 'entities.mentions.username'],
    })
    assert.equal(read.data?.text, 'Low tide at noon, @user102')
    const { like_count, retweet_count, reply_count } = read.data!.public_metrics!
    assert.deepEqual({ like_count, retweet_count, reply_count }, { like_count: 1, retweet_count: 1, reply_count: 1 })
    assert.deepEqual(idsOf(read.includes?.users), ['101', '102'])
    assert.deepEqual(idsOf((await they.app.tweets.findTweetsById({ ids: [id, reply] })).data), [id, reply])
    assert.deepEqual(idsOf((await they.app.tweets.tweetsRecentSearch({ query: 'tide' })).data).includes(id), true)
    assert.deepEqual(idsOf((await they.app.users.tweetsIdLikingUsers(id)).data), ['102'])
    assert.deepEqual(idsOf((await they.app.users.usersIdFollowers('101')).data), ['102'])
    assert.deepEqual(idsOf((await they.other.bookmarks.getUsersIdBookmarks('102')).data), [id])
    assert.equal((await they.other.tweets.usersIdUnlike('102', id)).data?.liked, false)
    assert.equal((await they.other.tweets.usersIdUnretweets('102', id)).data?.retweeted, false)
    assert.deepEqual(idsOf((await they.app.tweets.usersIdMentions('102')).data), [id])
    assert.equal((await they.one.tweets.deleteTweetById(id)).data?.deleted, true)
  })

  test('makes lists, fills, follows and pins them, and follows pages by their tokens', async () => {
    await using they = await withClients()
    const list = (await they.one.lists.listIdCreate({ name: 'Shore', private: false })).data!.id
    assert.equal((await they.one.lists.listAddMember(list, { user_id: '102' })).data?.is_member, true)
    assert.equal((await they.other.lists.listUserFollow('102', { list_id: list })).data?.following, true)
    assert.equal((await they.one.lists.listUserPin('101', { list_id: list })).data?.pinned, true)
    assert.deepEqual(idsOf((await they.app.users.listGetMembers(list)).data), ['102'])
    assert.equal((await they.app.lists.listIdGet(list)).data?.name, 'Shore')
    const posts: string[] = []
    for (const text of ['one', 'two', 'three', 'four', 'five', 'six']) posts.unshift((await they.one.tweets.createTweet({ text })).data!.id)
    const pages: string[][] = []
    for await (const { data } of they.app.tweets.usersIdTweets('101', { max_results: 5 })) pages.push(idsOf(data))
    assert.deepEqual(pages, [posts.slice(0, 5), posts.slice(5)])
    assert.equal((await they.one.lists.listIdDelete(list)).data?.deleted, true)
  })

  test('reads users by id and name, and itself', async () => {
    await using they = await withClients()
    assert.equal((await they.one.users.findMyUser()).data?.id, '101')
    assert.equal((await they.app.users.findUserById('102')).data?.username, 'user102')
    assert.equal((await they.app.users.findUserByUsername('USER101')).data?.id, '101')
    assert.deepEqual(idsOf((await they.app.users.findUsersById({ ids: ['101', '102'] })).data), ['101', '102'])
  })
})

suite('@xdevplatform/xdk 0.5', () => {
  async function withClients() {
    const stage = await setStage({ seed: usersSeed('101', '102'), environment: { POSTERN_DIALECT: 'x' } })
    const baseUrl = stage.origins.base_url
    const of = (id: string) => {
      const { consumer_key: apiKey, consumer_secret: apiSecret, oauth_token, oauth_token_secret } = credentialsOf(id)
      const keys = { apiKey, apiSecret, callback: 'oob', accessToken: oauth_token, accessTokenSecret: oauth_token_secret }
      return new xdk.Client({ baseUrl, oauth1: new xdk.OAuth1(keys) })
    }
    const app = new xdk.Client({ baseUrl, bearerToken: await stage.token() })
    return { one: of('101'), other: of('102'), app, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() }
  }

  test('writes posts, replies and likes, and reads them with what they refer to', async () => {
    await using they = await withClients()
    const id = (await they.one.posts.create({ text: 'Low tide at noon, @user102' })).data!.id!
    const reply = (await they.other.posts.create({ text: 'See you there', reply: { inReplyToTweetId: id } })).data!.id!
    assert.equal((await they.other.users.likePost('102', { body: { tweetId: id } })).data?.liked, true)
    const shape = { tweetFields: ['public_metrics'], expansions: ['author_id', 'entities.mentions.username'] }
    const read = await they.app.posts.getById(id, shape as object)
    assert.deepEqual([read.data?.publicMetrics?.replyCount, read.data?.publicMetrics?.likeCount], [1, 1])
    assert.deepEqual(idsOf(read.includes?.users as { id: string }[]), ['101', '102'])
    assert.deepEqual(idsOf((await they.app.posts.searchRecent('tide')).data as { id: string }[]), [id])
    assert.deepEqual((await they.other.posts.delete(reply)).data, { deleted: true })
  })

  test('makes a list and fills it, sends a message, and reads users and itself', async () => {
    await using they = await withClients()
    assert.equal((await they.one.users.getMe()).data?.id, '101')
    assert.equal((await they.app.users.getById('102')).data?.username, 'user102')
    const list = (await they.one.lists.create({ body: { name: 'Shore' } })).data!.id!
    assert.equal((await they.one.lists.addMember(list, { body: { userId: '102' } })).data?.isMember, true)
    assert.deepEqual(idsOf((await they.app.lists.getMembers(list)).data as { id: string }[]), ['102'])
    const sent = await they.one.directMessages.createByParticipantId('102', { body: { text: 'Boat or bus?' } })
    assert.equal(sent.data?.dmConversationId, '101-102')
    const events = await they.other.directMessages.getEventsByParticipantId('101')
    assert.deepEqual(idsOf(events.data as { id: string }[]), [sent.data?.dmEventId])
  })
})

/** The types of the package are those of its module, which is the class. */
const Twitter = TwitterLite as object as typeof TwitterLite.default

suite('twitter-lite', () => {
  test('signs in an app, and reads users and posts; a post as a form is refused with the reason', async () => {
    await using hosts = await asTheirHosts(usersSeed('101', '102'))
    const usual = https.globalAgent
    // The client takes no agent: it calls through the one of the process.
    https.globalAgent = hosts.agent
    try {
      const { consumer_key, consumer_secret, oauth_token, oauth_token_secret } = credentialsOf('101')
      const { access_token } = await new Twitter({ consumer_key, consumer_secret }).getBearerToken()
      const app = new Twitter({ version: '2', extension: false, bearer_token: access_token } as object as ConstructorParameters<
        typeof Twitter
      >[0])
      assert.equal((await app.get('users/102')).data.username, 'user102')
      const user = new Twitter({
        version: '2',
        extension: false,
        consumer_key,
        consumer_secret,
        access_token_key: oauth_token,
        access_token_secret: oauth_token_secret,
      })
      assert.equal((await user.get('users/me')).data.id, '101')
      const refused = await user.post('tweets', { text: 'Low tide' }).then(
        () => assert.fail('it was accepted'),
        (error) => error,
      )
      assert.equal(refused.title, 'Invalid Request')
    } finally {
      https.globalAgent = usual
    }
  })
})
