import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dialects } from '../../src/api/declare/dialect.ts'
import type { WrittenAnswer } from '../../src/api/declare/written-answer.ts'
import { listDeliveries } from '../../src/endpoints/operator/deliveries.ts'
import { publicId } from '../../src/lib/ids.ts'
import type { DeliveryReport, EventLog } from '../../src/storage/event-log.ts'
import type { WebhookStore } from '../../src/storage/webhooks.ts'

const REPORT: DeliveryReport = {
  sequence: 500,
  eventUuid: '9',
  eventType: 'dm.received',
  userId: '101',
  webhookId: '7',
  acceptedAtMs: 0,
  state: 'retrying',
  nextTryAtMs: 1000,
  attempts: [
    { n: 1, atMs: 500, outcome: 'failed', status: 503, latencyMs: 12.6, timing: '2,5,12', error: 'e', response: 'r', replayJobId: null },
  ],
} as unknown as DeliveryReport

/** What the list answers, and what it asks of the log. */
async function list(params: object, webhook?: object, next: number | null = null) {
  const asked: object[] = []
  const eventLog = {
    reportPage: async (query: object) => {
      asked.push(query)
      return { reports: [REPORT], next }
    },
  } as unknown as EventLog
  const webhooks = { byId: async () => webhook } as unknown as WebhookStore
  const answer = (await listDeliveries.handle(
    { params: { max_results: 100, ...params }, caller: {} } as never,
    { eventLog, webhooks, dialect: dialects.spec, retryPlanMs: [5_000] } as never,
  )) as WrittenAnswer
  const written: { data: object[]; meta: object } = JSON.parse(answer.write({ dialect: dialects.spec, problemBaseUrl: '' }))
  return { ...written, asked }
}

test('the list begins before a place, or with the newest', async () => {
  const nothing = { webhookId: undefined, eventUuid: undefined, state: undefined, nextTry: undefined, before: undefined, limit: 100 }
  assert.deepEqual((await list({})).asked, [nothing])
  assert.deepEqual((await list({ before: publicId(77), max_results: 2 })).asked, [{ ...nothing, before: 77, limit: 2 }])
  assert.deepEqual((await list({ webhook_id: '7', event_uuid: '9', state: 'delivered' })).asked, [
    { ...nothing, webhookId: '7', eventUuid: '9', state: 'delivered' },
  ])
  // 2010-01-01T00:00:00.002Z begins with the number 2 × 4096.
  const early = { accepted_to: '2010-01-01T00:00:00.002Z' }
  assert.deepEqual((await list(early)).asked, [{ ...nothing, before: 8192 }])
  assert.deepEqual((await list({ ...early, before: publicId(77) })).asked, [{ ...nothing, before: 77 }])
  assert.deepEqual((await list({ ...early, before: publicId(9000) })).asked, [{ ...nothing, before: 8192 }])
  const [from, to] = ['1970-01-01T00:00:02Z', '1970-01-01T00:00:03.500Z']
  assert.deepEqual((await list({ next_try_from: from, next_try_to: to })).asked, [
    { ...nothing, state: 'retrying', nextTry: { fromMs: 2000, toMs: 3500 } },
  ])
  const [{ nextTry }] = (await list({ next_try_to: to })).asked as [{ nextTry: object }]
  assert.deepEqual(nextTry, { fromMs: 0, toMs: 3500 })
  await assert.rejects(list({ next_try_from: to, next_try_to: from }), {
    message: '$.next_try_from: must be before next_try_to, which is exclusive',
  })
})

test('a page says where the next begins, which the log knows, also where it has cut the page short', async () => {
  assert.deepEqual((await list({ max_results: 2 })).meta, { result_count: 1 })
  assert.deepEqual((await list({ max_results: 2 }, undefined, 77)).meta, { result_count: 1, next_before: publicId(77) })
})

test('a delivery has its webhook, its times in ISO 8601 and its attempts', async () => {
  const attempt = {
    n: 1,
    at: '1970-01-01T00:00:00.500Z',
    outcome: 'failed',
    status: 503,
    latency_ms: 13,
    timing: { resolved_ms: 2, connected_ms: 5, secured_ms: 12, answered_ms: null },
    error: 'e',
    response: 'r',
    replay_job_id: null,
  }
  const delivery = {
    event_uuid: '9',
    event_type: 'dm.received',
    user_id: '101',
    webhook_id: '7',
    accepted_at: '1970-01-01T00:00:00.000Z',
    state: 'retrying',
    next_try_at: '1970-01-01T00:00:01.000Z',
    attempts: [attempt],
  }
  assert.deepEqual((await list({}, { appId: '1', url: 'https://a.example/' })).data, [
    { ...delivery, app_id: '1', url: 'https://a.example/' },
  ])
  assert.deepEqual((await list({})).data, [{ ...delivery, app_id: null, url: null }], 'its webhook was deleted')
})

test('the steps of an attempt are told as they were come to: without TLS, over an open connection, or not at all', async () => {
  const timingOf = async (timing: string) => {
    REPORT.attempts[0]!.timing = timing
    const [delivery] = (await list({})).data as { attempts: { timing?: object }[] }[]
    return delivery!.attempts[0]!.timing
  }
  assert.deepEqual(await timingOf('0,,3,9'), { resolved_ms: 0, connected_ms: 3, secured_ms: null, answered_ms: 9 })
  assert.deepEqual(await timingOf(',,0,4'), { resolved_ms: null, connected_ms: null, secured_ms: null, answered_ms: 4 })
  assert.deepEqual(await timingOf('7'), { resolved_ms: 7, connected_ms: null, secured_ms: null, answered_ms: null })
  assert.equal(await timingOf(''), undefined)
})
