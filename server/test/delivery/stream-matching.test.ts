import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matcherOf } from '../../src/delivery/matching.ts'
import type { Candidate } from '../../src/storage/subscriptions.ts'

interface Subscribed {
  id: string
  appId?: string
  webhookId?: string | null
  streamedAtMs?: number | null
  keyword?: string
}

const candidate = ({ id, appId = '1', webhookId = null, streamedAtMs = null, keyword }: Subscribed): Candidate => ({
  subscription: {
    id,
    appId,
    webhookId,
    eventType: 'news.new',
    tag: null,
    createdAtMs: 0,
    updatedAtMs: 0,
    filter: keyword === undefined ? {} : { keyword },
  },
  webhook: webhookId === null ? null : { id: webhookId, valid: true },
  streamedAtMs,
  appSuspended: false,
  isCounted: false,
  quotas: null,
  consent: null,
})

/** The ids of the subscriptions by which an event goes to webhooks and to streams; apps have used their streams since 1000. */
function matchedBy(...subscribed: Subscribed[]) {
  const { webhooks, streams } = matcherOf(subscribed.map(candidate), 1000)({ eventType: 'news.new', userId: '9', text: 'a b' })
  return { webhooks: webhooks.map(({ subscription }) => subscription.id), streams: streams.map(({ subscription }) => subscription.id) }
}

test('an event goes to the stream of an app by a subscription without a webhook', () => {
  assert.deepEqual(matchedBy({ id: '1' }), { webhooks: [], streams: ['1'] })
})

test('an event goes to a webhook alone while its app has not used its stream lately', () => {
  assert.deepEqual(matchedBy({ id: '1', webhookId: 'w' }), { webhooks: ['1'], streams: [] })
  assert.deepEqual(matchedBy({ id: '1', webhookId: 'w', streamedAtMs: 1000 }), { webhooks: ['1'], streams: [] })
  assert.deepEqual(matchedBy({ id: '1', webhookId: 'w', streamedAtMs: 1001 }), { webhooks: ['1'], streams: ['1'] })
})

test('each app has the event once in its stream, by its oldest subscription that matches', () => {
  const subscribed = [
    { id: '1', keyword: 'z' },
    { id: '2', webhookId: 'w', keyword: 'a' },
    { id: '3', appId: '2' },
    { id: '4' },
    { id: '5', appId: '3', webhookId: 'v' },
  ]
  assert.deepEqual(matchedBy(...subscribed), { webhooks: ['2', '5'], streams: ['2', '3'] })
})
