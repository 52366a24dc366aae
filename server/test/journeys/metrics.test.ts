import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { test } from 'node:test'
import { Client } from 'pg'
import { call } from '../stage/call.ts'
import { migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { limitFile } from '../stage/limit-file.ts'
import { demoApp, otherApp, setStage } from '../stage/postern.ts'
import { alertExpressions, dashboardQueries, isAbsentOn } from '../stage/queries.ts'
import { answerWith, startReceiver } from '../stage/receiver.ts'
import { scrape } from '../stage/scrape.ts'
import { startSilentProxy } from '../stage/silent-proxy.ts'

const flavours = databasesOf(import.meta)

for (const flavour of flavours) {
  test(`${flavour}: the counters of /metrics equal what was done`, async () => {
    const limits = limitFile({ listWebhooks: 2 })
    const environment = { POSTERN_RATE_LIMITS: limits, POSTERN_RETRY_PLAN: '10ms' }
    await using stage = await setStage({ flavour, environment })
    const { base_url } = stage.origins
    await using good = await startReceiver([demoApp.consumer_secret])
    await using bad = await startReceiver([otherApp.consumer_secret])
    await using wrong = await startReceiver(['another secret'])
    const { token } = await stage.connect(good)
    const otherToken = await stage.token(otherApp)
    const badId = await stage.register(bad.url, otherToken)
    await stage.subscribe(badId, otherToken, { filter: { user_id: '102' } })
    assert.equal((await stage.api('POST', '/2/webhooks', { token, json: { url: wrong.url } })).status, 400)
    bad.answerPosts(500)

    const event = (user_id: string, event_uuid: string) => ({ event_type: 'dm.received', user_id, event_uuid, payload: {} })
    const events = [event('101', '1'), event('101', '2'), event('101', '3'), event('102', '4'), event('103', '5')]
    for (let time = 0; time < 2; time++) assert.equal((await stage.operator('POST', '/operator/events', { events })).status, 202)
    await good.received(3)
    await stage.deliveriesWhen('state=given_up', (found) => found.length === 1)
    assert.equal((await stage.api('PUT', `/2/webhooks/${badId}`, { token: otherToken })).status, 200)
    bad.intercept = (_request, response) => answerWith(response, 404)
    assert.equal((await stage.api('PUT', `/2/webhooks/${badId}`, { token: otherToken })).status, 400)
    assert.equal((await stage.operator('POST', '/operator/events', event('102', '6'))).status, 202)
    const listed = [await stage.api('GET', '/2/webhooks', { token }), await stage.api('GET', '/2/webhooks', { token })]
    const refused = await stage.api('GET', '/2/webhooks', { token })
    assert.deepEqual(
      [...listed, refused].map(({ status }) => status),
      [200, 200, 429],
    )
    for (const path of ['/no/such/path', '/2/nothing', '/%ff']) assert.ok((await stage.api('GET', path)).status >= 400)
    assert.equal((await stage.api('DELETE', '/2/webhooks', { token })).status, 405)

    for (let time = 0; time < 3; time++) {
      const authorization = `Basic ${btoa(`${demoApp.consumer_key}:wrong`)}`
      const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
      assert.equal((await stage.api('POST', '/oauth2/token', { headers, body: 'grant_type=client_credentials' })).status, 403)
    }
    assert.equal((await call(`${base_url}/operator/apps`, 'GET', { token: 'wrong' })).status, 401)

    const found = await scrape(base_url)
    const wrongCredentials = { password: 0, app_secret: 3, client_secret: 0, signature: 0, operator_token: 1 }
    assert.deepEqual(found.by('postern_wrong_credentials_total', 'kind'), wrongCredentials)
    assert.equal(found.value('postern_events_accepted_total'), 6)
    assert.deepEqual(found.by('postern_deliveries_total', 'outcome'), { delivered: 3, given_up: 1, not_sent: 1 })
    assert.equal(found.value('postern_attempts_total', { kind: 'live', outcome: 'delivered' }), 3)
    assert.equal(found.value('postern_attempts_total', { kind: 'live', outcome: 'failed' }), 1)
    assert.equal(found.value('postern_attempts_total', { kind: 'retry', outcome: 'failed' }), 1)
    assert.equal(found.value('postern_attempts_total', { kind: 'replay', outcome: 'delivered' }), 0)
    assert.deepEqual(found.by('postern_challenges_total', 'result'), { passed: 3, failed: 2 })
    const limited = Object.entries(found.by('postern_rate_limited_total', 'endpoint'))
    assert.deepEqual(
      limited.filter(([, count]) => count > 0),
      [['listWebhooks', 1]],
    )
    assert.deepEqual(found.by('postern_webhooks', 'valid'), { true: 1, false: 1 })
    const requests = (endpoint: string, status: string) => found.value('postern_requests_total', { endpoint, status })
    assert.deepEqual([requests('listWebhooks', '200'), requests('listWebhooks', '429')], [2, 1])
    assert.deepEqual([requests('createWebhook', '200'), requests('createWebhook', '400')], [2, 1])
    assert.deepEqual([requests('validateWebhook', '200'), requests('validateWebhook', '400')], [1, 1])
    assert.equal(requests('publishEvents', '202'), 3)
    assert.deepEqual([requests('none', '404'), requests('none', '400'), requests('none', '405')], [2, 1, 1])

    const attempts = found.histogram('postern_attempt_duration_seconds', { outcome: 'failed' })
    assert.deepEqual([attempts.count, attempts.buckets.at(-1)], [2, [Number.POSITIVE_INFINITY, 2]])
    assert.equal(found.histogram('postern_attempt_duration_seconds', { outcome: 'delivered' }).count, 3)
    const lists = found.histogram('postern_request_duration_seconds', { endpoint: 'listWebhooks' })
    assert.ok(lists.count === 3 && lists.sum > 0 && lists.sum < 30)
    const commits = found.histogram('postern_log_commit_duration_seconds')
    assert.equal(commits.count, found.value('postern_log_commits_total', { result: 'committed' }))
    assert.ok(commits.count >= 4 && commits.sum > 0)
    assert.equal(found.value('postern_log_commits_total', { result: 'failed' }), 0)
    assert.deepEqual([found.value('postern_deliveries_in_flight'), found.value('postern_queue_age_seconds')], [0, 0])
    for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_p99_seconds']) assert.ok(name in found.types, name)
    // Node may abort when it is asked for its handles.
    assert.ok(!('nodejs_active_handles' in found.types))
    for (const tenant of [good.url, bad.url, badId, demoApp.name, demoApp.consumer_key, token, '="101"', 'no/such', '127.0.0.1'])
      assert.ok(!found.text.includes(tenant), tenant)
    assert.equal((await scrape(base_url)).value('postern_requests_total', { endpoint: 'metrics', status: '200' }), 1)
  })

  test(`${flavour}: what waits is counted, and the age of the oldest grows until it is delivered`, async () => {
    const environment = { POSTERN_RETRY_PLAN: '5s,1h', POSTERN_CALLBACK_TIMEOUT: '2h' }
    await using stage = await setStage({ flavour, environment })
    const { base_url } = stage.origins
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await stage.connect(receiver)
    receiver.answerPosts(500, { 'retry-after': '3600' })
    await stage.publish(...Array.from({ length: 100 }, (_, n) => ({ n })))
    await stage.deliveriesWhen('state=retrying', (found) => found.length === 100)
    assert.equal((await scrape(base_url)).value('postern_retries_due'), 0)

    receiver.intercept = undefined
    receiver.hold('POST')
    stage.clock.advance(3_600_000)
    await receiver.holding(4)
    await stage.until(async () => (await scrape(base_url)).value('postern_retries_due') === 96)
    await stage.publish({ n: 100 })
    stage.clock.advance(60_000)
    const waiting = await scrape(base_url)
    assert.equal(waiting.value('postern_deliveries_in_flight'), 4)
    assert.equal(waiting.value('postern_deliveries_queued', { kind: 'live' }), 1)
    assert.equal(waiting.value('postern_deliveries_queued', { kind: 'retry' }), 96)
    const age = waiting.value('postern_queue_age_seconds')!
    assert.ok(age >= 60 && age < 90, `${age} s`)

    receiver.letGo()
    await receiver.received(101)
    await stage.deliveriesWhen('state=delivered', (found) => found.length >= 100)
    const after = await stage.until(async () => {
      const found = await scrape(base_url)
      return found.value('postern_deliveries_in_flight') === 0 && found
    })
    assert.deepEqual(
      ['queue_age_seconds', 'retries_due'].map((name) => after.value(`postern_${name}`)),
      [0, 0],
    )
    assert.deepEqual(after.by('postern_deliveries_queued', 'kind'), { live: 0, retry: 0, replay: 0 })
  })
}

for (const flavour of flavours)
  test(`${flavour}: webhooks are counted over all apps, at most every ten seconds`, async () => {
    const webhooks = [1, 2, 3].map((n) => ({
      id: `100${n}`,
      consumer_key: demoApp.consumer_key,
      url: `https://hooks.example.com/${n}`,
      valid: n !== 2,
    }))
    const others = { id: '1004', consumer_key: otherApp.consumer_key, url: 'https://hooks.example.com/1', valid: false }
    await using stage = await setStage({ flavour, seed: { apps: [demoApp, otherApp], webhooks: [...webhooks, others] } })
    const counted = async () => (await scrape(stage.origins.base_url)).by('postern_webhooks', 'valid')
    assert.deepEqual(await counted(), { true: 2, false: 2 })
    assert.equal((await stage.api('DELETE', '/2/webhooks/1004', { token: await stage.token(otherApp) })).status, 200)
    assert.deepEqual(await counted(), { true: 2, false: 2 })
    stage.clock.advance(10_000)
    assert.deepEqual(await counted(), { true: 2, false: 1 })
  })

for (const flavour of flavours)
  test(`${flavour}: the size of the database and its parts, the processes, and the slowest commit are told`, async () => {
    await using stage = await setStage({ flavour, fresh: true })
    const look = () => scrape(stage.origins.base_url)
    await stage.publish({})
    const first = await look()
    const [slowest, { sum, count }] = [
      first.value('postern_log_commit_slowest_seconds')!,
      first.histogram('postern_log_commit_duration_seconds'),
    ]
    assert.ok(slowest >= sum / count && slowest <= sum, `${slowest} of ${sum} in ${count}`)
    assert.equal((await look()).value('postern_log_commit_slowest_seconds'), 0)
    assert.deepEqual(first.by('postern_processes', 'role'), { api: 1, delivery: 1, stream: 1 })
    assert.deepEqual(
      ['postern_takeovers_total', 'postern_deliveries_taken_over_total'].map((name) => first.value(name)),
      [0, 0],
    )
    const parts = first.by('postern_database_part_bytes', 'part')
    if (flavour === 'postgres') {
      assert.equal(Object.keys(parts).length, 12)
      assert.ok(first.value('postern_event_log_bytes')! > 0)
      assert.ok(first.value('postern_database_bytes')! > Object.values(parts).reduce((total, bytes) => total + bytes))
      assert.ok(first.value('postern_feed_lag_seconds')! > 0)
      assert.equal(first.by('postern_connection_waits_total', 'pool').logCommits, 0)
    } else assert.deepEqual(first.by('postern_connection_waits_total', 'pool'), {})
  })

test('a transaction that somebody leaves open on PostgreSQL is seen by its age', async () => {
  await using database = await migratedDatabase('postgres')
  await using stage = await setStage({ environment: { POSTERN_DATABASE_URL: database.url } })
  const client = new Client(database.url)
  await client.connect()
  await client.query('begin')
  const began = performance.now()
  const age = await stage.until(async () => {
    stage.clock.advance(10_000)
    const found = (await scrape(stage.origins.base_url)).value('postern_oldest_transaction_seconds')!
    return found > 0.3 && found
  })
  assert.ok(age <= (performance.now() - began) / 1000 + 0.1)
  await client.end()
})

test('on an operator port the first scrape tells of what delayed the event loop before it, and the next only of what came after', async () => {
  await using stage = await setStage({ environment: { POSTERN_OPERATOR_PORT: '0' } })
  const beat = monitorEventLoopDelay({ resolution: 10 })
  beat.enable()
  await stage.until(() => beat.count > 1)
  beat.disable()
  const until = performance.now() + 300
  while (performance.now() < until);
  const longest = async () => (await scrape(stage.origins.operator_url)).value('nodejs_eventloop_lag_max_seconds')!
  assert.ok((await longest()) >= 0.28)
  await stage.until(async () => (await longest()) < 0.28)
})

test('without an operator port the event loop is measured from the first scrape on, so that an idle process sleeps', async () => {
  await using stage = await setStage()
  const longest = async () => (await scrape(stage.origins.base_url)).value('nodejs_eventloop_lag_max_seconds')!
  assert.equal(await longest(), 0)
  await stage.until(async () => (await longest()) > 0)
})

for (const flavour of flavours)
  test(`${flavour}: whatever an alert selects is there from the start, so that an increase is seen`, async () => {
    await using stage = await setStage({ flavour })
    const { text } = await scrape(stage.origins.base_url)
    const expressions = alertExpressions()
    assert.ok(expressions.length >= 15)
    for (const expression of expressions)
      for (const [, name, selector = ''] of expression.matchAll(/(postern_\w+)(?:\{([^}]*)\})?/g)) {
        const selected = text.split('\n').filter((line) => line.startsWith(name!) && line.includes(selector))
        assert.ok(selected.length > 0 || isAbsentOn(flavour, name!), expression)
      }
  })

test('the counters of what is limited and of bugs begin at zero, one for each endpoint', async () => {
  await using stage = await setStage()
  const found = await scrape(stage.origins.base_url)
  for (const endpoint of ['createWebhook', 'requestToken', 'listCampaigns'])
    assert.equal(found.value('postern_rate_limited_total', { endpoint }), 0, endpoint)
  for (const endpoint of ['createWebhook', 'publishEvents', 'listCampaigns'])
    assert.equal(found.value('postern_requests_total', { endpoint, status: '500' }), 0, endpoint)
  assert.equal(found.value('postern_rate_limited_total', { endpoint: 'publishEvents' }), undefined)
})

test('/metrics is on the operator port alone, needs no token, and answers while the process stops', async () => {
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await using stage = await setStage({ environment: { POSTERN_OPERATOR_PORT: '0' } })
  const { base_url, ads_base_url, ads_sandbox_base_url, operator_url } = stage.origins
  for (const origin of [base_url, ads_base_url, ads_sandbox_base_url]) assert.equal((await call(`${origin}/metrics`, 'GET')).status, 404)
  assert.equal((await call(`${operator_url}/metrics`, 'POST')).status, 405)
  await stage.connect(receiver)
  receiver.hold('POST')
  await stage.publish({})
  await receiver.holding(1)
  const stopping = stage.stop()
  assert.equal((await scrape(operator_url)).value('postern_deliveries_in_flight'), 1)
  receiver.letGo()
  await stopping
  await stage.start()
})

test('while PostgreSQL hangs /metrics answers with what is in memory, and leaves out what only the database knows', async () => {
  await using database = await migratedDatabase('postgres')
  const url = new URL(database.url)
  await using proxy = await startSilentProxy(Number(url.port))
  url.port = String(proxy.port)
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const environment = { POSTERN_DATABASE_URL: url.href, POSTERN_CALLBACK_TIMEOUT: '1h' }
  await using stage = await setStage({ environment })
  // The server stops once what is in flight is answered.
  using _held = { [Symbol.dispose]: () => receiver.letGo() }
  await stage.connect(receiver)
  receiver.hold('POST')
  await stage.publish({})
  await receiver.holding(1)
  proxy.silenceNew(true)
  proxy.silence()
  const found = await scrape(stage.origins.base_url)
  // The stop need not find out by itself.
  proxy.silenceNew(false)
  proxy.breakAll()
  assert.equal(found.value('postern_deliveries_in_flight'), 1)
  assert.ok(found.value('postern_queue_age_seconds')! > 0)
  assert.equal(found.value('postern_retries_due'), undefined)
  assert.deepEqual(found.by('postern_webhooks', 'valid'), {})
})

test('every metric that the page, an alert or the dashboard names exists, and every metric has its type and is on the page', async () => {
  await using stage = await setStage()
  await scrape(stage.origins.base_url)
  const { types } = await scrape(stage.origins.base_url)
  const namesIn = (text: string) =>
    [...text.matchAll(/(?:postern|nodejs|process)_[a-z0-9_]+/g)].map(([name]) => name.replace(/_bucket$/, ''))
  const named = new Set(namesIn(await readFile(join(import.meta.dirname, '../../../docs/metrics.md'), 'utf8')))
  const queried = namesIn([...alertExpressions(), ...dashboardQueries()].join('\n'))
  assert.ok(named.size > 30)
  assert.ok(queried.length > 50)
  assert.deepEqual(
    [...named, ...queried].filter((name) => !(name in types)),
    [],
  )
  for (const [name, type] of Object.entries(types).filter(([name]) => name.startsWith('postern_'))) {
    assert.equal(type, name.endsWith('_total') ? 'COUNTER' : /duration_seconds$/.test(name) ? 'HISTOGRAM' : 'GAUGE', name)
    assert.ok(named.has(name), `${name} is not in docs/metrics.md`)
  }
})
