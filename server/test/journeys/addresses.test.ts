import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { nextChallengeAtMs } from '../../src/delivery/challenge-slot.ts'
import { createAddressGuard } from '../../src/delivery/send/address-guard.ts'
import { formatMinute } from '../../src/endpoints/webhooks/start-replay.ts'
import { signature } from '../../src/lib/crypto.ts'
import { addressOf, loopbackNames, refusedHosts, refusedNames } from '../delivery/refused-hosts.ts'
import { type Answer, call } from '../stage/call.ts'
import { type Answering, startCallback, startNameServer, startSocketServer } from '../stage/callback-servers.ts'
import { asConsole, signInToPortal } from '../stage/console-calls.ts'
import { migratedDatabase } from '../stage/database.ts'
import { demoApp, SECRET, type Stage, setStage } from '../stage/postern.ts'
import { watchTcpConnects } from '../stage/tcp-connects.ts'

const PRODUCTION = { POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '0' }
/** No retry comes while a test looks on. */
const QUIET = { POSTERN_RATE_LIMITS: 'off', POSTERN_RETRY_PLAN: '10000h' }
const EVERYTHING = '0.0.0.0/0,::/0'
/** In the development profile an empty allow list would be loopback; this is nowhere. */
const NOTHING = '198.51.100.0/24'
const DEADLINE_MS = 3000
const HIDDEN = 'CrcValidationFailed: address not reachable'

/** Where a callback is, and what the operator is told of a challenge and of a delivery to it. */
type Target = readonly [url: string, says: RegExp]

/** Ids of webhooks that no hourly round challenges within the next ten minutes. */
function quietIds(count: number): string[] {
  const nowMs = Date.now()
  const ids: string[] = []
  for (let id = 1; ids.length < count; id++) if (nextChallengeAtMs(String(id), nowMs) > nowMs + 600_000) ids.push(String(id))
  return ids
}

/**
 * A stage with `count` valid webhooks of the demo app, each subscribed to the direct messages of user 101. Where they lead is
 * written into the database itself, past the rules of registration: what is proven is the guard alone.
 */
async function setStageOf(count: number, environment: Record<string, string>) {
  const database = await migratedDatabase('sqlite')
  const ids = quietIds(count)
  const { consumer_key } = demoApp
  const stage = await setStage({
    environment: { ...QUIET, POSTERN_DATABASE_URL: database.url, ...environment },
    seed: {
      apps: [{ ...demoApp, webhook_limit: 1000 }],
      webhooks: ids.map((id) => ({ id, consumer_key, url: `https://webhook-${id}.test/`, valid: true })),
      subscriptions: ids.map((id) => ({ consumer_key, event_type: 'dm.received', filter: { user_id: '101' }, webhook_id: id })),
    },
  })
  return {
    stage,
    ids,
    lead(urls: readonly string[]) {
      using file = new DatabaseSync(database.url.slice('sqlite:'.length))
      const update = file.prepare('update webhooks set normal_url = ? where id = ?')
      for (const [at, url] of urls.entries()) update.run(url, ids[at]!)
    },
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** What the operator finds in the attempt log after one event, and in the log after a challenge of each webhook. */
async function tried(stage: Stage, ids: readonly string[]) {
  const token = await stage.token()
  const [uuid] = await stage.publish({ sent: true })
  const deliveries = await stage.deliveriesWhen(
    `event_uuid=${uuid}&max_results=1000`,
    (found) => found.length === ids.length && found.every(({ attempts }) => attempts.length > 0),
  )
  const answers = await Promise.all(ids.map((id) => stage.api('PUT', `/2/webhooks/${id}`, { token })))
  return ids.map((id, at) => ({
    answer: answers[at]!,
    delivered: deliveries.find(({ webhook_id }) => webhook_id === id).attempts[0].error as string,
    challenged: stage.log.find(({ msg, webhook_id }) => msg === 'challenge' && webhook_id === id).reason as string | undefined,
  }))
}

/** Every target is refused, with the same words for a challenge and for a delivery, and nobody tried to connect to it. */
async function refusesSome(targets: readonly Target[], environment: Record<string, string>) {
  await using set = await setStageOf(targets.length, environment)
  set.lead(targets.map(([url]) => url))
  using connects = watchTcpConnects()
  const found = await tried(set.stage, set.ids)
  for (const [at, { delivered, challenged, answer }] of found.entries()) {
    const [url, says] = targets[at]!
    assert.match(delivered, says, url)
    assert.match(delivered, /; callbacks reach only public addresses$/)
    assert.equal(challenged, delivered, url)
    assert.equal(answer.status, 400)
  }
  const { base_url, operator_url } = set.stage.origins
  const ours = new Set([base_url, operator_url].map((origin) => new URL(origin).host))
  assert.deepEqual(
    connects.tried().filter((to) => !ours.has(to)),
    [],
    'connections that were tried',
  )
  return found
}

/** The socket of a name server holds a hundred questions: of more at once some are lost, and asked again seconds later. */
const AT_ONCE = 50

async function refusesAll(targets: readonly Target[], environment: Record<string, string>) {
  const found: Awaited<ReturnType<typeof refusesSome>> = []
  for (let from = 0; from < targets.length; from += AT_ONCE)
    found.push(...(await refusesSome(targets.slice(from, from + AT_ONCE), environment)))
  return found
}

/** This machine's own addresses that are not public, as a URL writes them. */
const ownAddresses = Object.values(networkInterfaces())
  .flatMap((entries) => entries ?? [])
  .filter(({ address }) => !createAddressGuard({ allow: [], ownListeners: () => [] })(address, 443).ok)
  .map(({ address }) => (address.includes(':') ? `[${address}]` : address))

const LOOPBACK_SPELLINGS = [
  ...refusedHosts.filter(([, why]) => why.source.includes('loopback')).map(([spelling]) => spelling),
  ...loopbackNames,
]

describe('an address that is not public', () => {
  test('is never reached by a challenge or a delivery, in any notation of a URL or name; production hides the details', async () => {
    const records = Object.fromEntries(refusedHosts.map(([spelling], at) => [`host${at}.test`, [addressOf(spelling)]]))
    const named = Object.fromEntries(Object.entries(refusedNames).map(([name, [addresses]]) => [name, addresses]))
    await using names = await startNameServer({ ...records, ...named }, 60)
    const targets: Target[] = [
      ...refusedHosts.map(([spelling, why], at): Target => [`https://${spelling}/literal/${at}`, why]),
      ...refusedHosts.map(([, why], at): Target => [`https://host${at}.test/`, why]),
      ...Object.entries(refusedNames).map(([name, [, why]]): Target => [`https://${name}/`, why]),
      ...loopbackNames.map((name, at): Target => [`https://${name}/name/${at}`, /localhost resolves to 127\.0\.0\.1, .* loopback/]),
    ]
    const found = await refusesAll(targets, { ...PRODUCTION, POSTERN_CALLBACK_RESOLVER: names.address })
    assert.deepEqual(new Set(found.map(({ answer }) => answer.body.errors[0].message)), new Set([HIDDEN]))
  })

  test('is not reached even if the allow list contains everything, if it is metadata, link-local, unspecified, multicast or broadcast', async () => {
    const never = refusedHosts.filter(([, , canBeAllowed]) => !canBeAllowed)
    const records = Object.fromEntries(never.map(([spelling], at) => [`host${at}.test`, [addressOf(spelling)]]))
    await using names = await startNameServer(records, 60)
    const targets = never.flatMap(([spelling, why], at): Target[] => [
      [`https://${spelling}/literal/${at}`, why],
      [`https://host${at}.test/`, why],
    ])
    await refusesAll(targets, { POSTERN_CALLBACK_ALLOW: EVERYTHING, POSTERN_CALLBACK_RESOLVER: names.address })
  })

  test('gets no connection even if another program listens on every address of the machine', async () => {
    await using trap = await startCallback((_request, response) => void response.end(), { host: '0.0.0.0' })
    const hosts = [...LOOPBACK_SPELLINGS, ...ownAddresses, '0.0.0.0', '0', '[::]', '[::ffff:7f00:1]', '[::ffff:0.0.0.0]', '[::7f00:1]']
    const targets = hosts.map((host, at): Target => [`http://${host}:${trap.port}/${at}`, /./])
    await refusesAll(targets, { POSTERN_CALLBACK_ALLOW: NOTHING })
    assert.equal(trap.connections(), 0)
    assert.equal((await call(`http://127.0.0.1:${trap.port}/`, 'GET')).status, 200, 'the trap works')
  })
})

describe("Postern's own listeners", () => {
  test('are not reached by loopback, an address of the machine or a name, even if the allow list contains them all', async () => {
    await using names = await startNameServer({
      'own.test': ['127.0.0.1'],
      'mapped.test': ['::ffff:127.0.0.1'],
      'alias.test': ['own.test'],
    })
    const hosts = [
      ...['127.0.0.1', '127.8.8.8', '0x7f.1', '[::1]', ...loopbackNames, ...ownAddresses],
      'own.test',
      'mapped.test',
      'alias.test',
      '[::ffff:7f00:1]',
      '[::7f00:1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
    ]
    const reachable = hosts.filter((host) => !host.startsWith('[fe80'))
    await using set = await setStageOf(reachable.length * 4, {
      POSTERN_EXPOSE_DEVELOPMENT: '1',
      POSTERN_HOST: '0.0.0.0',
      POSTERN_OPERATOR_HOST: '0.0.0.0',
      POSTERN_OPERATOR_PORT: '0',
      POSTERN_CALLBACK_ALLOW: EVERYTHING,
      POSTERN_CALLBACK_RESOLVER: names.address,
    })
    const { base_url, ads_base_url, ads_sandbox_base_url, operator_url } = set.stage.origins
    const ports = [base_url, ads_base_url, ads_sandbox_base_url, operator_url].map((origin) => new URL(origin).port)
    set.lead(ports.flatMap((port) => reachable.map((host, at) => `http://${host}:${port}/${at}`)))
    using connects = watchTcpConnects()
    for (const { delivered, challenged } of await tried(set.stage, set.ids)) {
      assert.match(delivered, /an address where Postern itself listens/)
      assert.equal(challenged, delivered)
    }
    assert.deepEqual(new Set(connects.tried().map((to) => to.split(':')[0])), new Set(['0.0.0.0']), "the test's own connections alone")
  })

  test('are not reached if they listen on a name', async () => {
    await using stage = await setStage({ environment: { POSTERN_HOST: 'localhost' } })
    const token = await stage.token()
    const { base_url, ads_base_url } = stage.origins
    for (const origin of [base_url, ads_base_url]) {
      for (const host of ['localhost', '127.0.0.1', '[::1]']) {
        const url = `http://${host}:${new URL(origin).port}/`
        const answer = await stage.api('POST', '/2/webhooks', { token, json: { url } })
        assert.match(answer.body.errors[0].message, /an address where Postern itself listens/, url)
      }
    }
  })
})

/** Answers challenges as the demo app does, and acknowledges every event. */
const answerRightly: Answering = ({ target }, response) => {
  const token = new URL(target, 'http://callback').searchParams.get('crc_token') ?? ''
  response.end(JSON.stringify({ response_token: signature(demoApp.consumer_secret, token) }))
}

const asIpv6 = (address: string, prefix: string) => {
  const hex = Buffer.from(address.split('.').map(Number)).toString('hex')
  return `[${prefix}${hex.slice(0, 4)}:${hex.slice(4)}]`
}

describe('the allow list', () => {
  const nextTo = (address: string) => address.replace(/\d+$/, (last) => String((Number(last) + 1) % 256))
  const own = ownAddresses.find((address) => /^\d/.test(address) && !/^(127|169\.254)\./.test(address))

  for (const allowed of ['127.0.0.2', ...(own ? [own] : [])]) {
    const kind = allowed === own ? "the machine's own network" : 'loopback'
    test(`allows what it contains, but not its neighbour or another form of it, on ${kind}`, async () => {
      const neighbour = nextTo(allowed)
      await using callback = await startCallback(answerRightly, { host: allowed })
      const { port } = callback
      await using names = await startNameServer({
        'within.test': [allowed],
        'without.test': [neighbour],
        'both.test': [allowed, neighbour],
        'mapped.test': [`::ffff:${allowed}`],
      })
      const settings = { POSTERN_CALLBACK_RESOLVER: names.address, POSTERN_CALLBACK_ALLOW: `${allowed}/32` }
      const forms = ['::ffff:', '64:ff9b::', '::ffff:0:', '::'].map((prefix) => asIpv6(allowed, prefix))
      const refused = [neighbour, 'without.test', 'both.test', 'mapped.test', ...forms, `${asIpv6(allowed, '2002:').slice(0, -1)}::]`]
      await refusesAll(
        refused.map((host): Target => [`http://${host}:${port}/`, /./]),
        settings,
      )
      assert.equal(callback.connections(), 0)

      await using set = await setStageOf(4, { ...settings, POSTERN_CALLBACK_ALLOW: `${allowed}/32,::ffff:0:0/96` })
      set.lead([allowed, 'within.test', 'mapped.test', asIpv6(neighbour, '::ffff:')].map((host) => `http://${host}:${port}/`))
      const found = await tried(set.stage, set.ids)
      assert.deepEqual(
        found.map(({ delivered, answer }) => [delivered.replace(/^\[?[^ ]+ is .*/, 'refused'), answer.status]),
        [
          ['', 200],
          ['', 200],
          ['', 200],
          ['refused', 400],
        ],
      )
      assert.equal(callback.requests.length, 6)
    })
  }
})

test('a redirect, or any other address in a response, is not followed', async () => {
  await using trap = await startSocketServer(() => {})
  const [within, metadata] = [`127.0.0.1:${trap.port}`, 'http://169.254.169.254/latest/meta-data/']
  const places = [`http://${within}/`, `//${within}/`, `https://${within}/`, metadata, '/elsewhere', 'http://localhost/']
  const answers = [301, 302, 303, 307, 308, 300, 304, 201].flatMap((status) => places.map((location) => ({ status, location })))
  await using callback = await startCallback(({ target }, response) => {
    const { status, location } = answers[Number(target.split('?')[0]!.slice(1))]!
    const more = { 'alt-svc': `http/1.1="${within}"`, refresh: `0;url=${location}`, link: `<http://${within}/>; rel=preconnect` }
    response.writeHead(status, { location, 'content-location': location, ...more }).end()
  })
  await using set = await setStageOf(answers.length, {})
  set.lead(answers.map((_, at) => `${callback.origin}/${at}`))
  using connects = watchTcpConnects()
  for (const [at, { delivered, challenged }] of (await tried(set.stage, set.ids)).entries()) {
    const { status } = answers[at]!
    if (status === 201) assert.equal(delivered, '')
    else assert.equal(delivered, `answered ${status}, a redirect, which is never followed`)
    assert.match(challenged ?? '', status === 201 ? /^the callback answered 201/ : /, a redirect.*: redirects are not followed/)
  }
  const ours = new Set([new URL(set.stage.origins.base_url).host, `127.0.0.1:${callback.port}`])
  assert.deepEqual(
    connects.tried().filter((to) => !ours.has(to)),
    [],
  )
  assert.deepEqual([trap.connections(), callback.requests.length], [0, answers.length * 2])
})

describe('in production', () => {
  /** Loopback that is spelled as IPv6 is like any private network that only an allow list lets through. */
  const PRIVATE = '[::ffff:127.0.0.1]'

  test('the portal of an app reads of attempts nothing about a private network, and its operator does', async () => {
    await using wrong = await startCallback((_request, response) => void response.writeHead(404).end('internal wiki'))
    await using right = await startCallback((_request, response) => void response.end('internal wiki'))
    await using names = await startNameServer({ 'private.test': ['10.0.0.1'] })
    const allow = { POSTERN_CALLBACK_ALLOW: '127.0.0.0/8,::ffff:127.0.0.0/104', POSTERN_CALLBACK_RESOLVER: names.address }
    await using set = await setStageOf(5, { ...PRODUCTION, ...allow })
    const { stage, ids } = set
    set.lead([
      ...['https://private.test/', 'https://none.test/', `http://${PRIVATE}:${wrong.port}/`, `http://${PRIVATE}:${right.port}/`],
      `http://127.0.0.1:${wrong.port}/`,
    ])
    const [uuid] = await stage.publish({ sent: true })
    const isAttempted = (found: Answer['body'][]) => found.length === ids.length && found.every(({ attempts }) => attempts.length > 0)
    await stage.deliveriesWhen(`event_uuid=${uuid}`, isAttempted)
    const inOrder = (found: Answer['body'][]) =>
      ids.map((id) => {
        const [{ outcome, status, error, response, latency_ms, timing }] = found.find(({ webhook_id }) => webhook_id === id).attempts
        return { told: [outcome, status, error, response], isTimed: latency_ms > 0 || timing !== undefined }
      })
    const portal = asConsole(stage, await signInToPortal(stage, demoApp.id))
    const asPortal = await portal('GET', `/operator/deliveries?event_uuid=${uuid}`)
    const event = await portal('GET', `/operator/events/${uuid}`)
    const answered404 = ['failed', 404, 'answered 404; any 2xx acknowledges an event', 'internal wiki']
    for (const found of [asPortal.body.data, event.body.data.deliveries])
      assert.deepEqual(inOrder(found), [
        ...Array.from({ length: 3 }, () => ({ told: ['failed', null, 'address not reachable', ''], isTimed: false })),
        { told: ['delivered', 200, '', ''], isTimed: false },
        { told: answered404, isTimed: true },
      ])
    const asOperator = inOrder((await stage.operator('GET', `/operator/deliveries?event_uuid=${uuid}`)).body.data)
    assert.match(asOperator[0]!.told[2], /^private\.test resolves to 10\.0\.0\.1/)
    assert.match(asOperator[1]!.told[2], /^the name none\.test does not exist/)
    assert.deepEqual(
      asOperator.slice(2).map(({ told }) => told),
      [answered404, ['delivered', 200, '', 'internal wiki'], answered404],
    )
  })

  test('neither the response nor its duration reveals anything about a private network, however a challenge is triggered', async () => {
    await using silent = await startSocketServer(() => {})
    await using wrong = await startCallback((_request, response) => void response.writeHead(404).end('internal wiki'))
    await using right = await startCallback(answerRightly)
    const closed = await startSocketServer(() => {})
    await closed[Symbol.asyncDispose]()
    await using names = await startNameServer({ 'private.test': ['10.0.0.1'], 'bare.test': [], 'silent.test': 'silence' })
    const hidden: Target[] = [
      ['https://10.0.0.1/', /^10\.0\.0\.1 is in a private network/],
      ['https://private.test/', /^private\.test resolves to 10\.0\.0\.1/],
      ['https://none.test/', /^the name none\.test does not exist/],
      ['https://bare.test/', /^the name bare\.test has no address/],
      ['https://silent.test/', /timed out after \d+ ms while resolving/],
      [`http://${PRIVATE}:${closed.port}/`, /nothing listens there/],
      [`http://${PRIVATE}:${silent.port}/`, /timed out after \d+ ms while waiting/],
      [`https://${PRIVATE}:${silent.port}/`, /timed out after \d+ ms while doing the TLS handshake/],
      [`https://${PRIVATE}:${wrong.port}/`, /does not speak TLS/],
      [`http://${PRIVATE}:${wrong.port}/`, /answered 404/],
    ]
    const told = [`http://127.0.0.1:${wrong.port}/`, `http://${PRIVATE}:${right.port}/`]
    const allow = { POSTERN_CALLBACK_ALLOW: '127.0.0.0/8,::ffff:127.0.0.0/104', POSTERN_CALLBACK_RESOLVER: names.address }
    await using set = await setStageOf(hidden.length + told.length, { ...PRODUCTION, ...allow })
    const { stage, ids } = set
    set.lead([...hidden.map(([url]) => url), ...told])
    const token = await stage.token()
    const ask = async (method: string, path: string, json?: unknown) => {
      const startedMs = stage.clock.now()
      const answer = await stage.api(method, path, { token, json })
      return { answer, tookMs: stage.clock.now() - startedMs }
    }
    const toMs = stage.clock.now()
    const window = { from_date: formatMinute(toMs - 600_000), to_date: formatMinute(toMs) }
    const everyWay = ids.flatMap((webhook_id) => [
      ask('PUT', `/2/webhooks/${webhook_id}`),
      ask('POST', '/2/webhooks/replay', { webhook_id, ...window }),
    ])
    const answers = await Promise.all([
      ...everyWay,
      ...hidden.filter(([url]) => !/:\d+\/$/.test(url)).map(([url]) => ask('POST', '/2/webhooks', { url: `${url}another` })),
    ])
    const atOnce = answers.splice(hidden.length * 2, told.length * 2)
    const seen = answers.map(({ answer: { status, text, headers } }) => {
      const constant = [...headers].filter(([name]) => !/^(date|x-rate-limit-.*)$/.test(name))
      return JSON.stringify([status, text, constant])
    })
    assert.equal(new Set(seen).size, 1, seen.join('\n'))
    assert.equal(answers[0]!.answer.body.errors[0].message, HIDDEN)
    for (const { tookMs } of answers) assert.ok(tookMs >= DEADLINE_MS, `told after ${tookMs} ms`)
    // A slow machine answers all of them later, and those that wait for the deadline still last.
    const heldMs = Math.min(...answers.map(({ tookMs }) => tookMs))
    for (const { tookMs } of atOnce) assert.ok(tookMs < heldMs, `told after ${tookMs} ms`)
    assert.match(atOnce[0]!.answer.body.errors[0].message, /answered 404/)
    assert.deepEqual(atOnce[2]!.answer.body, { data: { valid: true } })
    for (const [at, [url, says]] of hidden.entries()) {
      const line = stage.log.find(({ msg, webhook_id }) => msg === 'challenge' && webhook_id === ids[at])
      assert.match(line.reason, says, `what the operator reads of ${url}`)
    }
  })

  test('a withheld failure is still returned when Postern stops, and delays the stop no longer than its deadline', async () => {
    await using names = await startNameServer({ 'private.test': ['10.0.0.1'] })
    await using stage = await setStage({ environment: { ...PRODUCTION, POSTERN_CALLBACK_RESOLVER: names.address } })
    const asking = stage.api('POST', '/2/webhooks', { token: await stage.token(), json: { url: 'https://private.test/' } })
    await names.asked('private.test')
    const stopped = stage.stop()
    stage.clock.advance(DEADLINE_MS + 100)
    const answer = await asking
    assert.equal(answer.body.errors[0].message, HIDDEN)
    assert.equal(answer.headers.get('connection'), 'close', 'a connection that is kept keeps Postern from stopping')
    await stopped
    await stage.start()
  })
})
