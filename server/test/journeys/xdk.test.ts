import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { test } from 'node:test'
import { ApiError, Client } from '@xdevplatform/xdk'
import { formatMinute } from '../../src/endpoints/webhooks/start-replay.ts'
import { MINUTE_MS } from '../../src/lib/time.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { startReceiver, type TestReceiver } from '../stage/receiver.ts'

const inX = () => setStage({ environment: { POSTERN_DIALECT: 'x' } })

/** The client obtains tokens of users only: those who use it with an app-only token ask for it themselves. */
const clientOf = async (stage: Stage) => new Client({ baseUrl: stage.origins.base_url, bearerToken: await stage.token() })

/** Keeps the headers of every request that the receiver goes on to answer. */
function keepHeaders(receiver: TestReceiver) {
  const kept: Record<'GET' | 'POST', IncomingHttpHeaders[]> = { GET: [], POST: [] }
  receiver.intercept = (request) => {
    kept[request.method as 'GET' | 'POST'].push(request.headers)
    return false
  }
  return kept
}

/** What the client threw. */
async function thrownBy(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => assert.fail('the call succeeded'),
    (thrown) => thrown,
  )
  assert.ok(error instanceof ApiError, String(error))
  return error
}

/** The last minute and the running one, as the client spells them. */
const lastMinutes = (stage: Stage) => ({
  fromDate: formatMinute(stage.clock.now() - MINUTE_MS),
  toDate: formatMinute(stage.clock.now() + MINUTE_MS),
})

test('the public client registers, lists, validates and deletes a webhook', async () => {
  await using stage = await inX()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const headers = keepHeaders(receiver)
  const { webhooks } = await clientOf(stage)
  assert.deepEqual(await webhooks.get(), { data: [], meta: { resultCount: 0 } })

  const { data: created } = await webhooks.create({ url: receiver.url })
  assert.match(created?.id ?? '', /^[0-9]{1,19}$/)
  assert.match(created?.createdAt ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual(created, { id: created?.id, url: receiver.url, valid: true, createdAt: created?.createdAt })

  const id = created!.id!
  assert.deepEqual(await webhooks.get(), { data: [created], meta: { resultCount: 1 } })
  const narrowed = await webhooks.get({ webhookConfigFields: ['id', 'created_at'] })
  assert.deepEqual(narrowed.data, [{ id, createdAt: created?.createdAt }])
  assert.deepEqual(await webhooks.validate(id), { data: { valid: true } })
  assert.equal(receiver.challenges, 2)
  for (const { 'x-twitter-webhooks-signature': signature } of headers.GET) assert.match(String(signature), /^sha256=/)

  assert.deepEqual(await webhooks.delete(id), { data: { deleted: true } })
  assert.deepEqual(await webhooks.get(), { data: [], meta: { resultCount: 0 } })
})

test('the public client subscribes a webhook, and receives signed events with the header of the dialect', async () => {
  await using stage = await inX()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const headers = keepHeaders(receiver)
  const { webhooks, activity } = await clientOf(stage)
  const { data: webhook } = await webhooks.create({ url: receiver.url })
  const filter = { userId: '101', direction: 'inbound' as const }
  const { data } = await activity.createSubscription({ eventType: 'dm.received', filter, tag: 'mine', webhookId: webhook!.id! })
  const { subscription } = data!
  assert.deepEqual(
    { ...subscription, subscriptionId: '', createdAt: '', updatedAt: '' },
    {
      subscriptionId: '',
      createdAt: '',
      updatedAt: '',
      tag: 'mine',
      webhookId: webhook!.id,
      eventType: 'dm.received',
      filter: { userId: '101', direction: 'received' },
      state: 'active',
    },
  )

  const [uuid] = await stage.publish({ direct_message_events: [{ id: '1' }] })
  const [event] = await receiver.received(1)
  assert.deepEqual([event?.data?.event_uuid, event?.data?.tag], [uuid, 'mine'])
  assert.match(String(headers.POST[0]?.['x-twitter-webhooks-signature']), /^sha256=/)
  assert.ok(!('x-service-webhooks-signature' in headers.POST[0]!))
})

test('the public client changes the tag and the webhook of a subscription', async () => {
  await using stage = await inX()
  await using first = await startReceiver([demoApp.consumer_secret])
  await using second = await startReceiver([demoApp.consumer_secret])
  const { webhooks, activity } = await clientOf(stage)
  const [firstId, secondId] = [
    (await webhooks.create({ url: first.url })).data!.id!,
    (await webhooks.create({ url: second.url })).data!.id!,
  ]
  const { data } = await activity.createSubscription({ eventType: 'dm.received', filter: { userId: '101' }, webhookId: firstId })
  const { subscriptionId, createdAt } = data!.subscription!
  const { data: updated } = await activity.updateSubscription(subscriptionId!, { tag: 'moved', webhookId: secondId })
  assert.deepEqual(
    { ...updated?.subscription, updatedAt: '' },
    {
      subscriptionId,
      createdAt,
      updatedAt: '',
      tag: 'moved',
      webhookId: secondId,
      eventType: 'dm.received',
      filter: { userId: '101' },
      state: 'active',
    },
  )
  assert.equal(updated?.totalSubscriptions, 1)
  await stage.publish({})
  assert.equal((await second.received(1))[0]?.data?.tag, 'moved')
})

test('the public client lists subscriptions page by page, and deletes one and several', async () => {
  await using stage = await inX()
  const { activity } = await clientOf(stage)
  const ids: string[] = []
  for (const userId of ['1', '2', '3', '4']) {
    const { data } = await activity.createSubscription({ eventType: 'profile.update.verified_badge', filter: { userId } })
    assert.equal(data?.subscription?.eventType, 'profile.update.verified')
    ids.push(data!.subscription!.subscriptionId!)
  }
  type Listed = Awaited<ReturnType<typeof activity.getSubscriptions>> & { meta: { resultCount: number; nextToken?: string } }
  const first = (await activity.getSubscriptions({ maxResults: 3 })) as Listed
  const second = (await activity.getSubscriptions({ maxResults: 3, paginationToken: first.meta.nextToken! })) as Listed
  assert.deepEqual([first.meta.resultCount, second.meta.resultCount, second.meta.nextToken], [3, 1, undefined])
  assert.deepEqual(
    [...first.data!, ...second.data!].map(({ subscriptionId }) => subscriptionId),
    ids,
  )

  const [one = '', ...several] = ids
  assert.deepEqual(await activity.deleteSubscription(one), { data: { deleted: true }, meta: { totalSubscriptions: 3 } })
  assert.deepEqual(await activity.deleteSubscriptionsByIds(several), { data: { deleted: true }, meta: { totalSubscriptions: 0 } })
  assert.deepEqual((await activity.getSubscriptions()).data, [])
})

test('the public client creates a replay job, reads it inside `data`, and receives the signed event and the signed end of the job', async () => {
  await using stage = await inX()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const { webhooks, activity } = await clientOf(stage)
  const { data: webhook } = await webhooks.create({ url: receiver.url })
  const webhookId = webhook!.id!
  await activity.createSubscription({ eventType: 'dm.received', filter: { userId: '101' }, webhookId })
  await stage.publish({})
  await receiver.received(1)
  const headers = keepHeaders(receiver)

  const answer = await webhooks.createWebhookReplayJob({ webhookId, ...lastMinutes(stage) })
  assert.deepEqual(Object.keys(answer), ['data'])
  const { jobId, createdAt } = answer.data!
  assert.match(jobId, /^[0-9]{1,19}$/)
  assert.equal(createdAt, new Date(createdAt).toISOString())

  const events = await receiver.received(2)
  assert.deepEqual(events[1]?.replay_job_status, {
    webhook_id: webhookId,
    job_state: 'Complete',
    job_state_description: 'Job completed successfully',
    job_id: jobId,
  })
  assert.equal(headers.POST.length, 2)
  for (const { 'x-twitter-webhooks-signature': signature } of headers.POST) assert.match(String(signature), /^sha256=/)
})

test('the public client gets errors with their reasons', async () => {
  await using stage = await inX()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const { webhooks, activity } = await clientOf(stage)
  const { data: webhook } = await webhooks.create({ url: receiver.url })
  const message = async (call: Promise<unknown>, status: number) => {
    const error = await thrownBy(call)
    assert.equal(error.status, status)
    assert.match(error.headers.get('content-type') ?? '', /^application\/problem\+json/)
    return error.data.errors?.[0].message ?? error.data.detail
  }
  assert.match(await message(webhooks.create({ url: receiver.url }), 400), /^DuplicateUrlFailed: /)
  assert.match(await message(webhooks.create({ url: 'http://example.com/' }), 400), /^UrlValidationFailed: /)
  assert.match(await message(webhooks.delete('1'), 400), /^WebhookIdInvalid: /)
  assert.match(await message(webhooks.validate('1'), 400), /^WebhookIdInvalid: /)
  const dates = { fromDate: '2026', toDate: '2026' }
  assert.match(
    await message(webhooks.createWebhookReplayJob({ webhookId: webhook!.id!, ...dates }), 400),
    /^from_date must be a UTC minute like 202603011200 \(yyyymmddhhmm\)$/,
  )
  assert.match(await message(activity.deleteSubscription('1'), 404), /^Could not find/)
  const stranger = new Client({ baseUrl: stage.origins.base_url, bearerToken: 'nobody' })
  assert.equal((await thrownBy(stranger.webhooks.get())).status, 401)
})
