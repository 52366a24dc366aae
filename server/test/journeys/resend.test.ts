import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, otherApp, type Stage, setStage } from '../stage/postern.ts'
import { answerWith, startReceiver } from '../stage/receiver.ts'

const resend = (stage: Stage, json: Record<string, unknown>) => stage.operator('POST', '/operator/deliveries/resend', json)

/** The hour around now. */
const recent = (stage: Stage) => ({
  from: new Date(stage.clock.now() - 1_800_000).toISOString(),
  to: new Date(stage.clock.now() + 1_800_000).toISOString(),
})

const resent = async (stage: Stage, json: Record<string, unknown>): Promise<number> => {
  const answer = await resend(stage, json)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data.resent
}

const ids = (receiver: { events: { data?: { event_uuid?: string } }[] }) => receiver.events.map(({ data }) => data?.event_uuid)

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: a delivery that was given up, not sent or acknowledged is sent again, once each time it is asked for`, async () => {
    await using stage = await setStage({ flavour, environment: { POSTERN_RETRY_PLAN: '10ms' } })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const { token, webhookId } = await stage.connect(receiver)
    receiver.answerPosts(500)
    const [failing] = await stage.publish({ n: 1 })
    await stage.deliveriesWhen(`event_uuid=${failing}`, ([found]) => found.state === 'given_up')
    receiver.intercept = (_request, response) => answerWith(response, 500)
    assert.equal((await stage.api('PUT', `/2/webhooks/${webhookId}`, { token })).status, 400)
    const [kept] = await stage.publish({ n: 2 })

    const refused = await resend(stage, { webhook_id: webhookId, event_uuid: kept })
    assert.equal(refused.status, 400)
    assert.match(refused.body.errors[0].message, /^CrcValidationFailed: .*PUT \/2\/webhooks\//)
    receiver.intercept = undefined
    assert.equal((await stage.api('PUT', `/2/webhooks/${webhookId}`, { token })).status, 200)
    assert.equal(receiver.events.length, 0)

    assert.equal(await resent(stage, { webhook_id: webhookId, event_uuid: failing }), 1)
    await receiver.received(1)
    assert.equal(await resent(stage, { webhook_id: webhookId, event_uuid: kept }), 1)
    await receiver.received(2)
    assert.deepEqual(ids(receiver), [failing, kept])
    await stage.deliveriesWhen('state=delivered', (found) => found.length === 2)
    const posts = receiver.posts
    assert.equal(await resent(stage, { webhook_id: webhookId, event_uuid: kept }), 1)
    await receiver.when(() => receiver.posts === posts + 1)
    const [again] = await stage.deliveriesWhen(`event_uuid=${kept}`, ([found]) => found.attempts.length === 3)
    assert.deepEqual(
      again.attempts.map(({ n, outcome }: { n: number; outcome: string }) => [n, outcome]),
      [
        [1, 'not_sent'],
        [2, 'delivered'],
        [3, 'delivered'],
      ],
    )
  })

  test(`${flavour}: a filter sends again what ended in one state within a time, and nothing else`, async () => {
    await using stage = await setStage({ flavour, environment: { POSTERN_RETRY_PLAN: '10ms' } })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const { webhookId } = await stage.connect(receiver)
    const [early] = await stage.publish({ early: true })
    await stage.deliveriesWhen('state=delivered', (found) => found.length === 1)
    stage.clock.advance(7_200_000)
    await stage.publish({ delivered: true })
    await stage.deliveriesWhen('state=delivered', (found) => found.length === 2)
    receiver.answerPosts(500)
    const failing = await stage.publish({ n: 1 }, { n: 2 }, { n: 3 })
    await stage.deliveriesWhen('state=given_up', (found) => found.length === 3)
    receiver.intercept = undefined
    const posts = receiver.posts
    assert.equal(await resent(stage, { webhook_id: webhookId, state: 'not_sent', ...recent(stage) }), 0)
    assert.equal(await resent(stage, { webhook_id: webhookId, state: 'given_up', ...recent(stage) }), 3)
    await receiver.received(5)
    assert.deepEqual(ids(receiver).slice(2).sort(), failing.sort())
    await stage.deliveriesWhen('state=delivered', (found) => found.length === 5)
    assert.equal(receiver.posts, posts + 3)
    assert.equal(await resent(stage, { webhook_id: webhookId, state: 'given_up', ...recent(stage) }), 0)
    const earlier = { from: new Date(stage.clock.now() - 10_800_000).toISOString(), to: recent(stage).from }
    assert.equal(await resent(stage, { webhook_id: webhookId, state: 'delivered', ...earlier }), 1)
    await receiver.when(() => receiver.posts === posts + 4)
    await stage.deliveriesWhen(`event_uuid=${early}`, ([found]) => found.attempts.length === 2)
  })

  test(`${flavour}: what is pending, in flight or retrying is not sent twice, whoever asks at once`, async () => {
    await using stage = await setStage({ flavour, environment: { POSTERN_RETRY_PLAN: '1h' } })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const { webhookId } = await stage.connect(receiver)
    receiver.answerPosts(500, { 'retry-after': '3600' })
    const [retrying] = await stage.publish({ n: 0 })
    await stage.deliveriesWhen(`event_uuid=${retrying}`, ([found]) => found.state === 'retrying')
    receiver.intercept = undefined
    const [done] = await stage.publish({ n: 1 })
    await receiver.received(1)
    await stage.deliveriesWhen(`event_uuid=${done}`, ([found]) => found.state === 'delivered')
    receiver.hold('POST')
    const waiting = await stage.publish(...Array.from({ length: 6 }, (_, n) => ({ n })))
    await receiver.holding(4)
    for (const event_uuid of [retrying, ...waiting]) assert.equal(await resent(stage, { webhook_id: webhookId, event_uuid }), 0)
    const counts = await Promise.all(Array.from({ length: 10 }, () => resent(stage, { webhook_id: webhookId, event_uuid: done })))
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      1,
    )
    receiver.letGo()
    await receiver.when(() => receiver.posts === 9)
    await stage.deliveriesWhen('state=delivered', (found) => found.length === 7 && found.every(({ attempts }) => attempts.length > 0))
    const [twice] = await stage.deliveriesWhen(`event_uuid=${done}`, ([found]) => found.attempts.length === 2)
    assert.equal(twice.state, 'delivered')
    assert.equal(receiver.posts, 9)
  })

  test(`${flavour}: without a webhook what has not arrived at any is counted, then sent again, and what cannot be is said of its webhook`, async () => {
    await using stage = await setStage({ flavour, environment: { POSTERN_RETRY_PLAN: '10ms' } })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await using second = await startReceiver([demoApp.consumer_secret])
    await using broken = await startReceiver([demoApp.consumer_secret])
    const { token, webhookId } = await stage.connect(receiver)
    const others: string[] = []
    for (const { url } of [second, broken]) {
      const id = await stage.register(url, token)
      await stage.subscribe(id, token)
      others.push(id)
    }
    for (const each of [receiver, second, broken]) each.answerPosts(500)
    await stage.publish({ n: 1 }, { n: 2 })
    await stage.deliveriesWhen('state=given_up', (found) => found.length === 6)
    for (const each of [receiver, second]) each.intercept = undefined
    broken.intercept = (_request, response) => answerWith(response, 500)
    assert.equal((await stage.api('PUT', `/2/webhooks/${others[1]}`, { token })).status, 400)

    const dry = await resend(stage, { ...recent(stage), dry_run: true })
    assert.equal(dry.status, 200, dry.text)
    assert.deepEqual([dry.body.data.resent, dry.body.data.would_resend, dry.body.meta], [0, 4, {}])
    const told = (body: { data: { webhooks: { webhook_id: string; deliveries: number; refused?: string }[] } }) =>
      body.data.webhooks.map(({ webhook_id, deliveries, refused }) => [webhook_id, deliveries, refused !== undefined])
    const everyone = [webhookId, ...others].sort()
    assert.deepEqual(
      told(dry.body),
      everyone.map((id) => [id, 2, id === others[1]]),
    )
    assert.match(dry.text, /is invalid and receives nothing: have its app validate it first with PUT/)
    assert.equal(await resent(stage, { ...recent(stage), app_id: otherApp.id }), 0)
    assert.equal(await resent(stage, { ...recent(stage), event_type: 'follow.follow' }), 0)
    assert.equal(await resent(stage, { ...recent(stage), state: 'delivered' }), 0)
    assert.equal(receiver.events.length + second.events.length, 0)

    assert.equal(await resent(stage, { ...recent(stage), app_id: demoApp.id, event_type: 'dm.received' }), 4)
    await Promise.all([receiver.received(2), second.received(2)])
    await stage.deliveriesWhen('state=delivered', (found) => found.length === 4)
    assert.equal(await resent(stage, recent(stage)), 0)
    await stage.operator('PATCH', `/operator/apps/${demoApp.id}`, { suspended: true })
    const suspended = await resend(stage, { ...recent(stage), state: 'delivered' })
    assert.deepEqual([suspended.body.data.resent, told(suspended.body).length], [0, 2])
    assert.match(suspended.text, /is suspended/)
  })

  test(`${flavour}: without a webhook one call sends 1,000 again, and the next goes on within the same webhook`, async () => {
    await using stage = await setStage({ flavour })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const { webhookId } = await stage.connect(receiver)
    await stage.publish(...Array.from({ length: 1000 }, (_, n) => ({ n })))
    await stage.publish(...Array.from({ length: 20 }, (_, n) => ({ n })))
    await receiver.received(1020)
    const filter = { state: 'delivered', ...recent(stage) }
    await stage.until(async () => (await stage.operator('GET', '/operator/webhooks')).body.data[0].backlog === 0)
    assert.equal((await resend(stage, { ...filter, dry_run: true })).body.data.would_resend, 1020)
    const first = await resend(stage, filter)
    assert.equal(first.body.data.resent, 1000, first.text)
    assert.ok(first.body.meta.next_after.startsWith(`${webhookId}.`), first.text)
    const second = await resend(stage, { ...filter, after: first.body.meta.next_after })
    assert.deepEqual([second.body.data.resent, second.body.meta], [20, {}])
    await receiver.when(() => receiver.posts === 2040)
  })

  test(`${flavour}: one call sends 1,000 again and says where to go on`, async () => {
    await using stage = await setStage({ flavour })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const { webhookId } = await stage.connect(receiver)
    await stage.publish(...Array.from({ length: 1000 }, (_, n) => ({ n })))
    await stage.publish(...Array.from({ length: 20 }, (_, n) => ({ n })))
    await receiver.received(1020)
    const filter = { webhook_id: webhookId, state: 'delivered', ...recent(stage) }
    await stage.until(async () => (await stage.operator('GET', '/operator/webhooks')).body.data[0].backlog === 0)
    const first = await resend(stage, filter)
    assert.equal(first.body.data.resent, 1000, first.text)
    const second = await resend(stage, { ...filter, after: first.body.meta.next_after })
    assert.deepEqual(second.body, { data: { resent: 20 }, meta: {} })
    await receiver.when(() => receiver.posts === 2040)
  })
}

test('a resend that cannot be is refused by name', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const { webhookId } = await stage.connect(receiver)
  const refused = async (json: Record<string, unknown>, status: number, says: RegExp) => {
    const answer = await resend(stage, json)
    assert.equal(answer.status, status, answer.text)
    assert.match(answer.text, says)
  }
  const from = '2026-03-01T12:00:00Z'
  await refused({ webhook_id: '1', event_uuid: '5' }, 404, /There is no webhook 1\./)
  await refused({ webhook_id: webhookId, event_uuid: '5' }, 404, /has no delivery of the event 5/)
  await refused({ webhook_id: webhookId }, 400, /exactly one of/)
  await refused({ webhook_id: webhookId, event_uuid: '5', state: 'delivered' }, 400, /exactly one of/)
  await refused({ webhook_id: webhookId, state: 'delivered', from }, 400, /`?to`? is required/)
  await refused({ webhook_id: webhookId, state: 'retrying', from, to: from }, 400, /state/)
  await refused({ webhook_id: webhookId, state: 'delivered', from, to: from }, 400, /must be before to/)
  const window = { from, to: '2026-03-01T13:00:00Z' }
  await refused({}, 400, /`?from`? is required without `?webhook_id/)
  await refused({ ...window, app_id: '99' }, 404, /There is no app 99\./)
  await refused({ ...window, app_id: demoApp.id, webhook_id: webhookId, state: 'delivered' }, 400, /at most one of `?app_id/)
  await refused({ ...window, event_type: 'no.such' }, 400, /event_type/)
  await refused({ ...window, webhook_id: webhookId, state: 'delivered', after: '1.2' }, 400, /after: must be/)
  await stage.operator('PATCH', `/operator/apps/${demoApp.id}`, { suspended: true })
  await refused({ webhook_id: webhookId, event_uuid: '5' }, 409, /suspended/)
})
