import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPostern } from 'postern'

const call = async ({ url, app }: { url: string; app: { bearerToken(): Promise<string> } }, path: string) =>
  fetch(url + path, { headers: { authorization: `Bearer ${await app.bearerToken()}` } })

test('a fault hits as many calls as it says', async () => {
  await using postern = await startPostern()
  const fault = await postern.faults.add({ call: 'GET /2/users/by/username/:username', times: 2, status: 429 })
  assert.equal(fault.times_left, 2)
  const statuses = []
  for (let calls = 0; calls < 3; calls += 1) statuses.push((await call(postern, '/2/users/by/username/ada')).status)
  assert.deepEqual(statuses, [429, 429, 200])
  const other = await postern.faults.add({ call: 'GET /2/webhooks', status: 500 })
  await postern.faults.remove(other)
  assert.equal((await call(postern, '/2/webhooks')).status, 200)
  await postern.faults.add({ call: 'GET /2/webhooks', status: 500 })
  await postern.faults.clear()
  assert.deepEqual(await postern.faults.list(), [])
})

test('a world lists and clears its own faults and leaves those of another', async () => {
  await using postern = await startPostern()
  await using one = await postern.world()
  await using other = await postern.world()
  const kept = await one.faults.add({ call: 'GET /2/webhooks', status: 503 })
  await other.faults.add({ call: 'GET /2/webhooks', status: 503 })
  await other.faults.clear()
  assert.deepEqual(await other.faults.list(), [])
  assert.deepEqual(await one.faults.list(), [kept])
  await postern.faults.clear()
  assert.deepEqual(await one.faults.list(), [])
})

test('requests are the calls of clients, with the fault that hit and why they were refused', async () => {
  await using postern = await startPostern()
  await postern.faults.add({ call: 'GET /2/webhooks', status: 429 })
  await call(postern, '/2/webhooks')
  const limited = await postern.requests.last({ path: '/2/webhooks' })
  assert.equal(limited?.status, 429)
  assert.equal(limited?.method, 'GET')
  assert.ok(limited?.fault)
  assert.equal(JSON.stringify(await postern.requests.list()).includes(await postern.app.bearerToken()), false)
  await fetch(`${postern.url}/2/webhooks`, { headers: { authorization: 'Bearer wrong' } })
  const refused = await postern.requests.last({ status: 401 })
  assert.ok(refused?.refused?.reason, JSON.stringify(refused))
  await postern.requests.clear()
  assert.deepEqual(await postern.requests.list(), [])
})

test('a world forgets its own calls and leaves those of another', async () => {
  await using postern = await startPostern()
  await using one = await postern.world()
  await using other = await postern.world()
  const { url } = postern
  for (const { app } of [one, other]) await call({ url, app }, '/2/webhooks')
  await other.requests.clear()
  assert.deepEqual(await other.requests.list(), [])
  assert.equal((await one.requests.list()).length, 1)
})

test('a restored snapshot is as it was', async () => {
  await using postern = await startPostern()
  await postern.load({ users: [{ id: '900', username: 'before' }] })
  const snapshot = await postern.snapshot()
  await postern.load({ users: [{ id: '901', username: 'afterwards' }] })
  await postern.restore(snapshot)
  const { data } = await postern.api.call<{ data: { username: string }[] }>('GET', '/operator/users', undefined, { max_results: 100 })
  const names = data.map(({ username }) => username)
  assert.deepEqual([names.includes('before'), names.includes('afterwards')], [true, false])
})

test('users and tokens that were loaded are known by name until a reset or a restore takes them away', async () => {
  await using postern = await startPostern()
  const { app, inbox } = postern
  const tokenOf = (user_id: string) => ({
    consumer_key: app.consumerKey,
    user_id,
    oauth_token: `${user_id}-loaded-token`,
    oauth_token_secret: 'secret-of-a-loaded-token',
  })
  const before = await postern.snapshot()
  await postern.load({ users: [{ id: '900', username: 'cook' }], tokens: [tokenOf('900'), tokenOf('101')] })
  const after = await postern.snapshot()
  assert.deepEqual([app.userCredentials('cook').accessToken, (await app.authorize('cook')).accessToken], Array(2).fill('900-loaded-token'))
  assert.equal(app.userCredentials('ada').accessToken, '101-demo-access-token', 'the server keeps the token that there was')
  await inbox.register({ events: ['profile.update.bio'], users: ['cook'] })
  await postern.trigger('profile.update.bio', { user: 'cook' })
  assert.equal((await inbox.next()).user_id, '900')
  await postern.restore(before)
  assert.throws(() => app.userCredentials('cook'), /^Error: cook has not allowed the app 1; these have: ada, /)
  await postern.restore(after)
  assert.equal(app.userCredentials('cook').accessToken, '900-loaded-token')
  await postern.reset()
  assert.throws(() => app.userCredentials('cook'), /cook has not allowed the app 1/)
})

test('a world that a reset took away says so, and can be removed', async () => {
  await using postern = await startPostern()
  const world = await postern.world()
  await world.inbox.register()
  await postern.reset()
  await assert.rejects(world.inbox.register(), {
    message: 'the world is gone, after a reset, a restore or its removal: `await postern.world()` makes another',
  })
  await world.remove()
})

test('a snapshot can be named by its id, and an unknown one is told those that there are', async () => {
  await using postern = await startPostern()
  await assert.rejects(postern.restore('nope'), /^Error: there is no snapshot nope: `await postern\.snapshot\(\)` takes one$/)
  const one = await postern.snapshot()
  const other = await postern.snapshot()
  await assert.rejects(postern.restore('nope'), { message: `there is no snapshot nope: there are ${one.id}, ${other.id}` })
  await assert.rejects(postern.restore(undefined as never), /there is no snapshot undefined/)
  await postern.restore(one.id)
})

test('JSON of the kit says where it is, and no secret', async () => {
  await using postern = await startPostern()
  await using world = await postern.world()
  const { url, adsUrl, adsSandboxUrl } = postern
  const app = { id: '1', consumerKey: 'demo-consumer-key' }
  assert.deepEqual(JSON.parse(JSON.stringify(postern)), { url, adsUrl, adsSandboxUrl, app, inbox: {} })
  await postern.inbox.register({ events: ['dm.received'] })
  const { inbox } = JSON.parse(JSON.stringify(postern))
  assert.deepEqual(inbox, { url: postern.inbox.url, webhookId: postern.inbox.webhookId })
  const { ada } = world.users
  const text = JSON.stringify({ postern, world })
  assert.deepEqual(JSON.parse(text).world.users.ada, { id: ada!.id, username: ada!.username })
  for (const secret of [
    postern.operatorToken,
    postern.app.consumerSecret,
    world.app.consumerSecret,
    ada!.password,
    ada!.oauth_token_secret,
  ])
    assert.equal(text.includes(secret), false)
})

test('a misspelt option of a trigger, a world or a fault is answered with the nearest', async () => {
  await using postern = await startPostern()
  const misspelt: [() => Promise<unknown>, RegExp][] = [
    // @ts-expect-error: it does not compile either
    [() => postern.trigger('dm.received', { too: 'ada' }), /\$\.too: is not defined .*\. Did you mean to\?/],
    [() => postern.world({ user: ['ada'] } as object), /\$\.user: is not defined .*\. Did you mean users\?/],
    // @ts-expect-error: it does not compile either
    [() => postern.faults.add({ call: 'GET /2/webhook', status: 429 }), /\$\.call: .*\. Did you mean GET \/2\/webhooks\?/],
    // @ts-expect-error: it does not compile either
    [() => postern.faults.add({ call: 'GET /2/user/:id', status: 429 }), /Did you mean GET \/2\/users\/:id\?/],
    // @ts-expect-error: it does not compile either
    [() => postern.faults.add({ call: 'POST /2/tweet', status: 429 }), /Did you mean POST \/2\/tweets\?/],
  ]
  for (const [call, says] of misspelt) await assert.rejects(call, says)
})

test('a wrong event type of a fault is not taken for every event', async () => {
  await using postern = await startPostern()
  // @ts-expect-error: it does not compile either
  const said = (await postern.faults.add({ delivery: 'x', drop: true }).catch((error) => error)).message
  assert.match(said, /x is no event type\. They are listed/)
})
