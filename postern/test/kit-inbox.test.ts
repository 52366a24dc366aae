import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NothingReceived, type OperatorApi, startPostern } from 'postern'
import { createInbox } from '../src/kit/inbox.ts'

test('an inbox receives what is triggered, verified', async () => {
  await using postern = await startPostern()
  await postern.inbox.register({ events: ['dm.received'], users: ['ada'] })
  const triggered = await postern.trigger('dm.received', { to: 'ada', text: 'Hello' })
  assert.deepEqual([triggered.subscriptions, triggered.deliveries.map(({ outcome }) => outcome)], [1, ['delivered']])
  const received = await postern.inbox.next('dm.received')
  assert.equal(received.event_uuid, triggered.event_uuid)
  assert.equal(received.event_type, 'dm.received')
  assert.equal(received.user_id, '101')
  assert.equal(received.verified, true)
  assert.equal(received.duplicate, false)
  assert.equal(JSON.stringify(received.event).includes('Hello'), true)
  assert.match(postern.inbox.url, /^http:\/\/127\.0\.0\.1:\d+\//)
})

test('each event is taken once, whichever type was asked for', async () => {
  await using postern = await startPostern()
  await postern.inbox.register({ events: ['dm.received', 'profile.update.bio'] })
  const first = await postern.trigger('profile.update.bio', { user: 'ada' })
  const second = await postern.trigger('dm.received', { to: 'ada' })
  const third = await postern.trigger('dm.received', { to: 'ada' })
  const taken = [await postern.inbox.next('dm.received'), await postern.inbox.next(), await postern.inbox.next()]
  assert.deepEqual(taken.map(({ event_uuid }) => event_uuid).sort(), [first, second, third].map(({ event_uuid }) => event_uuid).sort())
  assert.equal(taken[0]!.event_type, 'dm.received')
  assert.equal((await postern.inbox.events()).length, 3)
  assert.equal((await postern.inbox.events('dm.received')).length, 2)
})

test('two who wait for the same type get different events', async () => {
  await using postern = await startPostern()
  await postern.inbox.register({ events: ['dm.received'] })
  const waiting = [postern.inbox.next('dm.received'), postern.inbox.next('dm.received')]
  await postern.trigger('dm.received', { to: 'ada', text: 'one' })
  await postern.trigger('dm.received', { to: 'ada', text: 'two' })
  const [one, two] = await Promise.all(waiting)
  assert.notEqual(one!.event_uuid, two!.event_uuid)
})

test('nothing received says what was attempted instead', async () => {
  await using postern = await startPostern()
  await assert.rejects(postern.inbox.next(), /the inbox receives nothing yet: `await inbox\.register\(\)` first/)
  await postern.inbox.register({ events: ['dm.received'], users: ['ada'] })
  await postern.trigger('dm.received', { to: 'grace' })
  const nothing = await postern.inbox.next('dm.received', { timeoutMs: 1 }).catch((error) => error)
  assert.ok(nothing instanceof NothingReceived, String(nothing))
  assert.match(nothing.message, /^no dm\.received came within 1 ms\. .*102/)
  assert.ok(nothing.explanation.length > 0)
})

test('a delivery that waits for its retry is the reason why nothing came, also after a later event came', async () => {
  await using postern = await startPostern()
  await postern.inbox.register({ events: ['dm.received'], users: ['ada'] })
  await postern.faults.add({ delivery: 'dm.received', status: 503 })
  const { event_uuid } = await postern.trigger('dm.received', { to: 'ada', text: 'one' })
  await postern.trigger('dm.received', { to: 'ada', text: 'two' })
  assert.match(JSON.stringify((await postern.inbox.next()).event), /two/)
  const { explanation } = await postern.inbox.next('dm.received', { timeoutMs: 1 }).catch((error) => error)
  assert.equal(explanation.length, 1, explanation.join())
  assert.match(explanation[0], new RegExp(`^The delivery of dm\\.received ${event_uuid}: .* 503.* due in `))
})

test('what was published since a snapshot is no reason after a restore', async () => {
  await using postern = await startPostern()
  await postern.inbox.register({ events: ['dm.received'], users: ['ada'] })
  await postern.trigger('dm.received', { to: 'grace' })
  const before = await postern.snapshot()
  await postern.trigger('dm.received', { to: 'mina' })
  await postern.restore(before)
  const { explanation } = await postern.inbox.next('dm.received', { timeoutMs: 1 }).catch((error) => error)
  assert.equal(explanation.length, 1, explanation.join())
  assert.match(explanation[0], /user 102 was triggered/)
})

test('an inbox that is registered again or removed leaves no webhook', async () => {
  await using postern = await startPostern()
  const webhooks = async () => (await postern.api.call<{ data: { id: string }[] }>('GET', '/operator/webhooks')).data.map(({ id }) => id)
  await postern.inbox.register({ events: ['dm.received'] })
  await postern.inbox.register({ events: ['profile.update.bio'] })
  assert.deepEqual(await webhooks(), [postern.inbox.webhookId])
  await postern.trigger('dm.received', { to: 'ada' })
  await postern.trigger('profile.update.bio', { user: 'ada' })
  assert.equal((await postern.inbox.next()).event_type, 'profile.update.bio')
  await postern.inbox.remove()
  assert.deepEqual(await webhooks(), [])
  await postern.inbox.remove()
})

test('a wrong event type is refused at once, with the nearest', async () => {
  await using postern = await startPostern()
  const unknown = /dm\.recieved\]? is no event type\. Did you mean dm\.received\? They are listed at \/docs\/events/
  // @ts-expect-error: it does not compile either
  await assert.rejects(postern.inbox.register({ events: ['dm.recieved'] }), unknown)
  // @ts-expect-error: it does not compile either
  await assert.rejects(postern.trigger('dm.recieved'), unknown)
  // @ts-expect-error: it does not compile either
  await assert.rejects(postern.faults.add({ delivery: 'dm.recieved', status: 503 }), unknown)
  await postern.inbox.register({ events: ['dm.received'] })
  // @ts-expect-error: it does not compile either
  await assert.rejects(postern.inbox.next('dm.recieved', { timeoutMs: 50_000 }), unknown)
})

test('a username that nobody has is refused with the nearest', async () => {
  await using postern = await startPostern()
  const unknown = /no user has the username adda\. Did you mean ada\? GET \/operator\/users lists them\./
  await assert.rejects(postern.inbox.register({ events: ['dm.received'], users: ['adda'] }), unknown)
  await assert.rejects(postern.trigger('dm.received', { to: 'adda' }), unknown)
  await postern.inbox.register({ events: ['dm.received'], users: ['Ada'] })
  await postern.trigger('dm.received', { to: '@ada' })
  assert.equal((await postern.inbox.next()).user_id, '101')
})

test('a user whom a world does not have is refused with the users of the world', async () => {
  await using postern = await startPostern()
  await using world = await postern.world({ users: ['ada', 'grace'] })
  const unknown = /^Error: the world has no user adda\. Did you mean ada\? It has ada, grace; name others by their ids$/
  await assert.rejects(world.trigger('dm.received', { to: 'adda' }), unknown)
  await assert.rejects(world.inbox.register({ users: ['adda'] }), unknown)
  await world.inbox.register({ events: ['dm.received'], users: [world.users.ada!.username] })
  await world.trigger('dm.received', { to: 'ada', from: '101' })
  assert.equal((await world.inbox.next()).user_id, world.users.ada!.id)
})

test('an event may be waited for longer than one call of the server waits', async () => {
  await using postern = await startPostern()
  await postern.inbox.register({ events: ['dm.received'] })
  const next = postern.inbox.next('dm.received', { timeoutMs: Number.POSITIVE_INFINITY })
  await postern.trigger('dm.received', { to: 'ada' })
  assert.equal((await next).event_type, 'dm.received')
  for (const timeoutMs of [-1, Number.NaN])
    await assert.rejects(
      postern.inbox.next('dm.received', { timeoutMs }),
      new RegExp(`^RangeError: timeoutMs is a number of milliseconds from 0 on, and not ${timeoutMs}$`),
    )
})

test('a wait of more than a minute is asked for a minute at a time', async () => {
  const waits: unknown[] = []
  const answers = [
    { data: [], meta: { next: 0 } },
    { data: [{ sequence: 1 }], meta: { next: 1 } },
  ]
  const api: OperatorApi = {
    // biome-ignore lint/suspicious/noExplicitAny: answers have members of every kind
    call: async (method, _path, _json, query): Promise<any> => {
      if (method === 'POST') return { data: { id: '1', url: 'http://127.0.0.1', webhook_id: '2' } }
      waits.push(query?.wait)
      return answers.shift()
    },
  }
  const inbox = createInbox({ api, appId: '1', idOf: (user) => user, follow: () => () => {} })
  await inbox.register()
  assert.equal((await inbox.next('dm.received', { timeoutMs: 3_600_000 })).sequence, 1)
  assert.deepEqual(waits, ['60000ms', '60000ms'])
})

test('the clock tells what fell due', async () => {
  await using postern = await startPostern()
  await postern.inbox.register({ events: ['dm.received'] })
  const before = await postern.clock.advance('1ms')
  const { now, happened, more } = await postern.clock.advance('25h')
  assert.ok(now.getTime() - before.now.getTime() >= 25 * 3_600_000)
  const challenges = happened.filter(({ kind }) => kind === 'challenge')
  assert.equal(challenges.length + more >= 24, true, JSON.stringify(happened.slice(0, 3)))
  await assert.rejects(postern.clock.set('2020-01-01T00:00:00Z'), /only moves forward/)
})

test('a reset goes back to the seed', async () => {
  await using postern = await startPostern()
  await postern.load({ users: [{ id: '900', username: 'newcomer' }] })
  const names = async () =>
    (await postern.api.call<{ data: { username: string }[] }>('GET', '/operator/users', undefined, { max_results: 100 })).data.map(
      ({ username }) => username,
    )
  assert.equal((await names()).includes('newcomer'), true)
  await postern.reset()
  assert.equal((await names()).includes('newcomer'), false)
})
