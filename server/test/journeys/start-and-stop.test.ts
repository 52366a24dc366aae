import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { describeOffset } from '../../src/development/clock/clock-offset.ts'
import { readSettings } from '../../src/settings/settings.ts'
import { welcome } from '../../src/welcome.ts'
import { call } from '../stage/call.ts'
import { demoToken } from '../stage/demo-client.ts'
import { freePort } from '../stage/free-port.ts'
import { mediaFixture } from '../stage/media-fixtures.ts'
import { authorization } from '../stage/oauth-client.ts'
import { pause } from '../stage/pause.ts'
import { demoApp, OPERATOR_TOKEN, otherApp, setStage } from '../stage/postern.ts'
import { PosternProcess } from '../stage/postern-process.ts'
import { program } from '../stage/program.ts'
import { answerWith, startReceiver } from '../stage/receiver.ts'
import { adas, signedInSeed } from '../stage/signed-calls.ts'
import { uploadInSegments } from '../stage/uploads.ts'

type Operator = (method: string, path: string, json?: object) => Promise<{ id: string; name: string }[]>

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-start-'))
})
after(() => rm(folder, { recursive: true }))

/** Starts with these settings, which must be refused; answers what it said. */
async function refused(environment: Record<string, string>): Promise<string> {
  const postern = new PosternProcess(environment, folder)
  await assert.rejects(postern.ready())
  assert.equal(postern.child.exitCode, 1)
  return postern.stderr
}

/** A server in this process on a database in the folder, which outlasts it: each has a clock of its own, as a process has. */
const stageOn = (name: string, environment: Record<string, string> = {}) =>
  setStage({ seed: {}, environment: { POSTERN_DATABASE_URL: `sqlite:${join(folder, name)}`, ...environment } })

test('without any setting it generates its own secrets, readable only by their owner, and is ready on all three hosts', async () => {
  const postern = new PosternProcess({ POSTERN_SECRET: '', POSTERN_OPERATOR_TOKEN: '' }, folder)
  const origins = await postern.ready()
  for (const origin of [origins.base_url, origins.ads_base_url, origins.ads_sandbox_base_url])
    assert.deepEqual((await call(`${origin}/healthz`, 'GET')).body, { ready: true })
  const token = (await readFile(join(folder, '.postern/operator-token'), 'utf8')).trim()
  assert.equal((await call(`${origins.base_url}/operator/deliveries`, 'GET', { token })).status, 200)
  for (const file of ['secret', 'operator-token']) assert.equal((await stat(join(folder, '.postern', file))).mode & 0o777, 0o600)
  assert.equal(await postern.end('SIGTERM'), 0)
})

test('a second process on the same file exits with the reason', async () => {
  await using _ = await stageOn('twice.db')
  assert.match(await refused({ POSTERN_DATABASE_URL: 'sqlite:twice.db' }), /in use by another process/)
})

test('another sealing secret is an error at the start, and a list that contains the old one is not', async () => {
  const [old, fresh] = ['o'.repeat(32), 'f'.repeat(32)]
  const start = (secrets: string) => stageOn('sealed.db', { POSTERN_SECRET: secrets })
  await (await start(old)).end()
  await assert.rejects(start(fresh), /POSTERN_SECRET/)
  await (await start(`${fresh},${old}`)).end()
})

test('a signal that comes while the database is made is kept until there is a server, which then stops', async () => {
  const postern = new PosternProcess({ POSTERN_DATABASE_URL: 'sqlite:early.db' }, folder)
  await once(postern.child.stdout!, 'data')
  assert.equal(await postern.end('SIGTERM'), 0, postern.stderr)
  assert.equal(postern.stderr, '')
})

test('all wrong settings are reported at once, with their rules', async () => {
  const said = await refused({
    POSTERN_PORT: 'http',
    POSTERN_DIALECT: 'y',
    POSTERN_RETRY_PLAN: '5s,soon',
    POSTERN_SECRET: 'short',
    POSTERN_BASE_URL: 'example.com',
  })
  for (const name of ['POSTERN_PORT', 'POSTERN_DIALECT', 'POSTERN_RETRY_PLAN', 'POSTERN_SECRET', 'POSTERN_BASE_URL'])
    assert.match(said, new RegExp(name))
})

test('every port that is in use, and an address that is not ours, are named by their settings', async () => {
  const database = { POSTERN_DATABASE_URL: 'sqlite:ports.db' }
  const taken = [createServer().listen(0, '127.0.0.1').unref(), createServer().listen(0, '127.0.0.1').unref()]
  await Promise.all(taken.map((server) => once(server, 'listening')))
  const [ads, operator] = taken.map((server) => (server.address() as AddressInfo).port)
  const inUse = await refused({ ...database, POSTERN_ADS_PORT: String(ads), POSTERN_OPERATOR_PORT: String(operator) })
  for (const server of taken) server.close()
  assert.deepEqual(inUse.trimEnd().split('\n').slice(-3), [
    'Postern cannot start:',
    `  - POSTERN_ADS_PORT is ${ads}, which is in use on 127.0.0.1: stop what listens there, or set another port`,
    `  - POSTERN_OPERATOR_PORT is ${operator}, which is in use on 127.0.0.1: stop what listens there, or set another port`,
  ])
  await assert.rejects(
    stageOn('ports.db', { POSTERN_HOST: '192.0.2.1', POSTERN_EXPOSE_DEVELOPMENT: '1' }),
    /- POSTERN_HOST is 192\.0\.2\.1, where it cannot listen: .*EADDRNOTAVAIL/,
  )
})

test('a start that creates a database says so and where, and the next start does not', async () => {
  const created = async () => {
    await using stage = await stageOn('new.db')
    return stage.log.map(({ msg }) => msg).filter((text) => /created/.test(text))
  }
  const files = [`created a new database at ${folder}/new.db`, `created a new event log at ${folder}/new.db.events`]
  assert.deepEqual(await created(), files)
  assert.deepEqual(await created(), [])
})

test('the development profile refuses to listen beyond loopback', () => {
  assert.throws(() => readSettings({ POSTERN_HOST: '0.0.0.0' }), /POSTERN_EXPOSE_DEVELOPMENT/)
})

test('the production profile refuses to start without a required setting, and names it', () => {
  const start = () => readSettings({ POSTERN_PROFILE: 'production', POSTERN_SECRET: '' })
  assert.throws(start, /POSTERN_SECRET is required/)
  assert.throws(start, /POSTERN_OPERATOR_PORT is required/)
})

test('in production there is no demo seed, no clock, no reset and no loopback callback, and the operator has its own port', async () => {
  const seed = join(folder, 'production.jsonc')
  await writeFile(seed, `{ // one app\n "apps": [${JSON.stringify(demoApp)},] }`, { mode: 0o600 })
  const port = await freePort()
  const environment = {
    POSTERN_PROFILE: 'production',
    POSTERN_DATABASE_URL: 'sqlite:production.db',
    POSTERN_PORT: String(port),
    POSTERN_OPERATOR_PORT: '0',
    POSTERN_BASE_URL: 'https://api.test',
    POSTERN_ADS_BASE_URL: 'https://ads-api.test',
    POSTERN_ADS_SANDBOX_BASE_URL: 'https://ads-api-sandbox.test',
    POSTERN_TRUST_PROXY: '127.0.0.1/32',
    POSTERN_SEED: seed,
  }
  const postern = new PosternProcess(environment, folder)
  const { operator_url } = await postern.ready()
  const base_url = `http://127.0.0.1:${port}`
  const overTls = { 'x-forwarded-proto': 'https' }
  const operator = (method: string, path: string, json?: unknown) => call(operator_url + path, method, { token: OPERATOR_TOKEN, json })
  assert.equal((await operator('GET', '/operator/deliveries')).status, 200)
  assert.equal((await call(`${base_url}/operator/deliveries`, 'GET', { token: OPERATOR_TOKEN, headers: overTls })).status, 404)
  assert.equal((await operator('POST', '/operator/clock', { advance: '1h' })).status, 404)
  assert.equal((await operator('POST', '/operator/reset', {})).status, 404)
  const nothing = (await operator('POST', '/operator/nothing', {})).body
  for (const path of ['/operator/clock', '/operator/reset'])
    assert.deepEqual((await operator('POST', path, {})).body, JSON.parse(JSON.stringify(nothing).replace('/operator/nothing', path)))
  assert.equal((await operator('POST', '/operator/seed', { apps: [demoApp] })).body.data.existing.length, 1)

  const headers = {
    ...overTls,
    authorization: `Basic ${btoa(`${demoApp.consumer_key}:${demoApp.consumer_secret}`)}`,
    'content-type': 'application/x-www-form-urlencoded',
  }
  const { access_token: token } = (await call(`${base_url}/oauth2/token`, 'POST', { headers, body: 'grant_type=client_credentials' })).body
  const register = async (url: string) =>
    (await call(`${base_url}/2/webhooks`, 'POST', { token, json: { url }, headers: overTls })).body.errors[0].message
  assert.match(await register('http://127.0.0.1/hook'), /^UrlValidationFailed: .*https/)
  assert.equal(await register('https://127.0.0.1/hook'), 'CrcValidationFailed: address not reachable')
  assert.equal(await register('https://10.0.0.1/hook'), 'CrcValidationFailed: address not reachable')
  assert.equal(await postern.end('SIGTERM'), 0)
})

test('SIGTERM finishes the delivery that is in flight, and exits 0', async () => {
  await using receiver = await startReceiver(['demo-consumer-secret-for-development-only'])
  const postern = new PosternProcess({ POSTERN_DATABASE_URL: 'sqlite:term.db' }, folder)
  const { base_url } = await postern.ready()
  const headers = {
    authorization: `Basic ${btoa('demo-consumer-key:demo-consumer-secret-for-development-only')}`,
    'content-type': 'application/x-www-form-urlencoded',
  }
  const { access_token: token } = (await call(`${base_url}/oauth2/token`, 'POST', { headers, body: 'grant_type=client_credentials' })).body
  const webhook_id = (await call(`${base_url}/2/webhooks`, 'POST', { token, json: { url: receiver.url } })).body.data.id
  await call(`${base_url}/2/activity/subscriptions`, 'POST', {
    token,
    json: { event_type: 'dm.received', filter: { user_id: '101' }, webhook_id },
  })
  let answer: (() => void) | undefined
  receiver.intercept = (request, response) => {
    if (request.method !== 'POST') return false
    answer = () => answerWith(response, 200)
    return true
  }
  await call(`${base_url}/operator/events`, 'POST', {
    token: OPERATOR_TOKEN,
    json: { event_type: 'dm.received', user_id: '101', payload: {} },
  })
  await receiver.when(() => answer !== undefined)
  const ended = postern.end('SIGTERM')
  answer!()
  assert.equal(await ended, 0)
  await using again = await stageOn('term.db')
  const { data } = (await again.operator('GET', '/operator/deliveries')).body
  assert.deepEqual(
    data.map(({ state }: { state: string }) => state),
    ['delivered'],
  )
})

test('a stop begins no delivery while something else is still under way; the rest is delivered after the next start', async () => {
  await using decoder = await program('setInterval(() => {}, 1000)')
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await using stage = await setStage({ seed: signedInSeed, environment: { POSTERN_FFMPEG: decoder.path } })
  await stage.connect(receiver)
  const begun: (() => void)[] = []
  receiver.intercept = (request, response) => {
    if (request.method !== 'POST') return false
    begun.push(() => answerWith(response, 200))
    return true
  }
  await uploadInSegments(stage, mediaFixture('wide.mp4'), 'video/mp4', { media_category: 'tweet_video' })
  await stage.until(decoder.hasRun)
  await stage.publish(...Array.from({ length: 10 }, (_, n) => ({ n })))
  await receiver.when(() => begun.length === 4)
  const stopped = stage.stop()
  for (const answer of begun) answer()
  await stopped
  assert.equal(begun.length, 4)
  receiver.intercept = undefined
  await stage.start()
  const delivered = await stage.deliveriesWhen('state=delivered', (found) => found.length === 10)
  assert.deepEqual(
    delivered.map(({ attempts }) => attempts.length),
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
  )
})

test('what a request does while the process stops is announced after the next start', async () => {
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await using stage = await setStage({ seed: signedInSeed, environment: { POSTERN_OPERATOR_PORT: '0' } })
  const token = await stage.token()
  await stage.subscribe(await stage.register(receiver.url, token), token, { event_type: 'post.create' })
  const url = `${stage.origins.base_url}/2/tweets`
  const signed = authorization({ ...adas, method: 'POST', url, nowMs: stage.clock.now() })
  const headers = { authorization: signed, 'content-type': 'application/json', expect: '100-continue' }
  const posting = request(url, { method: 'POST', headers })
  const answered = once(posting, 'response')
  posting.flushHeaders()
  await once(posting, 'continue')
  const stopped = stage.stop()
  await stage.until(async () => (await stage.operator('GET', '/readyz')).status === 503)
  posting.end('{"text":"Good night"}')
  const [answer] = await answered
  answer.resume()
  assert.equal(answer.statusCode, 201)
  await stopped
  assert.equal(receiver.posts, 0)
  await stage.start()
  const [event] = await receiver.received(1)
  assert.deepEqual([event!.data!.event_type, receiver.posts], ['post.create', 1])
})

test('a process that is ended in the middle of its stop logs what it was waiting for', async () => {
  await using receiver = await startReceiver(['demo-consumer-secret-for-development-only'])
  const postern = new PosternProcess({ POSTERN_DATABASE_URL: 'sqlite:cut-off.db' }, folder)
  const origins = await postern.ready()
  const token = await demoToken(origins)
  const { base_url } = origins
  const webhook_id = (await call(`${base_url}/2/webhooks`, 'POST', { token, json: { url: receiver.url } })).body.data.id
  const subscription = { event_type: 'dm.received', filter: { user_id: '101' }, webhook_id }
  await call(`${base_url}/2/activity/subscriptions`, 'POST', { token, json: subscription })
  let isAsked = false
  receiver.intercept = ({ method }) => {
    isAsked ||= method === 'POST'
    return isAsked
  }
  const event = { event_type: 'dm.received', user_id: '101', payload: {} }
  await call(`${base_url}/operator/events`, 'POST', { token: OPERATOR_TOKEN, json: event })
  await receiver.when(() => isAsked)
  const ended = once(postern.child, 'exit')
  // Signals within a second are one.
  while (postern.child.exitCode === null) {
    postern.child.kill('SIGTERM')
    await pause()
  }
  await ended
  assert.equal(postern.child.exitCode, 1)
  const cutOff = postern.lines.find(({ msg }) => msg === 'ended before everything was finished')
  assert.deepEqual([cutOff?.unfinished, cutOff?.deliveries_in_flight], [['deliveries'], 1])
})

test('if the reader of standard output has gone, SIGTERM ends the process with status 0', async () => {
  const postern = new PosternProcess({ POSTERN_DATABASE_URL: 'sqlite::memory:' }, folder)
  await postern.ready()
  postern.child.stdout!.destroy()
  assert.equal(await postern.end('SIGTERM'), 0)
})

test('loading a seed again changes nothing and reports what exists and what differs', async () => {
  await using stage = await setStage({ seed: { apps: [demoApp, otherApp], users: [] } })
  const webhook = { id: '77', consumer_key: demoApp.consumer_key, url: 'https://example.com/hook' }
  const subscription = { consumer_key: demoApp.consumer_key, event_type: 'dm.received', filter: { user_id: '101' }, webhook_id: '77' }
  const document = {
    apps: [demoApp, { ...otherApp, name: 'Renamed' }],
    users: [{ id: '101', username: 'ada', password: 'a password' }],
    webhooks: [webhook],
    subscriptions: [subscription],
  }
  const first = (await stage.operator('POST', '/operator/seed', document)).body.data
  assert.deepEqual(
    first.created.map(({ kind }: { kind: string }) => kind),
    ['users', 'webhooks', 'subscriptions'],
  )
  assert.deepEqual(first.differing, [{ kind: 'apps', id: '2', fields: ['name'] }])
  const second = (await stage.operator('POST', '/operator/seed', { ...document, accounts: [{ name: 'x', media_library: [] }] })).body.data
  assert.deepEqual(
    second.created.map(({ kind }: { kind: string }) => kind),
    ['accounts'],
  )
  assert.deepEqual([second.existing.length, second.differing.length], [4, 1])
  const orphan = await stage.operator('POST', '/operator/seed', { webhooks: [{ ...webhook, consumer_key: 'nobody' }] })
  assert.equal(orphan.status, 400)
  assert.match(orphan.body.errors[0].message, /nobody/)
})

test('a start waits for a seed that is new to the database, and compares one that it has had once it is ready', async () => {
  const write = (name: string) =>
    writeFile(join(folder, 'again.json'), JSON.stringify({ apps: [{ ...demoApp, name }, otherApp] }), { mode: 0o600 })
  /** The messages of a start about the seed, in their order; and the apps that there are then. */
  const start = async (change?: (operator: Operator) => Promise<unknown>) => {
    const postern = new PosternProcess({ POSTERN_DATABASE_URL: 'sqlite:again.db', POSTERN_SEED: 'again.json' }, folder)
    const { operator_url } = await postern.ready()
    const operator: Operator = async (method, path, json) =>
      (await call(`${operator_url}/operator/apps${path}`, method, { token: OPERATOR_TOKEN, json })).body?.data
    if (change) await change(operator)
    else await postern.logged(/differs from the seed/)
    const apps = (await operator('GET', '')).map(({ id, name }) => `${id} ${name}`).sort()
    await postern.end('SIGTERM')
    return { apps, said: postern.lines.flatMap(({ msg }) => /^ready|differs from the seed/.exec(msg) ?? []) }
  }

  await write('Demo')
  const changed = await start(async (operator) => {
    await operator('PATCH', '/1', { name: 'Renamed' })
    await operator('DELETE', '/2')
  })
  assert.deepEqual(changed, { apps: ['1 Renamed'], said: ['ready'] })
  assert.deepEqual(await start(), { apps: ['1 Renamed', '2 Other'], said: ['ready', 'differs from the seed'] })
  await write('Other name')
  assert.deepEqual(await start(), { apps: ['1 Renamed', '2 Other'], said: ['differs from the seed', 'ready'] })
})

test('a reset restores the seed and resets the moved clock', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const { token } = await stage.connect(receiver)
  await stage.publish({})
  await receiver.received(1)
  const moved = await stage.operator('POST', '/operator/clock', { advance: '48h' })
  assert.ok(Date.parse(moved.body.data.now) > Date.now() + 47 * 3_600_000)
  await stage.operator('POST', '/operator/reset', {})
  assert.ok(stage.clock.now() < Date.now() + 1000)
  assert.equal((await stage.api('GET', '/2/webhooks', { token })).status, 401)
  assert.deepEqual((await stage.operator('GET', '/operator/deliveries')).body.data, [])
  const fresh = await stage.token()
  await stage.subscribe(await stage.register(receiver.url, fresh), fresh)
  await stage.publish({ again: true })
  await receiver.received(2)
})

test('the moved clock survives a restart and never goes back', async () => {
  const first = await stageOn('clock.db')
  const { now } = (await first.operator('POST', '/operator/clock', { advance: '5h' })).body.data
  await first.end()
  await using again = await stageOn('clock.db')
  const set = (ms: number) => again.operator('POST', '/operator/clock', { set: new Date(ms).toISOString() })
  const back = await set(Date.parse(now) - 60_000)
  assert.equal(back.status, 400)
  assert.match(back.body.errors[0].message, /only moves forward/)
  assert.equal((await set(Date.parse(now) + 3_600_000)).status, 200)
})

test('a step sets only the wall clock, in both directions, and survives a restart', async () => {
  await using stage = await setStage()
  const step = (text: string) => stage.operator('POST', '/operator/clock', { step: text })
  const elapsedMs = stage.clock.elapsed()
  const back = await step('-1h')
  assert.ok(Date.parse(back.body.data.now) < Date.now() - 3_599_000)
  await stage.restart()
  assert.ok(stage.clock.now() < Date.now() - 3_599_000)
  const forth = await step('90m')
  assert.ok(Date.parse(forth.body.data.now) > Date.now() + 1_700_000)
  assert.ok(stage.clock.elapsed() - elapsedMs < 1_700_000)
  for (const wrong of ['-367d', 'yesterday', '--1h']) assert.equal((await step(wrong)).status, 400)
  assert.equal((await stage.operator('POST', '/operator/clock', { step: '1h', advance: '1h' })).status, 400)
})

test('events past the retention period are deleted', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await stage.connect(receiver)
  const [uuid] = await stage.publish({ old: true })
  await stage.deliveriesWhen('state=delivered', (found) => found.length === 1)
  stage.clock.advance(24 * 3_600_000)
  assert.equal((await stage.operator('GET', `/operator/deliveries?event_uuid=${uuid}`)).body.data.length, 1)
  stage.clock.advance(3 * 3_600_000)
  await stage.deliveriesWhen(`event_uuid=${uuid}`, (found) => found.length === 0)
})

test('in production a seed with a weak key or secret is refused by the path of each, and nothing of it is kept', async () => {
  const seed = join(folder, 'weak.json')
  const apps = [demoApp, { ...otherApp, consumer_key: 'changeme', consumer_secret: 'your-consumer-secret' }]
  await writeFile(seed, JSON.stringify({ apps }), { mode: 0o600 })
  const said = await refused({
    POSTERN_PROFILE: 'production',
    POSTERN_DATABASE_URL: 'sqlite:weak.db',
    POSTERN_OPERATOR_PORT: '0',
    POSTERN_BASE_URL: 'https://api.test',
    POSTERN_ADS_BASE_URL: 'https://ads-api.test',
    POSTERN_ADS_SANDBOX_BASE_URL: 'https://ads-api-sandbox.test',
    POSTERN_SEED: seed,
  })
  assert.match(said, /\$\.apps\.1\.consumer_key: must have at least 16 characters/)
  assert.match(said, /\$\.apps\.1\.consumer_secret: is a placeholder/)
  assert.doesNotMatch(said, /apps\.0|your-consumer-secret/)
})

test('a clock that was moved is told of at the next start, with the call that sets it right', async () => {
  await using stage = await setStage()
  const notices = async () => {
    stage.log.length = 0
    await stage.restart()
    return stage.log.filter(({ level, msg }) => level === 40 && /^the clock is/.test(msg)).map(({ msg }) => msg)
  }
  const step = async (by: string) => assert.equal((await stage.operator('POST', '/operator/clock', { step: by })).status, 200)
  assert.deepEqual(await notices(), [])
  await step('2h')
  const [ahead, ...others] = await notices()
  assert.match(ahead, /^the clock is 2 hours ahead of the real time.*\{"step":"-2h"\}.*POST \/operator\/reset/)
  assert.deepEqual(others, [])
  await step('-2h')
  assert.deepEqual(await notices(), [])
  await step('-90s')
  assert.match((await notices())[0], /^the clock is 1 minute and 30 seconds behind the real time.*\{"step":"90s"\}/)
  assert.equal((await stage.operator('POST', '/operator/reset', {})).status, 200)
  assert.deepEqual(await notices(), [])
})

test('a person at a terminal is told of a clock that was moved', () => {
  const origins = { base_url: 'http://a', operator_url: 'http://a', ads_base_url: 'http://b', ads_sandbox_base_url: 'http://c' }
  const notice = describeOffset(3_600_000)!
  assert.ok(welcome(origins, undefined, undefined, undefined, notice).includes(notice))
  assert.doesNotMatch(welcome(origins, undefined, undefined, undefined, describeOffset(0)), /clock/)
})
