import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ApiPartialResponseError, ApiRequestError, ApiResponseError, TwitterApi } from 'twitter-api-v2'
import { adsSeed } from '../stage/ads.ts'
import { call } from '../stage/call.ts'
import { demoApp, otherApp, SECRET, type Stage, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { asTheirHosts } from '../stage/their-hosts.ts'

async function addFault(stage: Stage, json: Record<string, unknown>) {
  const answer = await stage.operator('POST', '/operator/faults', json)
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data
}

const listed = async (stage: Stage) => (await stage.operator('GET', '/operator/faults')).body.data

suite('faults of calls', () => {
  test('a status refuses the next calls with the error of the interface, and nothing is done', async () => {
    await using stage = await setStage({ fresh: true })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const token = await stage.token()
    const { created_at, ...fault } = await addFault(stage, { call: 'POST /2/webhooks', times: 2, status: 429 })
    assert.deepEqual(fault, { id: '1', call: 'POST /2/webhooks', status: 429, times_left: 2, hits: [] })
    const register = () => stage.api('POST', '/2/webhooks', { token, json: { url: receiver.url } })
    for (let time = 0; time < 2; time += 1) {
      const { status, headers, body } = await register()
      assert.deepEqual([status, body.title, headers.get('content-type')], [429, 'Too Many Requests', 'application/problem+json'])
      const said = ['x-rate-limit-limit', 'x-rate-limit-remaining', 'retry-after', 'x-postern-fault'].map((name) => headers.get(name))
      assert.deepEqual(said, ['450', '0', '900', '1'])
      assert.ok(Math.abs(Number(headers.get('x-rate-limit-reset')) - stage.clock.now() / 1000 - 900) < 60)
    }
    assert.equal(receiver.challenges, 0)
    assert.equal((await register()).status, 200)
    const [spent] = await listed(stage)
    assert.deepEqual(
      [spent.times_left, spent.hits.map(({ what }: { what: string }) => what)],
      [0, ['POST /2/webhooks', 'POST /2/webhooks']],
    )
  })

  test('each part of the interface refuses in its own form, on whichever host and in either dialect', async () => {
    await using stage = await setStage({ seed: adsSeed, fresh: true })
    const sent = async (aimed: string, status: number, ask: () => Promise<{ status: number; text: string }>) => {
      await addFault(stage, { call: aimed, status })
      const answer = await ask()
      assert.equal(answer.status, status, answer.text)
      return JSON.parse(answer.text)
    }
    const get = (path: string) => () => stage.api('GET', path)
    assert.equal((await sent('GET /2/users/:id', 503, get('/2/users/101'))).title, 'Service Unavailable')
    assert.equal((await sent('GET /2/posts/:id', 404, get('/2/tweets/7'))).title, 'Not Found')
    assert.equal((await sent('GET /2/tweets/7', 500, get('/2/tweets/7'))).title, 'Internal Server Error')
    assert.equal((await sent('GET /1.1/account/verify_credentials', 429, get('/1.1/account/verify_credentials.json'))).errors[0].code, 88)
    assert.ok((await sent('POST /2/oauth2/token', 503, () => stage.api('POST', '/2/oauth2/token'))).error)
    const ads = () => call(`${stage.origins.ads_base_url}/12/accounts`, 'GET')
    assert.equal((await sent('GET /12/accounts', 503, ads)).errors[0].code, 'SERVICE_UNAVAILABLE')
    assert.equal((await sent('*', 503, get('/2/users/by'))).title, 'Service Unavailable')
  })

  test('a fault of an app hits its calls alone, once their credentials were checked', async () => {
    await using stage = await setStage({ fresh: true })
    const [token, other] = [await stage.token(), await stage.token(otherApp)]
    await addFault(stage, { call: 'GET /2/webhooks', app_id: '1', status: 503 })
    assert.equal((await stage.api('GET', '/2/webhooks', { token: 'wrong' })).status, 401)
    assert.equal((await stage.api('GET', '/2/webhooks', { token: other })).status, 200)
    assert.equal((await stage.api('GET', '/2/webhooks', { token })).status, 503)
    assert.equal((await stage.api('GET', '/2/webhooks', { token })).status, 200)
  })

  test('garbage is 200 without JSON, a cut call is done and half of its answer arrives', async () => {
    await using stage = await setStage({ fresh: true })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const token = await stage.token()
    await addFault(stage, { call: 'GET /2/webhooks', garbage: true })
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const garbled = await fetch(`${stage.origins.base_url}/2/webhooks`, { headers })
    assert.equal(garbled.status, 200)
    await assert.rejects(garbled.json(), SyntaxError)

    await addFault(stage, { call: 'POST /2/webhooks', cut: true })
    const cut = await fetch(`${stage.origins.base_url}/2/webhooks`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ url: receiver.url }),
    })
    assert.deepEqual([cut.status, cut.headers.get('x-postern-fault')], [200, '2'])
    await assert.rejects(cut.text(), { message: 'terminated' })
    assert.equal((await stage.api('GET', '/2/webhooks', { token })).body.meta.result_count, 1)
  })

  test('an activity stream is cut after its headers', async () => {
    await using stage = await setStage({ fresh: true })
    const token = await stage.token()
    await stage.api('POST', '/2/activity/subscriptions', { token, json: { event_type: 'dm.received', filter: { user_id: '101' } } })
    await addFault(stage, { call: 'GET /2/activity/stream', cut: true })
    const stream = await fetch(`${stage.origins.base_url}/2/activity/stream`, { headers: { authorization: `Bearer ${token}` } })
    assert.equal(stream.status, 200)
    await assert.rejects(stream.text(), { message: 'terminated' })
  })

  test('streams that were cut take no place: an app connects again as often as they are', async () => {
    await using stage = await setStage({ fresh: true })
    const token = await stage.token()
    await stage.api('POST', '/2/activity/subscriptions', { token, json: { event_type: 'dm.received', filter: { user_id: '101' } } })
    await addFault(stage, { call: 'GET /2/activity/stream', cut: true, times: 3 })
    const connect = () => fetch(`${stage.origins.base_url}/2/activity/stream`, { headers: { authorization: `Bearer ${token}` } })
    const open = async () => (await stage.operator('GET', '/operator/streams')).body.data.length
    for (const time of [1, 2, 3]) {
      const cut = await connect()
      assert.equal(cut.status, 200, `connection ${time}`)
      await assert.rejects(cut.text(), { message: 'terminated' })
      await stage.until(async () => (await open()) === 0)
    }
    const stream = await connect()
    assert.deepEqual([stream.status, await open()], [200, 1])
    await stream.body!.cancel()
  })

  test('a delay lasts until the clock has reached it, and no longer than the server', async () => {
    await using stage = await setStage({ fresh: true })
    const token = await stage.token()
    await addFault(stage, { call: 'GET /2/webhooks', delay: '5m', times: 2 })
    const slow = stage.api('GET', '/2/webhooks', { token })
    await stage.until(async () => (await listed(stage))[0].times_left === 1)
    await stage.operator('POST', '/operator/clock', { advance: '5m' })
    assert.equal((await slow).status, 200)
    const last = stage.api('GET', '/2/webhooks', { token })
    await stage.until(async () => (await listed(stage))[0].times_left === 0)
    await stage.restart()
    const { status, headers, body } = await last
    assert.deepEqual([status, headers.get('x-postern-fault'), body.meta], [200, '1', { result_count: 0 }])
  })

  test('twitter-api-v2 sees an ApiResponseError for 429, and a cut answer as an error of the network', async () => {
    await using hosts = await asTheirHosts()
    const { stage } = hosts
    const client = new TwitterApi({ appKey: demoApp.consumer_key, appSecret: demoApp.consumer_secret }, { httpAgent: hosts.agent })
    const app = await client.appLogin()
    await addFault(stage, { call: 'GET /2/tweets/:id', status: 429 })
    const limited = await app.v2.singleTweet('7').catch((error) => error)
    assert.ok(limited instanceof ApiResponseError, String(limited))
    assert.deepEqual([limited.code, limited.rateLimitError, limited.rateLimit?.remaining], [429, true, 0])
    await addFault(stage, { call: 'GET /2/tweets/:id', cut: true })
    const cut = await app.v2.singleTweet('7').catch((error) => error)
    assert.ok(cut instanceof ApiRequestError || cut instanceof ApiPartialResponseError, String(cut))
  })

  test('faults are listed, deleted one by one or all, bounded, and gone after a reset', async () => {
    await using stage = await setStage({ fresh: true })
    const add = () => stage.operator('POST', '/operator/faults', { call: '*', status: 503 })
    for (let made = 0; made < 100; made += 1) assert.equal((await add()).status, 201)
    const full = await add()
    assert.equal(full.status, 409)
    assert.match(full.body.detail, /^There are 100 faults that have not hit yet/)
    assert.equal((await stage.operator('DELETE', '/operator/faults/1')).status, 200)
    assert.equal((await stage.operator('DELETE', '/operator/faults/1')).status, 404)
    assert.equal((await stage.api('GET', '/2/webhooks')).status, 503)
    assert.equal((await add()).status, 201)
    assert.equal((await add()).status, 201)
    assert.equal((await add()).status, 409)
    assert.equal((await stage.operator('DELETE', '/operator/faults')).body.data.deleted, 100)
    await add()
    await stage.operator('POST', '/operator/reset', {})
    assert.deepEqual(await listed(stage), [])
  })

  test('faults of a deleted app make room for others', async () => {
    await using stage = await setStage({ fresh: true })
    for (let made = 0; made < 100; made += 1) await addFault(stage, { call: '*', app_id: '2', status: 503 })
    const add = () => stage.operator('POST', '/operator/faults', { call: '*', status: 503 })
    assert.equal((await add()).status, 409)
    assert.equal((await stage.operator('DELETE', '/operator/apps/2')).status, 200)
    assert.equal((await add()).status, 201)
    assert.equal((await listed(stage)).length, 1)
  })

  test('a fault that could never hit is refused by name', async () => {
    await using stage = await setStage({ fresh: true })
    const refused = async (json: Record<string, unknown>, status: number, says: RegExp) => {
      const answer = await stage.operator('POST', '/operator/faults', json)
      assert.equal(answer.status, status, answer.text)
      assert.match(answer.text, says)
    }
    await refused({ call: 'GET /2/no-such-thing', status: 503 }, 400, /\$\.call: must be a verb and a path of the reference/)
    await refused({ call: 'POST /operator/events', status: 503 }, 400, /\$\.call/)
    await refused({ call: '/2/users', status: 503 }, 400, /call must be a verb and a path such as/)
    await refused({ call: 'GET /2/users', status: 418 }, 400, /\$\.status: a call can be refused with 400, 401/)
    await refused({ call: 'GET /2/users', drop: true }, 400, /\$\.drop: a call can have status, delay, cut, garbage/)
    await refused({ call: 'GET /2/users', delay: '6m' }, 400, /\$\.delay: must be at most 5m/)
    await refused({ call: 'GET /2/users', cut: false }, 400, /`?cut`? must be true or left out/)
    await refused({ call: 'GET /2/users' }, 400, /exactly one of/)
    await refused({ call: 'GET /2/users', status: 500, cut: true }, 400, /exactly one of/)
    await refused({ status: 500 }, 400, /exactly one of/)
    await refused({ call: 'GET /2/users', status: 500, app_id: '9' }, 404, /There is no app 9/)
    await refused({ delivery: 'dm.received', status: 500, webhook_id: '9' }, 404, /There is no webhook 9/)
    await refused({ delivery: 'challenge', duplicate: true }, 400, /\$\.duplicate: a challenge can have/)
  })

  test('in production there are no faults', async () => {
    await using stage = await setStage({
      environment: { POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '0' },
    })
    assert.equal((await stage.operator('POST', '/operator/faults', { call: '*', status: 503 })).status, 404)
    assert.equal((await stage.operator('POST', '/operator/disorders', { seed: 7 })).status, 404)
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['DELETE', '/1'],
    ] as const)
      assert.equal((await stage.operator(method, `/operator/faults${path}`)).status, 404)
  })
})
