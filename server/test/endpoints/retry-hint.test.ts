import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryHint } from '../../src/endpoints/operator/retry-hint.ts'
import type { DeliveryReport } from '../../src/storage/event-log.ts'

const PLAN = [30_000, 300_000]
const AT_MS = 1_700_000_000_000

const retried = (waitedMs: number, more: Partial<DeliveryReport> = {}): DeliveryReport => ({
  sequence: 1,
  eventUuid: '1',
  eventType: 'post.create',
  userId: '101',
  webhookId: '2',
  acceptedAtMs: AT_MS,
  state: 'retrying',
  nextTryAtMs: AT_MS + 100 + waitedMs,
  attempts: [
    { atMs: AT_MS, latencyMs: 100, status: 503, outcome: 'failed', error: 'HTTP 503', response: '', timing: '', n: 1, replayJobId: null },
  ],
  ...more,
})

test('a retry that comes later than its plan is said to follow the Retry-After of the callback', () => {
  assert.equal(
    retryHint(retried(120_000), PLAN),
    "The callback's Retry-After set this time. Without it the attempt would follow within 30 s.",
  )
  assert.equal(
    retryHint(retried(3_600_000), PLAN),
    "The callback's Retry-After set this time. At most one hour of it counts. Without it the attempt would follow within 30 s.",
  )
})

test('a retry within its plan, and a delivery that is not retried, are said nothing of', () => {
  assert.equal(retryHint(retried(30_000), PLAN), undefined)
  assert.equal(retryHint(retried(120_000, { state: 'pending' }), PLAN), undefined)
  assert.equal(retryHint(retried(120_000, { nextTryAtMs: null }), PLAN), undefined)
  assert.equal(retryHint(retried(120_000, { attempts: [] }), PLAN), undefined)
})
