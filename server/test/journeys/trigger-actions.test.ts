// A trigger of what users cause performs it: what its event tells of is there, and what the action refuses is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demoApp, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'

const ada = { id: '101', username: 'ada', name: 'Ada' }
const grace = { id: '102', username: 'grace', name: 'Grace' }
const mina = { id: '103', username: 'mina', name: 'Mina' }

type User = typeof ada & { protected?: boolean; disabled?: boolean; receives_your_dm?: boolean }

async function startWith(users: User[], more: object = {}) {
  const tokens = users.map(({ id }) => ({
    consumer_key: demoApp.consumer_key,
    user_id: id,
    oauth_token: `${id}-token-of-the-tests`,
    oauth_token_secret: `${id}-token-secret-of-the-tests`,
  }))
  const stage = await setStage({ seed: { apps: [{ ...demoApp, permissions: 'read_write_dm' }], users, tokens, ...more } })
  const token = await stage.token()
  const post = (json: object) => stage.operator('POST', '/operator/trigger', json)
  return {
    stage,
    token,
    async trigger(json: object) {
      const { status, body, text } = await post(json)
      assert.equal(status, 202, text)
      return body
    },
    /** The status of a refusal, and its sentences. */
    async refused(json: object) {
      const { status, body } = await post(json)
      return { status, says: [body.detail, ...(body.errors ?? []).map(({ message }: { message: string }) => message)].join(' ') }
    },
    get: async (path: string) => (await stage.api('GET', path, { token })).body,
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  }
}

test('what nobody has subscribed to is performed nevertheless', async () => {
  await using server = await startWith([ada, grace])
  const { data, meta } = await server.trigger({ event_type: 'post.create', user: 'ada', text: 'High tide' })
  assert.deepEqual(
    [data.event_uuid, data.event, data.deliveries, data.example, data.performed],
    [undefined, undefined, [], false, 'POST /2/posts'],
  )
  assert.deepEqual(meta, {
    subscriptions: 0,
    deliveries: 0,
    reasons: ['no app has a subscription to post.create: create one with POST /2/activity/subscriptions'],
  })
  assert.equal((await server.get(`/2/posts/${data.answer.data.id}`)).data.text, 'High tide')
})

test('the post of a mention is there, names the user, and is another one each time', async () => {
  await using server = await startWith([ada, grace])
  const mention = async (text?: string) => {
    const { data } = await server.trigger({ event_type: 'post.mention.create', from: 'grace', to: 'ada', text })
    return (await server.get(`/2/posts/${data.answer.data.id}?post.fields=author_id,entities,conversation_id`)).data
  }
  const [first, second] = [await mention(), await mention()]
  assert.notEqual(first.text, second.text)
  assert.deepEqual([first.author_id, first.entities.mentions[0].username, first.conversation_id], ['102', 'ada', first.id])
  assert.equal((await mention('What a tide')).text, '@ada What a tide')
  assert.equal((await mention('What a tide, @Ada!')).text, 'What a tide, @Ada!')
})

test('what must be there before is made: a post, a message, a space, a relation', async () => {
  await using server = await startWith([ada, grace])
  const posts = async (id: string) => ((await server.get(`/2/users/${id}/posts`)).data ?? []) as { id: string }[]
  const referred = async (event_type: string) => {
    const { data } = await server.trigger({ event_type, from: 'grace', to: 'ada' })
    const { data: made } = await server.get(`/2/posts/${data.answer.data.id}?post.fields=referenced_posts`)
    return made.referenced_posts as object[]
  }
  assert.deepEqual(await posts('101'), [])
  assert.deepEqual(await referred('post.reply.create'), [{ type: 'replied_to', id: (await posts('101'))[0]!.id }])
  assert.deepEqual(await referred('post.quote.create'), [{ type: 'quoted', id: (await posts('101'))[0]!.id }])
  assert.deepEqual(await referred('post.repost.create'), [{ type: 'reposted', id: (await posts('101'))[0]!.id }])
  assert.equal((await posts('101')).length, 1)
  await server.trigger({ event_type: 'post.repost.create', from: 'grace', to: 'ada' })
  assert.equal((await posts('101')).length, 2)
  await server.trigger({ event_type: 'like.create', from: 'grace', to: 'ada' })
  await server.trigger({ event_type: 'like.create', from: 'grace', to: 'ada' })
  await server.trigger({ event_type: 'like.create', from: 'grace', to: 'ada' })
  assert.equal((await posts('101')).length, 3)

  const { data: ended } = await server.trigger({ event_type: 'spaces.end', user: 'ada' })
  assert.equal((await server.get(`/2/spaces/${ended.answer.data.id}?space.fields=state`)).data.state, 'ended')
  await server.trigger({ event_type: 'dm.read', from: 'ada', to: 'grace' })
  await server.trigger({ event_type: 'follow.unfollow', from: 'ada', to: 'grace' })
  assert.equal((await server.get('/2/users/101/following')).data, undefined)
  const { data: deleted } = await server.trigger({ event_type: 'post.delete', user: 'ada' })
  assert.deepEqual(deleted.answer, { data: { deleted: true } })
  assert.equal((await posts('101')).length, 3)
})

test('a pair that is in that state already is refused, with what to do', async () => {
  await using server = await startWith([ada, grace])
  for (const [event_type, says] of [
    ['follow.follow', '@ada (user 101) follows @grace (user 102) already: trigger follow.unfollow first, or name another user.'],
    ['mute.mute', '@ada (user 101) mutes @grace (user 102) already: trigger mute.unmute first, or name another user.'],
    ['block.block', '@ada (user 101) blocks @grace (user 102) already: trigger block.unblock first, or name another user.'],
  ] as const) {
    await server.trigger({ event_type, from: 'ada', to: 'grace' })
    const again = await server.refused({ event_type, from: 'ada', to: 'grace' })
    assert.deepEqual([again.status, again.says], [409, says])
  }
  const bio = { event_type: 'profile.update.bio', user: 'ada', text: 'Tides' }
  await server.trigger(bio)
  const again = await server.refused(bio)
  const says = 'The text is the bio of @ada (user 101) already, so that nothing changes: send another.'
  assert.deepEqual([again.status, again.says], [409, says])
})

test('who was not named is somebody who may, and it says when nobody is left', async () => {
  await using server = await startWith([ada, grace, { ...mina, protected: true }])
  const pairs: string[] = []
  for (let one = 0; one < 2; one += 1) {
    const { data } = await server.trigger({ event_type: 'follow.follow' })
    pairs.push(`${data.from} ${data.to}`)
  }
  assert.deepEqual(pairs, ['101 102', '102 101'])
  const { status, says } = await server.refused({ event_type: 'follow.follow' })
  assert.equal(status, 409)
  assert.match(says, /No users of the server are left who may cause a follow\.follow event: name them with from and to/)
  await server.trigger({ event_type: 'block.block', from: 'ada', to: 'grace' })
  assert.equal((await server.refused({ event_type: 'post.mention.create', to: 'ada' })).status, 409)
})

test('who was not named is one of those among whom it may be, if one of them may', async () => {
  await using server = await startWith([ada, grace, mina, { id: '104', username: 'otto', name: 'Otto' }])
  const follow = async (json: object) => {
    const { data } = await server.trigger({ event_type: 'follow.follow', among: ['mina', '104'], ...json })
    return [data.from, data.to]
  }
  assert.deepEqual(await follow({}), ['103', '104'])
  assert.deepEqual(await follow({ to: 'otto' }), ['101', '104'])
  assert.deepEqual(await follow({ from: 'ada' }), ['101', '103'])
  const example = await server.trigger({ event_type: 'profile.update.verified', among: ['mina'] })
  assert.equal(example.data.event.user_id, '103')
  assert.deepEqual(await follow({ among: ['7', 'grace', 'mina'] }), ['102', '103'])
  const { status, says } = await server.refused({ event_type: 'follow.follow', among: ['minna'] })
  assert.equal(status, 400)
  assert.match(says, /\$\.among: no user has the username minna\. Did you mean mina\?/)
})

test('the refusal of an action comes back as it is, and names the user', async () => {
  await using server = await startWith([
    ada,
    grace,
    { ...mina, protected: true },
    { id: '104', username: 'otto', name: 'Otto', disabled: true },
  ])
  const { trigger, refused } = server
  const suspended = await refused({ event_type: 'post.create', user: 'otto' })
  assert.deepEqual([suspended.status, suspended.says], [403, 'The user is suspended. @otto (user 104) was refused POST /2/posts.'])
  const tothem = await refused({ event_type: 'follow.follow', from: 'ada', to: 'otto' })
  assert.deepEqual(
    [tothem.status, tothem.says],
    [403, 'You cannot follow a user who is suspended. @ada (user 101) was refused POST /2/users/:id/following.'],
  )
  const liked = await refused({ event_type: 'like.create', from: 'ada', to: 'mina' })
  assert.equal(liked.status, 403)
  assert.match(liked.says, /@ada \(user 101\) does not see the posts of @mina \(user 103\), who is protected/)
  await trigger({ event_type: 'block.block', from: 'grace', to: 'ada' })
  const blocked = await refused({ event_type: 'dm.received', from: 'ada', to: 'grace' })
  assert.deepEqual(
    [blocked.status, blocked.says],
    [403, 'You cannot send messages to this user. @ada (user 101) was refused POST /2/dm_conversations/with/:participant_id/messages.'],
  )
  const typing = await refused({ event_type: 'dm.indicate_typing', from: 'ada', to: 'grace' })
  assert.equal(typing.status, 403)
  assert.match(typing.says, /\(code 349\) @ada \(user 101\) was refused POST \/1\.1\/direct_messages\/indicate_typing\.$/)
  await trigger({ event_type: 'post.create', user: 'ada', text: 'Twice' })
  assert.match((await refused({ event_type: 'post.create', user: 'ada', text: 'Twice' })).says, /duplicate content/)
})

test('a text that the action does not take is refused under the name that it was sent with', async () => {
  await using server = await startWith([ada, grace])
  const says = async (event_type: string, text: string) => (await server.refused({ event_type, user: 'ada', text })).says
  assert.match(await says('post.create', 'x'.repeat(281)), /280/)
  assert.match(await says('profile.update.bio', 'x'.repeat(161)), /\$\.text: .*160/)
  assert.match(await says('profile.update.geo', 'x'.repeat(31)), /\$\.text: .*30/)
  assert.match(await says('profile.update.url', 'no url'), /`text` must be the address of a page/)
  assert.match(await says('spaces.start', 'x'.repeat(71)), /\$\.text: .*70/)
  assert.match(await says('spaces.end', 'x'), /\$\.text: events of the type spaces\.end have no text/)
  const { says: to } = await server.refused({ event_type: 'post.create', to: 'ada' })
  assert.match(to, /\$\.to: nobody else takes part in a post\.create event: name its user with user or from/)
})

test('with members of a payload, and for strangers, it is an example that says so', async () => {
  await using server = await startWith([ada, grace])
  const noteOf = async (json: object) => {
    const { data, meta } = await server.trigger(json)
    assert.deepEqual([data.example, data.performed], [true, undefined])
    return meta.note
  }
  const unreal = 'What the event tells of has not happened on this server, and cannot be looked up.'
  assert.equal(
    await noteOf({ event_type: 'post.create', payload: { lang: 'de' } }),
    `With members of payload an example is published. ${unreal}`,
  )
  assert.equal(await noteOf({ event_type: 'like.create', from: '7' }), `The server has no user 7, so an example was published. ${unreal}`)
  assert.equal(await noteOf({ event_type: 'chat.sent' }), `No call makes a chat.sent event, so an example was published. ${unreal}`)
})

test('of a protected user there is no event, and it says so', async () => {
  await using server = await startWith([ada, { ...mina, protected: true }])
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const webhookId = await server.stage.register(receiver.url, server.token)
  await server.stage.subscribe(webhookId, server.token, { event_type: 'post.create', filter: { user_id: '103' } })
  const { data, meta } = await server.trigger({ event_type: 'post.create', user: 'mina' })
  assert.deepEqual([data.event, meta.subscriptions], [undefined, 0])
  assert.match(meta.reasons[0], /made no event of this type: there is none about what protected users do/)
})

test('many at once perform one after the other, and each tells of its own', async () => {
  await using server = await startWith([ada, grace])
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const webhookId = await server.stage.register(receiver.url, server.token)
  await server.stage.subscribe(webhookId, server.token, { event_type: 'post.mention.create', filter: { user_id: '101' } })
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => server.trigger({ event_type: 'post.mention.create', to: 'ada', text: `Wave ${n}` })),
  )
  assert.deepEqual(
    answers.map(({ data }) => data.event.payload.text),
    Array.from({ length: 10 }, (_, n) => `@ada Wave ${n}`),
  )
  assert.deepEqual(
    answers.map(({ data }) => data.deliveries.map(({ event_uuid }: { event_uuid: string }) => event_uuid)),
    answers.map(({ data }) => [data.event_uuid]),
  )
})

test('faults of calls, rate limits and the list of requests are for clients', async () => {
  await using server = await startWith([ada, grace])
  const fault = await server.stage.operator('POST', '/operator/faults', { call: 'POST /2/posts', status: 429 })
  assert.equal(fault.status, 201)
  for (let one = 0; one < 101; one += 1) await server.trigger({ event_type: 'post.create', user: 'ada' })
  const { body } = await server.stage.operator('GET', '/operator/requests?path=/2/posts')
  assert.deepEqual(body.data, [])
})

test('without users or apps nothing is performed, and it says what to make', async () => {
  await using stage = await setStage({ seed: { users: [ada] } })
  const refused = async (event_type: string) => {
    const { status, body } = await stage.operator('POST', '/operator/trigger', { event_type })
    assert.equal(status, 409)
    return body.detail
  }
  assert.match(await refused('follow.follow'), /No users of the server are left .* or make some with POST \/operator\/seed\./)
  assert.match(await refused('post.create'), /The server has no app to call with: make one with POST \/operator\/apps\./)
})

test('in the dialect x the event and the call have their names there', async () => {
  await using stage = await setStage({ environment: { POSTERN_DIALECT: 'x' } })
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const token = await stage.token()
  const webhookId = await stage.register(receiver.url, token)
  await stage.subscribe(webhookId, token, { event_type: 'post.create' })
  const { body } = await stage.operator('POST', '/operator/trigger', { event_type: 'post.create', user: '101', text: 'Ahoy' })
  assert.equal(body.data.performed, 'POST /2/tweets')
  assert.deepEqual(body.data.answer.data.edit_history_tweet_ids, [body.data.answer.data.id])
  assert.deepEqual(body.data.event.payload.edit_history_tweet_ids, [body.data.answer.data.id])
})
