import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Origins } from '../../src/assemble.ts'
import { call } from '../stage/call.ts'
import { seedConsent } from '../stage/consent.ts'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, OPERATOR_TOKEN, otherApp, SECRET, type Stage, setStage } from '../stage/postern.ts'
import { PosternProcess } from '../stage/postern-process.ts'

const flavours = databasesOf(import.meta)

const DM = ['dm.received']

async function createInbox(stage: Stage, json: Record<string, unknown> = { events: DM, user_ids: ['101'] }) {
  const answer = await stage.operator('POST', '/operator/inboxes', json)
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data
}

const eventsOf = async (stage: Stage, inbox: { id: string }, query = 'wait=10s') => {
  const answer = await stage.operator('GET', `/operator/inboxes/${inbox.id}/events?${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

const sign = (body: string, secret = demoApp.consumer_secret) => `sha256=${createHmac('sha256', secret).update(body).digest('base64')}`

const send = (url: string, body: string, signature = sign(body)) =>
  fetch(url, { method: 'POST', body, headers: { 'x-service-webhooks-signature': signature } })

for (const flavour of flavours)
  test(`${flavour}: an inbox is challenged, subscribed and given events, whose signatures it verifies`, async () => {
    await using stage = await setStage({ flavour })
    const inbox = await createInbox(stage)
    assert.match(inbox.url, /^http:\/\/127\.0\.0\.1:\d+\/inboxes\/[A-Za-z0-9]{22}$/)
    assert.deepEqual([inbox.app_id, inbox.received, inbox.dropped], ['1', 0, 0])
    assert.deepEqual(
      inbox.subscriptions.map(({ event_type, filter, webhook_id, state }: Record<string, unknown>) => [
        event_type,
        filter,
        webhook_id,
        state,
      ]),
      [['dm.received', { user_id: '101' }, inbox.webhook_id, 'active']],
    )
    const webhook = (await stage.operator('GET', '/operator/webhooks')).body.data[0]
    assert.deepEqual([webhook.id, webhook.url, webhook.valid, webhook.last_challenge.result], [inbox.webhook_id, inbox.url, true, 'passed'])

    const waiting = eventsOf(stage, inbox)
    const [uuid] = await stage.publish({ n: 1, big: 12345678901234567890n })
    const { data, meta } = await waiting
    assert.deepEqual(meta, { next: 1 })
    assert.deepEqual(
      data.map(({ received_at, signature, event, ...rest }: Record<string, unknown>) => rest),
      [{ sequence: 1, event_uuid: uuid, event_type: 'dm.received', user_id: '101', verified: true, duplicate: false }],
    )
    assert.match(data[0].signature, /^sha256=/)
    assert.deepEqual(Object.keys(data[0].event.data), ['event_uuid', 'filter', 'event_type', 'payload'])
    assert.deepEqual((await eventsOf(stage, inbox, 'event_type=dm.sent')).data, [])
    await stage.publish({ n: 2 })
    const next = await eventsOf(stage, inbox, 'after=1&wait=10s')
    assert.deepEqual([next.meta.next, next.data[0].event.data.payload], [2, { n: 2 }])
    const [listed] = (await stage.operator('GET', '/operator/inboxes')).body.data
    assert.deepEqual([listed.id, listed.received], [inbox.id, 2])
  })

test('without a choice an inbox gets every event that users have granted the first app', async () => {
  const users = ['101', '102', '103'].map((id) => ({ id, username: `user${id}` }))
  const tokens = [seedConsent(demoApp, '101'), seedConsent(demoApp, '102', 'read'), seedConsent(otherApp, '103')]
  await using stage = await setStage({ seed: { apps: [demoApp, otherApp], users, tokens } })
  const { subscriptions } = await createInbox(stage, {})
  const pairs = subscriptions.map(({ event_type, filter }: { event_type: string; filter: { user_id?: string } }) => [
    event_type,
    filter.user_id,
  ])
  const has = (type: string) => pairs.filter(([name]: string[]) => name === type).map(([, user]: string[]) => user)
  assert.deepEqual(has('dm.received'), ['101'])
  assert.deepEqual(has('post.create'), ['101', '102'])
  assert.deepEqual(has('like.create'), ['101', '102'])
  assert.deepEqual(has('oauth.revoke'), ['101', '102'])
  assert.deepEqual(has('news.new'), [])
})

test('an inbox of another app verifies with its secret, also after a rotation', async () => {
  await using stage = await setStage()
  const inbox = await createInbox(stage, { app_id: '2', events: DM, user_ids: ['101'] })
  await stage.publish({ n: 1 })
  assert.equal((await eventsOf(stage, inbox)).data[0].verified, true)
  const rotated = await stage.operator('PATCH', '/operator/apps/2', { rotate_secret: { overlap: '1h' } })
  assert.equal(rotated.status, 200, rotated.text)
  await stage.publish({ n: 2 })
  assert.equal((await eventsOf(stage, inbox, 'after=1&wait=10s')).data[0].verified, true)
  stage.clock.advance(2 * 3_600_000)
  await stage.publish({ n: 3 })
  assert.equal((await eventsOf(stage, inbox, 'after=2&wait=10s')).data[0].verified, true)
})

test('a duplicate is marked, a wrong signature and a body that is not JSON are kept and refused, an unknown inbox is gone', async () => {
  await using stage = await setStage()
  const inbox = await createInbox(stage)
  const body = '{"data":{"event_uuid":"7","filter":{"user_id":"101"},"event_type":"dm.received","payload":{}}}'
  const statuses = []
  for (const [text, signature] of [[body], [body], [body, sign(body, 'wrong')], ['no json']] as [string, string?][])
    statuses.push((await send(inbox.url, text, signature)).status)
  assert.deepEqual(statuses, [200, 200, 401, 400])
  const { data } = await eventsOf(stage, inbox)
  assert.deepEqual(
    data.map((event: Record<string, unknown>) => [event.verified, event.duplicate, event.event_uuid, event.event_type]),
    [
      [true, false, '7', 'dm.received'],
      [true, true, '7', 'dm.received'],
      [false, false, null, null],
      [true, false, null, null],
    ],
  )
  assert.equal(data[3].event, 'no json')
  assert.equal((await send(`${inbox.url.slice(0, -1)}_`, body)).status, 410)
  assert.equal((await send(inbox.url.replace('/inboxes/', '/'), body)).status, 410)
  assert.equal((await fetch(`${inbox.url}?crc_token=a-token-of-the-tests`)).status, 401)
  assert.equal((await fetch(inbox.url, { method: 'PUT' })).status, 405)
})

test('an inbox keeps its last 1,000 events', async () => {
  await using stage = await setStage()
  const inbox = await createInbox(stage)
  await stage.publish(...Array.from({ length: 1000 }, (_, n) => ({ n })))
  await stage.publish({ n: 1000 }, { n: 1001 })
  const full = await stage.until(async () => {
    const [listed] = (await stage.operator('GET', '/operator/inboxes')).body.data
    return listed.received === 1002 && listed
  })
  assert.equal(full.dropped, 2)
  const { data } = await eventsOf(stage, inbox, 'max_results=1000')
  assert.deepEqual([data.length, data[0].sequence, data.at(-1).sequence], [1000, 3, 1002])
})

test('where nothing came it says what was attempted instead', async () => {
  await using stage = await setStage({ environment: { POSTERN_RETRY_PLAN: '1h' } })
  const inbox = await createInbox(stage)
  const explanation = async (query = '') => (await eventsOf(stage, inbox, query)).meta.explanation
  assert.match((await explanation()).join(), /^No event was published since \d{4}-/)
  assert.match((await explanation('event_type=dm.sent')).join(), /^No dm\.sent was published since /)

  const publish = (event: object) => stage.operator('POST', '/operator/events', { payload: {}, ...event })
  await publish({ event_type: 'dm.sent', user_id: '101', event_uuid: '71' })
  await publish({ event_type: 'dm.received', user_id: '102', event_uuid: '72' })
  assert.deepEqual(
    (await explanation()).map((sentence: string) => sentence.replace(/at \d{4}-[^,]*/, 'at …')),
    [
      'dm.sent 71 for user 101 was published at …, but no subscription of this inbox matches: it subscribes to dm.received.',
      'dm.received 72 for user 102 was published at …, but no subscription of this inbox matches: it subscribes to dm.received of 101.',
    ],
  )
  await publish({ event_type: 'dm.received', user_id: '101', event_uuid: '73' })
  await eventsOf(stage, inbox)
  assert.match((await explanation('event_type=dm.sent')).join(), /Other events came: dm\.received \(1\)\./)
  await publish({ event_type: 'dm.received', user_id: '101', event_uuid: '73' })
  assert.match((await explanation('after=1')).join(), /dm\.received 73 was published again with the same event_uuid/)

  await stage.operator('POST', '/operator/tokens/revoke', { app_id: '1', user_id: '101' })
  await publish({ event_type: 'dm.received', user_id: '101', event_uuid: '74' })
  assert.match((await explanation('after=1')).join(), /dm\.received 74 .* the user must have granted the app 1/)
})

test('it says what became of the deliveries that it did not get', async () => {
  await using stage = await setStage()
  const inbox = await createInbox(stage)
  const held = await stage.operator('PATCH', '/operator/apps/1', { suspended: true })
  assert.equal(held.status, 200, held.text)
  await stage.publish({ n: 1 })
  const { meta } = await eventsOf(stage, inbox, '')
  assert.match(meta.explanation.join(), /The delivery of dm\.received \d+ was not sent: app suspended/)
})

test('a delivery that ended before the last event that was seen is no reason', async () => {
  await using stage = await setStage()
  const inbox = await createInbox(stage)
  await stage.operator('PATCH', '/operator/apps/1', { suspended: true })
  await stage.publish({ n: 1 })
  await stage.operator('PATCH', '/operator/apps/1', { suspended: false })
  await stage.operator('POST', '/operator/clock', { advance: '1s' })
  await stage.publish({ n: 2 })
  assert.equal((await eventsOf(stage, inbox)).data.length, 1)
  const { explanation } = (await eventsOf(stage, inbox, 'after=1')).meta
  assert.equal(explanation.length, 1)
  assert.match(explanation[0], /^No event was published since \d{4}-/)
})

test('a wait ends after its time, with the server, and not because the clock was moved', async () => {
  await using stage = await setStage()
  const inbox = await createInbox(stage)
  assert.deepEqual((await eventsOf(stage, inbox, 'wait=20ms')).data, [])
  const waiting = eventsOf(stage, inbox, 'wait=60s')
  await stage.operator('POST', '/operator/clock', { advance: '2m' })
  await stage.publish({ n: 1 })
  assert.equal((await waiting).data.length, 1)
  const refused = await stage.operator('GET', `/operator/inboxes/${inbox.id}/events?wait=61s`)
  assert.deepEqual([refused.status, refused.body.errors[0].message], [400, '$.wait: must be at most 60s'])
  const last = eventsOf(stage, inbox, 'after=1&wait=60s')
  await stage.operator('GET', '/operator/inboxes')
  await stage.restart()
  assert.deepEqual((await last).data, [])
})

test('an inbox is gone with its webhook: after DELETE, with its app, after a reset and after a restart', async () => {
  await using stage = await setStage()
  const webhooks = async () => (await stage.operator('GET', '/operator/webhooks')).body.data.map(({ id }: { id: string }) => id)
  const isGone = async ({ id }: { id: string }) => (await stage.operator('GET', `/operator/inboxes/${id}/events`)).status === 404
  const inbox = await createInbox(stage)
  assert.equal((await stage.operator('DELETE', `/operator/inboxes/${inbox.id}`)).body.data.deleted, true)
  assert.deepEqual([await isGone(inbox), await webhooks()], [true, []])

  const ofOther = await createInbox(stage, { app_id: '2', events: DM, user_ids: ['101'] })
  await stage.operator('DELETE', '/operator/apps/2')
  await stage.until(() => isGone(ofOther))

  const deleted = await createInbox(stage)
  await stage.api('DELETE', `/2/webhooks/${deleted.webhook_id}`, { token: await stage.token() })
  await stage.until(() => isGone(deleted))

  const former = await createInbox(stage)
  await stage.operator('POST', '/operator/reset', {})
  assert.deepEqual([await isGone(former), await webhooks()], [true, []])

  const last = await createInbox(stage)
  await stage.restart()
  assert.deepEqual([await isGone(last), await webhooks()], [true, []])
})

for (const flavour of flavours)
  test(`${flavour}: after a restore an inbox goes on, and neither an inbox nor a webhook of one is left alone`, async () => {
    await using stage = await setStage({ flavour })
    const [inbox, deleted] = [await createInbox(stage), await createInbox(stage)]
    const { id } = (await stage.operator('POST', '/operator/snapshots', {})).body.data
    await stage.operator('DELETE', `/operator/inboxes/${deleted.id}`)
    const later = await createInbox(stage)
    const restored = await stage.operator('POST', `/operator/snapshots/${id}/restore`, {})
    assert.equal(restored.status, 200, restored.text)
    const ids = async (path: string) => (await stage.operator('GET', path)).body.data.map((one: { id: string }) => one.id)
    assert.deepEqual(await ids('/operator/inboxes'), [inbox.id])
    assert.deepEqual(await ids('/operator/webhooks'), [inbox.webhook_id])
    assert.equal((await stage.operator('GET', `/operator/inboxes/${later.id}/events`)).status, 404)
    await stage.publish({ n: 1 })
    assert.deepEqual((await eventsOf(stage, inbox)).data[0].event.data.payload, { n: 1 })
  })

test('what an inbox of a killed process leaves is removed by the next start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-inboxes-'))
  await using _ = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
  const operator = (origins: Origins, method: string, path: string, json?: unknown) =>
    call(origins.base_url + path, method, { token: OPERATOR_TOKEN, json })
  const first = new PosternProcess({}, folder)
  await using _first = { [Symbol.asyncDispose]: async () => void (await first.end('SIGKILL')) }
  const origins = await first.ready()
  assert.equal((await operator(origins, 'POST', '/operator/inboxes', { events: DM })).status, 201)
  await first.end('SIGKILL')
  const next = new PosternProcess({}, folder)
  await using _next = { [Symbol.asyncDispose]: async () => void (await next.end('SIGTERM')) }
  assert.deepEqual((await operator(await next.ready(), 'GET', '/operator/webhooks')).body.data, [])
})

test('what cannot be subscribed is refused by name, and leaves nothing behind', async () => {
  await using stage = await setStage()
  const refused = async (json: Record<string, unknown>, status: number, says: RegExp) => {
    const answer = await stage.operator('POST', '/operator/inboxes', json)
    assert.equal(answer.status, status, answer.text)
    assert.match(answer.text, says)
    assert.deepEqual((await stage.operator('GET', '/operator/webhooks')).body.data, [])
    assert.deepEqual((await stage.operator('GET', '/operator/inboxes')).body.data, [])
  }
  await refused({ app_id: '9' }, 404, /There is no app 9/)
  await refused({ events: ['news.new'] }, 400, /news\.new needs filter\.keyword/)
  await refused({ events: DM, user_ids: ['999'] }, 403, /dm\.received is private/)
  await refused({ events: [...DM, 'dm.recieved'] }, 400, /\$\.events\.1: dm\.recieved is no event type\. Did you mean dm\.received\?/)
  await refused({ events: DM, user_ids: ['101', 'adda'] }, 400, /\$\.user_ids\.1: no user has the username adda/)
  await refused({ user_ids: Array.from({ length: 1000 }, (_, n) => String(1000 + n)) }, 400, /name fewer `events` or `user_ids`/)
  await stage.operator('PATCH', '/operator/apps/1', { suspended: true })
  await refused({}, 409, /The app 1 is suspended/)
})

test('in production there is no inbox', async () => {
  await using stage = await setStage({ environment: { POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '0' } })
  for (const [method, path] of [
    ['POST', ''],
    ['GET', ''],
    ['GET', '/Qm3vR8sT1uW5xY7zA2bC4d/events'],
    ['DELETE', '/Qm3vR8sT1uW5xY7zA2bC4d'],
  ] as const)
    assert.equal((await stage.operator(method, `/operator/inboxes${path}`, method === 'POST' ? {} : undefined)).status, 404)
})
