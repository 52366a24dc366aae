// What a test triggers has happened: a bot answers it, clients look it up, and it is delivered when the trigger resolves.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { suite, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { createReceiver } from '@postern/receiver'
import { startPostern } from 'postern'
import { programFolder } from './take-over/led-programs.ts'

/** Runs a program, in this process, that uses the kit and twitter-api-v2, which reaches the server at the hosts that it has built in. */
async function runProgram(code: string) {
  const head = `
    import assert from 'node:assert/strict'
    import { startPostern } from 'postern'
    import { TwitterApi } from 'twitter-api-v2'
    await using postern = await startPostern({ dialect: 'x' })
    using hosts = postern.takeOver()
    const [ada, grace] = ['ada', 'grace'].map((name) => new TwitterApi(postern.app.userCredentials(name)))
  `
  using folder = programFolder()
  await import(pathToFileURL(folder.write('program.ts', head + code)).href)
}

suite('with twitter-api-v2', () => {
  test('a bot replies to the mention that a test triggers, and the reply is in its conversation', () =>
    runProgram(`
      await postern.inbox.register({ events: ['post.mention.create'], users: ['ada'] })
      const triggered = await postern.trigger('post.mention.create', { from: 'grace', to: 'ada', text: 'When is high tide?' })
      assert.deepEqual([triggered.example, triggered.performed], [false, 'POST /2/tweets'])
      assert.deepEqual(triggered.deliveries.map(({ outcome, status }) => [outcome, status]), [['delivered', 200]])
      const { event } = await postern.inbox.next('post.mention.create')
      assert.equal(event.data.payload.text, '@ada When is high tide?')
      const { data: reply } = await ada.v2.reply('At noon.', event.data.payload.id)
      const found = await ada.v2.search('conversation_id:' + event.data.payload.conversation_id)
      assert.ok(found.tweets.some(({ id }) => id === reply.id))
      const thread = await ada.v2.singleTweet(reply.id, { 'tweet.fields': ['conversation_id', 'referenced_tweets'] })
      assert.equal(thread.data.conversation_id, event.data.payload.id)
      assert.deepEqual(thread.data.referenced_tweets, [{ type: 'replied_to', id: event.data.payload.id }])
    `))

  test('posts, replies, quotes, reposts and likes can be looked up, and what is deleted is gone', () =>
    runProgram(`
      const types = ['post.create', 'post.delete', 'post.reply.create', 'post.quote.create', 'post.repost.create', 'like.create']
      await postern.inbox.register({ events: types, users: ['ada', 'grace'] })
      const post = (await postern.trigger('post.create', { user: 'ada', text: 'Ebb' })).event.payload
      assert.equal((await ada.v2.singleTweet(post.id)).data.text, 'Ebb')
      const pair = { from: 'grace', to: 'ada' }
      const referredBy = async (type) => {
        const { id } = (await postern.trigger(type, pair)).event.payload
        return (await ada.v2.singleTweet(id, { 'tweet.fields': ['author_id', 'referenced_tweets'] })).data
      }
      const reply = await referredBy('post.reply.create')
      assert.deepEqual([reply.author_id, reply.referenced_tweets], ['102', [{ type: 'replied_to', id: post.id }]])
      const quote = await referredBy('post.quote.create')
      assert.deepEqual([quote.author_id, quote.referenced_tweets], ['102', [{ type: 'quoted', id: post.id }]])
      const repost = await referredBy('post.repost.create')
      assert.deepEqual([repost.author_id, repost.referenced_tweets], ['102', [{ type: 'retweeted', id: post.id }]])
      const { event: like } = await postern.trigger('like.create', pair)
      assert.equal(like.payload.liked_tweet_id, post.id)
      const liking = await ada.v2.tweetLikedBy(post.id)
      assert.deepEqual(liking.data.map(({ username }) => username), ['grace'])
      await ada.v2.deleteTweet(post.id)
      const { event: deleted } = await postern.trigger('post.delete', { user: 'ada' })
      const { errors } = await ada.v2.singleTweet(deleted.payload.id)
      assert.equal(errors.length, 1)
    `))

  test('follows, mutes, blocks, profiles, spaces and messages are as their events say', () =>
    runProgram(`
      const names = (list) => list.data.map(({ username }) => username)
      const pair = { from: 'ada', to: 'grace' }
      await ada.v2.unfollow('101', '102')
      await postern.trigger('follow.follow', pair)
      assert.ok(names(await ada.v2.following('101')).includes('grace'))
      await postern.trigger('follow.unfollow', pair)
      assert.ok(!names(await ada.v2.following('101')).includes('grace'))
      await postern.trigger('mute.mute', pair)
      assert.ok((await ada.v2.userMutingUsers('101')).users.some(({ username }) => username === 'grace'))
      await postern.trigger('mute.unmute', pair)
      assert.ok(!(await ada.v2.userMutingUsers('101')).users.some(({ username }) => username === 'grace'))
      await postern.trigger('block.block', pair)
      assert.ok((await ada.v2.userBlockingUsers('101')).users.some(({ username }) => username === 'grace'))
      await assert.rejects(postern.trigger('dm.sent', pair), /@ada \\(user 101\\) was refused POST \\/2\\/dm_conversations/)
      await postern.trigger('block.unblock', pair)
      for (const [type, member, text] of [
        ['profile.update.bio', 'description', 'Tides'],
        ['profile.update.screenname', 'name', 'Ada of Saltmere'],
        ['profile.update.geo', 'location', 'Saltmere Head'],
        ['profile.update.url', 'url', 'https://example.com/tides'],
      ]) {
        await postern.trigger(type, { user: 'ada', text })
        assert.equal((await ada.v2.user('101', { 'user.fields': ['description', 'location', 'url'] })).data[member], text)
      }
      const { answer: space } = await postern.trigger('spaces.start', { user: 'ada', text: 'Tide talk' })
      const shown = async (id) => (await ada.v2.space(id, { 'space.fields': ['title', 'state'] })).data
      assert.deepEqual([(await shown(space.data.id)).title, (await shown(space.data.id)).state], ['Tide talk', 'live'])
      const { answer: ended } = await postern.trigger('spaces.end', { user: 'ada' })
      assert.equal((await shown(ended.data.id)).state, 'ended')
      await postern.inbox.register({ events: ['dm.received', 'dm.sent', 'dm.read', 'dm.indicate_typing'], users: ['ada', 'grace'] })
      const { event: received } = await postern.trigger('dm.received', { to: 'ada', from: 'grace', text: 'Ahoy' })
      const [message] = received.payload.direct_message_events
      const seen = (await ada.v2.listDmEventsWithParticipant('102')).data.data
      assert.deepEqual([seen[0].id, seen[0].text], [message.id, 'Ahoy'])
      const { event: read } = await postern.trigger('dm.read', { from: 'ada', to: 'grace' })
      assert.equal(read.payload.direct_message_mark_read_events[0].last_read_event_id, message.id)
      const { event: typing } = await postern.trigger('dm.indicate_typing', { from: 'ada', to: 'grace' })
      assert.equal(typing.payload.direct_message_indicate_typing_events[0].sender_id, '101')
    `))
})

/** A receiver as a user writes one, which takes its time. */
async function startSlowReceiver(secret: string, delayMs: number) {
  const texts: string[] = []
  const { node } = createReceiver({
    secrets: [secret],
    onEvent: (event) => void texts.push(String((event.data as { payload: { text: string } }).payload.text)),
    log: () => {},
  })
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') await wait(delayMs)
    node(request, response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as { port: number }
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}/hook`, texts, [Symbol.dispose]: close }
}

async function callApi({ url, app }: Awaited<ReturnType<typeof startPostern>>, path: string, json: object) {
  const headers = { authorization: `Bearer ${await app.bearerToken()}`, 'content-type': 'application/json' }
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(json) })
  const body = await answer.json()
  assert.equal(answer.status, 200, JSON.stringify(body))
  return body as { data: { id: string } }
}

/** A server with a slow receiver of the posts of ada. */
async function startWithReceiver(delayMs: number) {
  await using begun = new AsyncDisposableStack()
  const postern = begun.use(await startPostern())
  const receiver = begun.use(await startSlowReceiver(postern.app.consumerSecret, delayMs))
  const { data } = await callApi(postern, '/2/webhooks', { url: receiver.url })
  await callApi(postern, '/2/activity/subscriptions', { event_type: 'post.create', filter: { user_id: '101' }, webhook_id: data.id })
  const owned = begun.move()
  return { postern, receiver, webhookId: data.id, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

test('of twenty triggers to a slow receiver none leaks into the next', async () => {
  await using server = await startWithReceiver(25)
  const { postern, receiver } = server
  for (let one = 1; one <= 20; one += 1) {
    const { deliveries } = await postern.trigger('post.create', { user: 'ada', text: `Wave ${one}` })
    assert.deepEqual([receiver.texts.length, receiver.texts.at(-1), deliveries[0]!.status], [one, `Wave ${one}`, 200])
  }
})

test('settled waits for those that were not waited for, and says what is under way if it takes too long', async () => {
  await using server = await startWithReceiver(300)
  const { postern, receiver, webhookId } = server
  for (let one = 1; one <= 3; one += 1) {
    const { deliveries } = await postern.trigger('post.create', { user: 'ada', wait: false })
    assert.deepEqual(deliveries, [])
  }
  await assert.rejects(postern.settled({ timeoutMs: 20 }), {
    message: new RegExp(
      `^not settled within 20 ms: .*post\\.create \\d+ was sent to ${receiver.url} \\(webhook ${webhookId}\\), which has not answered yet`,
    ),
  })
  await postern.settled()
  assert.equal(receiver.texts.length, 3)
  await assert.rejects(postern.settled({ timeoutMs: 60_001 }), RangeError)
  await assert.rejects(postern.settled({ timeout: 5 } as object), /settled has no option timeout\. Did you mean timeoutMs\?/)
})

test('deliveries are listed with their attempts; those of a world are of its own webhooks', async () => {
  await using postern = await startPostern()
  await using world = await postern.world()
  await postern.inbox.register({ events: ['profile.update.bio'], users: ['ada'] })
  await world.inbox.register({ events: ['profile.update.bio'] })
  const { event_uuid } = await postern.trigger('profile.update.bio', { user: 'ada' })
  const { event_uuid: ofWorld } = await world.trigger('profile.update.bio', { user: 'ada' })
  const all = await postern.deliveries()
  assert.deepEqual(
    all.map((delivery) => [delivery.event_uuid, delivery.state, delivery.attempts[0]!.status]),
    [
      [ofWorld, 'delivered', 200],
      [event_uuid, 'delivered', 200],
    ],
  )
  assert.deepEqual(
    (await world.deliveries()).map((delivery) => [delivery.event_uuid, delivery.app_id]),
    [[ofWorld, world.app.id]],
  )
  assert.deepEqual(await world.deliveries({ webhook_id: postern.inbox.webhookId }), [])
  assert.deepEqual(await postern.deliveries({ state: 'retrying' }), [])
  await assert.rejects(postern.deliveries({ webhook: '1' } as object), /deliveries has no option webhook\. Did you mean webhook_id\?/)
})
