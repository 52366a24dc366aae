import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPortalSession } from '../../src/endpoints/operator/portal.ts'
import { formatMinute } from '../../src/endpoints/webhooks/start-replay.ts'
import {
  asConsole,
  cookieOf,
  FROM_CONSOLE,
  openPortal,
  operatorApi,
  portalToken,
  requestFor,
  signInToConsole,
  signInToPortal,
} from '../stage/console-calls.ts'
import { limitFile } from '../stage/limit-file.ts'
import { auditedWhen } from '../stage/operator-calls.ts'
import { setPair } from '../stage/pair.ts'
import { demoApp, otherApp, type Stage, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { anApp } from '../storage/samples.ts'

const MINUTE_MS = 60_000

/** Two apps with a webhook each: events about user 101 go to the first, those about 102 to the other. */
async function setTwoApps(stage: Stage) {
  await using begun = new AsyncDisposableStack()
  const connect = async (app: typeof demoApp, userId: string) => {
    const receiver = begun.use(await startReceiver([app.consumer_secret]))
    const token = await stage.token(app)
    const webhookId = await stage.register(receiver.url, token)
    await stage.subscribe(webhookId, token, { filter: { user_id: userId } })
    const events = [{ event_type: 'dm.received', user_id: userId, payload: { text: `for ${app.name}` } }]
    const published = await stage.operator('POST', '/operator/events', { events })
    const eventUuid: string = published.body.data[0].event_uuid
    await stage.deliveriesWhen(`webhook_id=${webhookId}&state=delivered`, (found) => found.length === 1)
    const dates = { from_date: formatMinute(stage.clock.now() - MINUTE_MS), to_date: formatMinute(stage.clock.now() + MINUTE_MS) }
    const replay = await stage.operator('POST', '/operator/replays', { webhook_id: webhookId, ...dates })
    assert.equal(replay.status, 200, replay.text)
    const jobId: string = replay.body.data.job_id
    await stage.until(async () => (await stage.operator('GET', `/operator/replays/${jobId}`)).body.data.state === 'complete')
    return { app, receiver, webhookId, eventUuid, jobId, dates }
  }
  const [own, other] = [await connect(demoApp, '101'), await connect(otherApp, '102')]
  const owned = begun.move()
  return { own, other, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

type OneApp = Awaited<ReturnType<typeof setTwoApps>>['own']

/** What a portal may call, and how, with what is its app's. */
const permitted: Record<string, (of: OneApp) => Record<string, unknown>> = {
  listApps: () => ({}),
  listAllWebhooks: ({ app }) => ({ app_id: app.id }),
  getEvent: ({ eventUuid }) => ({ event_uuid: eventUuid }),
  listDeliveries: ({ webhookId }) => ({ webhook_id: webhookId }),
  resendDeliveries: ({ webhookId, eventUuid }) => ({ webhook_id: webhookId, event_uuid: eventUuid }),
  createReplay: ({ webhookId, dates }) => ({ webhook_id: webhookId, ...dates }),
  listReplays: () => ({}),
  getReplay: ({ jobId }) => ({ job_id: jobId }),
  updateApp: ({ app }) => ({ app_id: app.id, rotate_secret: {} }),
}

/** Endpoints that ask for no credentials: they begin, show and end sessions. */
const forAnybody = ['getSession', 'createSession', 'deleteSession', 'createPortalSession', 'createLocalSession']

/** Everything that operators see of the state. */
async function stateOf(stage: Stage): Promise<string> {
  const lists = ['apps', 'webhooks', 'deliveries', 'replays', 'users', 'streams', 'faults', 'disorders', 'inboxes', 'snapshots']
  const answers = await Promise.all(lists.map((list) => stage.operator('GET', `/operator/${list}`)))
  return answers.map(({ text }) => text).join('\n')
}

test('a portal may call only what says so, and that with what is its app’s', async () => {
  await using stage = await setStage()
  await using apps = await setTwoApps(stage)
  const { own, other } = apps
  const portal = asConsole(stage, await signInToPortal(stage, own.app.id))
  assert.deepEqual(
    operatorApi
      .filter(({ auth }) => auth.portal)
      .map(({ name }) => name)
      .sort(),
    Object.keys(permitted).sort(),
  )
  const secrets = [other.app.id, other.app.name, other.webhookId, other.eventUuid, other.jobId, other.receiver.url].map(
    (text) => `"${text}"`,
  )
  for (const [name, paramsOf] of Object.entries(permitted)) {
    const { method, path, json } = requestFor(operatorApi.find((endpoint) => endpoint.name === name)!, paramsOf(own))
    const answer = await portal(method, path, json)
    assert.equal(answer.status, 200, `${name}: ${answer.text}`)
    for (const secret of secrets) assert.ok(!answer.text.includes(secret), `${name} tells ${secret} of another app: ${answer.text}`)
    if (method === 'GET') assert.match(answer.text, new RegExp(`"(${own.app.id}|${own.webhookId})"`), name)
  }
})

test('to a portal everything else is 404, and does nothing', async () => {
  await using stage = await setStage()
  await using apps = await setTwoApps(stage)
  const portal = asConsole(stage, await signInToPortal(stage, apps.own.app.id))
  const before = await stateOf(stage)
  for (const endpoint of operatorApi) {
    if (endpoint.name in permitted || forAnybody.includes(endpoint.name)) continue
    assert.equal(endpoint.auth.name, 'operatorToken', `${endpoint.name} is for anybody, and not in the list of those`)
    for (const id of [apps.own.app.id, apps.other.app.id]) {
      const values = Object.fromEntries(
        Object.keys(endpoint.params)
          .filter((name) => name.endsWith('_id'))
          .map((name) => [name, id]),
      )
      const { method, path, json } = requestFor(endpoint, { ...endpoint.example, ...values })
      const answer = await portal(method, path, json)
      assert.equal(answer.status, 404, `${endpoint.name}: ${answer.text}`)
    }
  }
  assert.equal(await stateOf(stage), before)
})

test('what is another app’s is to a portal as if it did not exist', async () => {
  await using stage = await setStage()
  await using apps = await setTwoApps(stage)
  const { own, other } = apps
  const portal = asConsole(stage, await signInToPortal(stage, own.app.id))
  const before = await stateOf(stage)
  const foreign: Record<string, string> = { app: other.app.id, webhook: other.webhookId, replay: other.jobId }
  const NOBODYS = '888888'
  for (const endpoint of operatorApi)
    for (const [param, owner] of Object.entries(endpoint.auth.portal ?? {})) {
      assert.ok(param in endpoint.params, `${endpoint.name} has no parameter ${param}`)
      const id = param === 'event_uuid' ? other.eventUuid : foreign[owner.replace('?', '')]
      if (id === undefined) continue
      const ask = async (value: string) => {
        const { method, path, json } = requestFor(endpoint, { ...permitted[endpoint.name]!(own), [param]: value })
        const { status, text } = await portal(method, path, json)
        return { status, text: text.replaceAll(value, 'ID') }
      }
      const answer = await ask(id)
      assert.deepEqual(answer, await ask(NOBODYS), `${endpoint.name} with ${param}`)
      if (endpoint.name === 'listDeliveries' && param === 'event_uuid') assert.match(answer.text, /"data":\[\]/)
      else assert.equal(answer.status, 404, `${endpoint.name} with ${param}: ${answer.text}`)
    }
  const byUuid = await portal('GET', `/operator/deliveries?event_uuid=${other.eventUuid}`)
  assert.deepEqual(byUuid.body.data, [])
  const ofUuid = async (uuid: string) => (await portal('GET', `/operator/deliveries?event_uuid=${uuid}&max_results=1&state=delivered`)).text
  assert.equal(await ofUuid(other.eventUuid), await ofUuid(NOBODYS), 'neither that there is such an event nor its state')
  assert.equal((await portal('GET', '/operator/deliveries')).status, 400)
  assert.equal(await stateOf(stage), before)
})

test('a portal may rotate the consumer secret and change nothing else of its app', async () => {
  await using stage = await setStage()
  const portal = asConsole(stage, await signInToPortal(stage, demoApp.id))
  const before = await stateOf(stage)
  const others = [{ name: 'New' }, { suspended: true }, { webhook_limit: 9 }, { usage_cap: null }, { rotate_oauth2_client_secret: {} }]
  for (const change of others) {
    const refused = await portal('PATCH', `/operator/apps/${demoApp.id}`, { ...change, rotate_secret: {} })
    assert.equal(refused.status, 403, refused.text)
    assert.match(refused.body.detail, new RegExp(`may not send ${Object.keys(change)[0]} here`))
  }
  assert.equal(await stateOf(stage), before)
  const rotated = await portal('PATCH', `/operator/apps/${demoApp.id}`, { rotate_secret: { overlap: '0s' } })
  assert.equal(rotated.status, 200, rotated.text)
  await stage.token({ ...demoApp, consumer_secret: rotated.body.data.consumer_secret })
})

test('a portal does not show an event that its app may not have any more', async () => {
  await using stage = await setStage()
  await using apps = await setTwoApps(stage)
  const portal = asConsole(stage, await signInToPortal(stage, demoApp.id))
  const path = `/operator/events/${apps.own.eventUuid}`
  assert.equal((await portal('GET', path)).status, 200)
  assert.equal((await stage.operator('POST', '/operator/tokens/revoke', { app_id: demoApp.id })).status, 200)
  assert.equal((await portal('GET', path)).status, 404)
  assert.equal((await stage.operator('GET', path)).status, 200)
})

test('a portal shows a public event whose filter names no user', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const token = await stage.token()
  const webhookId = await stage.register(receiver.url, token)
  await stage.subscribe(webhookId, token, { event_type: 'news.new', filter: { keyword: 'tides' } })
  const events = [{ event_type: 'news.new', user_id: '102', text: 'tides', payload: { text: 'tides' } }]
  const published = await stage.operator('POST', '/operator/events', { events })
  const eventUuid: string = published.body.data[0].event_uuid
  await stage.deliveriesWhen(`webhook_id=${webhookId}&state=delivered`, (found) => found.length === 1)
  const portal = asConsole(stage, await signInToPortal(stage, demoApp.id))
  const shown = await portal('GET', `/operator/events/${eventUuid}`)
  assert.equal(shown.status, 200, shown.text)
  assert.deepEqual([shown.body.data.payload.text, shown.body.data.deliveries[0].filter], ['tides', { keyword: 'tides' }])
})

test('a link opens a portal once, for ten minutes, and its secret is in no line of the log and not in the audit log', async () => {
  await using stage = await setStage({ fresh: true })
  const made = await stage.operator('POST', `/operator/apps/${demoApp.id}/portal`)
  const url = new URL(made.body.data.url)
  assert.equal(url.href.split('#')[0], `${stage.origins.operator_url}/console/portal`)
  assert.equal(Math.round((Date.parse(made.body.data.expires_at) - stage.clock.now()) / MINUTE_MS), 10)
  const token = url.hash.slice(1)
  assert.match(token, /^[\w-]{60,}$/)
  const opened = await openPortal(stage, token)
  assert.deepEqual([opened.status, opened.body.data.portal.app_id, opened.body.data.portal.app_name], [200, '1', 'Demo'])
  assert.match(opened.headers.get('set-cookie')!, /^postern_operator_\d+=[\w-]+; Max-Age=28800; HttpOnly; SameSite=Strict$/)
  const again = await openPortal(stage, token)
  assert.equal(again.status, 403)
  assert.match(again.body.detail, /used already, has expired, or was ended.*ask the operator for a new one/)
  assert.equal(again.headers.get('set-cookie'), null)
  assert.equal((await openPortal(stage, 'not-a-link')).status, 403)

  const portal = asConsole(stage, cookieOf(opened))
  await portal('PATCH', `/operator/apps/${demoApp.id}`, { rotate_secret: {} })
  const audit = await auditedWhen(stage, 'updateApp')
  assert.deepEqual(
    audit.entries.map(({ action, token_name, target }: Record<string, string>) => [action, token_name, target]),
    [
      ['updateApp', 'portal:1', '/operator/apps/1'],
      ['createPortalSession', 'portal:1', '/operator/portal-session'],
      ['createPortalLink', null, '/operator/apps/1/portal'],
    ],
  )
  assert.ok(!`${JSON.stringify(stage.log)}${audit.text}`.includes(token))

  const late = await portalToken(stage, demoApp.id)
  stage.clock.advance(10 * MINUTE_MS)
  assert.equal((await openPortal(stage, late)).status, 403)
})

test('where the audit log cannot be written no portal is opened', async () => {
  const headers: Record<string, string> = {}
  const services = {
    portals: { useLink: async () => anApp(), claimOf: () => ({ untilMs: 1 }) },
    operatorSessions: { beginPortal: () => 'the cookie' },
    originOf: () => ({ address: '192.0.2.1', origins: [] }),
    audit: { append: () => Promise.reject(new Error('the disk is full')) },
    now: () => 0,
  }
  const call = { params: { token: 'a link' }, request: { method: 'POST', headers: FROM_CONSOLE }, headers }
  await assert.rejects(async () => createPortalSession.handle(call as never, services as never), /the disk is full/)
  assert.deepEqual(headers, {})
})

test('only the page of the console opens a portal', async () => {
  await using stage = await setStage()
  const token = await portalToken(stage, demoApp.id)
  const { 'x-postern-console': header, ...site } = FROM_CONSOLE
  assert.equal((await openPortal(stage, token, site)).status, 403)
  assert.equal((await openPortal(stage, token, { 'x-postern-console': header, 'sec-fetch-site': 'cross-site' })).status, 403)
  assert.equal((await openPortal(stage, token, { 'x-postern-console': header, origin: 'https://elsewhere.example' })).status, 403)
  assert.equal((await openPortal(stage, token)).status, 200)
})

test('a portal ends when its app is suspended, deleted or made anew, and when an operator says so', async () => {
  await using stage = await setStage()
  const endings: [string, (id: string) => Promise<unknown>][] = [
    ['suspended', (id) => stage.operator('PATCH', `/operator/apps/${id}`, { suspended: true })],
    [
      'suspended and resumed',
      async (id) => {
        await stage.operator('PATCH', `/operator/apps/${id}`, { suspended: true })
        await stage.operator('PATCH', `/operator/apps/${id}`, { suspended: false })
      },
    ],
    ['ended', (id) => stage.operator('DELETE', `/operator/apps/${id}/portal`)],
    ['deleted', (id) => stage.operator('DELETE', `/operator/apps/${id}`)],
    [
      'deleted and made anew',
      async (id) => {
        await stage.operator('DELETE', `/operator/apps/${id}`)
        stage.clock.advance(1)
        assert.equal((await stage.operator('POST', '/operator/apps', { id, name: 'Another' })).status, 200)
      },
    ],
  ]
  for (const [how, end] of endings) {
    const { id } = (await stage.operator('POST', '/operator/apps', { name: how })).body.data
    const cookie = await signInToPortal(stage, id)
    const portal = asConsole(stage, cookie)
    const link = await portalToken(stage, id)
    assert.equal((await portal('GET', '/operator/webhooks')).status, 200)
    assert.equal((await portal('GET', '/operator/session')).body.data.portal.app_id, id)
    await end(id)
    assert.equal((await portal('GET', '/operator/webhooks')).status, 401, how)
    assert.equal((await portal('GET', '/operator/session')).body.data.portal, null, how)
    assert.equal((await openPortal(stage, link)).status, 403, how)
  }
  assert.equal((await stage.operator('POST', '/operator/apps/777/portal')).status, 404)
})

test('a portal’s cookie is no operator’s, and signing out removes it', async () => {
  await using stage = await setStage()
  const cookie = await signInToPortal(stage, demoApp.id)
  const portal = asConsole(stage, cookie)
  const { data } = (await portal('GET', '/operator/session')).body
  assert.deepEqual([data.operator, data.portal.app_name], [null, 'Demo'])
  const ended = await portal('DELETE', '/operator/session')
  assert.equal(ended.body.data.signed_out, true)
  assert.match(ended.headers.get('set-cookie')!, /=; Max-Age=0;/)
  const operator = asConsole(stage, await signInToConsole(stage))
  assert.equal((await operator('GET', '/operator/session')).body.data.portal, null)
})

test('the calls of a portal are limited, together for all who have opened it', async () => {
  const file = limitFile({ portalReads: 2, portalActs: 1 })
  await using stage = await setStage({ environment: { POSTERN_RATE_LIMITS: file } })
  const one = asConsole(stage, await signInToPortal(stage, demoApp.id))
  const two = asConsole(stage, await signInToPortal(stage, demoApp.id))
  assert.equal((await one('GET', '/operator/webhooks')).status, 200)
  assert.equal((await two('GET', '/operator/apps')).status, 200)
  assert.equal((await one('GET', '/operator/replays')).status, 429)
  assert.equal((await one('PATCH', '/operator/apps/1', { rotate_secret: {} })).status, 200)
  assert.equal((await two('PATCH', '/operator/apps/1', { rotate_secret: {} })).status, 429)
  assert.equal((await stage.operator('GET', '/operator/webhooks')).status, 200)
})

test('on several processes a link works once, and an end holds for all', async () => {
  await using pair = await setPair({ flavour: 'postgres' })
  const token = await portalToken(pair.one, demoApp.id)
  const answers = await Promise.all([openPortal(pair.one, token), openPortal(pair.other, token)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403])
  const cookie = cookieOf(answers.find(({ status }) => status === 200)!)
  // The name of the cookie has the port, which is the same where a load balancer is in front of them.
  const at = (stage: Stage) => cookie.replace(/_\d+=/, `_${new URL(stage.origins.operator_url).port}=`)
  const ask = (stage: Stage) => asConsole(stage, at(stage))('GET', '/operator/webhooks')
  for (const stage of [pair.one, pair.other]) assert.equal((await ask(stage)).status, 200)
  await pair.other.operator('DELETE', `/operator/apps/${demoApp.id}/portal`)
  for (const stage of [pair.one, pair.other]) assert.equal((await ask(stage)).status, 401)
})
