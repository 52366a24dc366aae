import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPostern, PosternError, startPostern } from 'postern'
import { migratedDatabase } from '../../server/test/stage/database.ts'
import { databasesOf } from '../../server/test/stage/databases.ts'
import { programFolder, runNode } from './take-over/led-programs.ts'

test('startPostern starts a server in this process, which the end of its scope stops', async () => {
  let url: string
  {
    await using postern = await startPostern()
    url = postern.url
    const answer = await fetch(`${url}/2/users/by/username/ada`, {
      headers: { authorization: `Bearer ${await postern.app.bearerToken()}` },
    })
    assert.equal(answer.status, 200)
    assert.equal(((await answer.json()) as { data: { id: string } }).data.id, '101')
  }
  await assert.rejects(fetch(url))
})

test('many servers in one process share nothing', async () => {
  await using one = await startPostern({ seed: { users: [{ id: '7', username: 'seven' }] } })
  await using other = await startPostern({ dialect: 'x' })
  assert.notEqual(one.url, other.url)
  assert.notEqual(one.operatorToken, other.operatorToken)
  assert.notEqual(one.app.consumerKey, other.app.consumerKey)
  const read = async ({ url, app }: typeof one, name: string) =>
    (await fetch(`${url}/2/users/by/username/${name}`, { headers: { authorization: `Bearer ${await app.bearerToken()}` } })).json()
  assert.equal(((await read(one, 'seven')) as { data: { id: string } }).data.id, '7')
  assert.equal(((await read(other, 'seven')) as { data?: unknown }).data, undefined)
  await one.stop()
  assert.equal(((await read(other, 'ada')) as { data: { id: string } }).data.id, '101')
})

test('a server in this process adds no listener to it, and prints nothing', async () => {
  const count = () => process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
  const before = count()
  const { write } = process.stdout
  const printed: string[] = []
  process.stdout.write = ((text: unknown, ...rest: []) => {
    printed.push(String(text))
    return write.call(process.stdout, text as string, ...rest)
  }) as typeof write
  try {
    await using postern = await startPostern()
    assert.equal(count(), before)
    assert.ok(postern.log.some(({ msg }) => msg === 'created a new database at :memory:'))
  } finally {
    process.stdout.write = write
  }
  assert.equal(count(), before)
  // The reporter of the tests writes there too.
  assert.deepEqual(
    printed.filter((text) => text.includes('created a new database')),
    [],
  )
})

test('a server in memory starts no thread', async () => {
  const ports = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length
  const before = ports()
  await using postern = await startPostern()
  await postern.inbox.register({ events: ['dm.received'] })
  await postern.trigger('dm.received', { to: 'ada' })
  assert.equal((await postern.inbox.next()).event_type, 'dm.received')
  assert.equal(ports(), before)
})

test('settings are those that are given, not those of the environment', async () => {
  process.env.POSTERN_DIALECT = 'x'
  try {
    await using postern = await startPostern({ settings: { POSTERN_RATE_LIMITS: 'off' } })
    const answer = await fetch(`${postern.url}/2/posts/1`, { headers: { authorization: `Bearer ${await postern.app.bearerToken()}` } })
    assert.equal(answer.headers.get('x-rate-limit-limit'), null)
    assert.notEqual(answer.status, 404)
  } finally {
    delete process.env.POSTERN_DIALECT
  }
})

test('a setting that is wrong is named', async () => {
  await assert.rejects(startPostern({ settings: { POSTERN_RETRY_PLAN: 'soon' } }), /POSTERN_RETRY_PLAN/)
  await assert.rejects(startPostern({ seed: { users: [{ username: 'a name that is too long' }] } }), /username/)
  await assert.rejects(startPostern({ seed: '/nowhere/seed.json' }), /\/nowhere\/seed\.json/)
})

test('an option or a setting that there is not is refused, with the nearest', async () => {
  const refused = (options: object, says: RegExp) => assert.rejects(startPostern(options), says)
  await refused(
    { dialekt: 'x' },
    /^TypeError: startPostern has no option dialekt\. Did you mean dialect\? It has dialect, seed, database, logLevel, settings\.$/,
  )
  await refused(
    { settings: { POSTERN_RATELIMITS: 'off' } },
    /^TypeError: startPostern: unknown setting POSTERN_RATELIMITS: check its spelling\. Did you mean POSTERN_RATE_LIMITS\?$/,
  )
  await refused(
    { settings: { POSTERN_RETRY_PLAN: 5 } },
    /^TypeError: startPostern: POSTERN_RETRY_PLAN must be a text, as in the environment: '5'$/,
  )
  await using postern = await startPostern()
  await assert.rejects(
    postern.inbox.register({ event: ['dm.received'] } as object),
    /inbox\.register has no option event\. Did you mean events\?/,
  )
  await postern.inbox.register({ events: ['dm.received'] })
  await assert.rejects(
    postern.inbox.next('dm.received', { timeout: 1 } as object),
    /inbox\.next has no option timeout\. Did you mean timeoutMs\?/,
  )
  await assert.rejects(
    connectPostern({ token: 'x' } as object),
    /connectPostern has no option token\. It has url, operatorUrl, operatorToken, seed\./,
  )
})

for (const flavour of databasesOf(import.meta))
  test(`a process ends although it has forgotten to stop a server that it used (${flavour})`, async () => {
    await using database = await migratedDatabase(flavour)
    const options = flavour === 'sqlite' ? {} : { database: database.url }
    const program = `
      import { startPostern } from 'postern'
      const postern = await startPostern(${JSON.stringify(options)})
      postern.takeOver()
      await postern.inbox.register({ events: ['dm.received'] })
      await postern.trigger('dm.received', { to: 'ada' })
      await postern.inbox.next()
      console.log('used')`
    using folder = programFolder()
    const { code, stdout, stderr } = await runNode([folder.write('forgets.ts', program)], { cwd: folder.path })
    assert.deepEqual([code, stdout], [0, 'used\n'], stderr)
  })

test('userCredentials are those of an access token that the app has', async () => {
  await using postern = await startPostern()
  assert.deepEqual(postern.app.userCredentials('ada'), {
    appKey: 'demo-consumer-key',
    appSecret: 'demo-consumer-secret-for-development-only',
    accessToken: '101-demo-access-token',
    accessSecret: 'demo-access-token-secret-for-development-only',
  })
  assert.deepEqual(postern.app.userCredentials('101'), postern.app.userCredentials('ada'))
  assert.deepEqual(postern.app.oauth2Client, {
    clientId: 'demo-oauth2-client',
    clientSecret: 'demo-oauth2-client-secret-for-development-only',
  })
  assert.throws(() => postern.app.userCredentials('mina'), /mina has not allowed the app 1; these have: ada, grace, .*authorize\('mina'\)/)
  const mina = await postern.app.authorize('mina')
  assert.deepEqual(postern.app.userCredentials('mina'), mina)
  assert.deepEqual(await postern.app.authorize('109'), mina)
})

test('a user whose seed has no id may be authorized by name, also one that was loaded or seeded later', async () => {
  await using postern = await startPostern({ seed: { users: [{ username: 'zed' }] } })
  const { app } = postern
  assert.throws(
    () => app.userCredentials('zed'),
    /^Error: zed has not allowed the app 1; nobody has\. `await app\.authorize\('zed'\)` makes a token$/,
  )
  const zed = await app.authorize('zed')
  assert.deepEqual(app.userCredentials('zed'), zed)
  assert.match(zed.accessToken, /^[0-9]{1,19}-[0-9a-f]{32}$/)
  await postern.load({ users: [{ username: 'newbie' }] })
  assert.deepEqual(await app.authorize('newbie'), app.userCredentials('newbie'))
  await postern.api.call('POST', '/operator/seed', { users: [{ id: '77', username: 'late' }] })
  assert.equal((await app.authorize('late')).accessToken.startsWith('77-'), true)
  assert.throws(() => app.userCredentials('nobody'), /^Error: nobody has not allowed the app 1; these have: zed, newbie, late\./)
})

test('authorize says that no user has a name, and which was probably meant', async () => {
  await using postern = await startPostern()
  await assert.rejects(postern.app.authorize('minna'), { message: 'no user has the username minna. Did you mean mina?' })
  await assert.rejects(postern.app.authorize('@qqqqqq'), { message: 'no user has the username @qqqqqq.' })
})

test('a username is taken in any case and with its @, by the kit and by its worlds', async () => {
  await using postern = await startPostern({ seed: { users: [{ id: '501', username: 'Zed' }] } })
  const { app, inbox } = postern
  const zed = await app.authorize('zed')
  assert.equal(zed.accessToken.startsWith('501-'), true)
  for (const name of ['Zed', 'ZED', '@zed', '501']) assert.deepEqual(app.userCredentials(name), zed, name)
  await inbox.register({ events: ['profile.update.bio'], users: ['@ZED'] })
  await postern.trigger('profile.update.bio', { user: '@zeD' })
  assert.equal((await inbox.next()).user_id, '501')
  await using world = await postern.world({ users: ['Ada', 'grace'] })
  const { id, username } = world.users.Ada!
  for (const name of ['Ada', '@ada', id, username.toUpperCase()])
    assert.equal(world.app.userCredentials(name).accessToken, world.users.Ada!.oauth_token, name)
  await assert.rejects(world.app.authorize('bob'), /^Error: the world has no user bob\. It has Ada, grace; name others by their ids$/)
})

test('a refused call says why', async () => {
  await using postern = await startPostern()
  const refused = await postern.api.call('POST', '/operator/clock', { advance: 'soon' }).catch((error) => error)
  assert.ok(refused instanceof PosternError)
  assert.equal(refused.status, 400)
  assert.match(refused.message, /^POST \/operator\/clock was refused with 400: .*advance/)
  await using other = await startPostern()
  await other.stop()
  await assert.rejects(other.reset(), /^Error: no Postern answers at http:\/\/127\.0\.0\.1:\d+: /)
})

test('a seed without an app gets one, with keys that the kit knows', async () => {
  await using postern = await startPostern({ seed: { users: [{ id: '5', username: 'eve' }] } })
  const { appKey } = await postern.app.authorize('eve')
  assert.equal(appKey, postern.app.consumerKey)
  assert.equal(postern.app.oauth2Client.clientId.startsWith('client-'), true)
  assert.match(await postern.app.bearerToken(), /^AAAA/)
})

test('a seed file whose first app has no id or keys is completed as an object is, whatever numbers it has', async () => {
  using folder = programFolder()
  const seed = folder.write(
    'seed.json',
    `{ // The app of a bot.
      "apps": [{ "ads_access": true }],
      "users": [{ "id": "5", "username": "eve" }],
      "accounts": [{ "id": "exact", "name": "Exact", "funding_instruments": [{ "id": "exact1", "credit_limit_local_micro": 9007199254740993 }] }],
    }`,
  )
  await using postern = await startPostern({ seed })
  assert.deepEqual([postern.app.id, (await postern.app.authorize('eve')).appKey], ['1', postern.app.consumerKey])
  assert.match(await postern.app.bearerToken(), /^AAAA/)
  const refused = (text: string, says: RegExp) => assert.rejects(startPostern({ seed: folder.write('wrong.json', text) }), says)
  await refused('{"users": [}', /^Error: the seed \S+wrong\.json is not JSON: \w+ in line 1$/)
  await refused('{"apps": {}}', /^Error: the seed \S+wrong\.json is invalid: .*apps/)
  await refused('[]', /^Error: the seed \S+wrong\.json is invalid: /)
})
