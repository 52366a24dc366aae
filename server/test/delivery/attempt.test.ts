import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attemptOf, notSent } from '../../src/delivery/attempt.ts'
import type { Outcome } from '../../src/delivery/send/outcome.ts'

const answered = (status: number, body = 'text') =>
  ({
    kind: 'answered',
    status,
    headers: {},
    body: Buffer.from(body),
    truncated: false,
    latencyMs: 12.4,
    timing: '2,5,12,40',
    restricted: false,
  }) as unknown as Outcome
const failed = { kind: 'failed', stage: 'timeout', message: 'late', latencyMs: 10.6, timing: '2', restricted: false } as unknown as Outcome

test('an answer is an attempt with its status and text: any 2xx acknowledges, everything else fails and says so', () => {
  const base = { atMs: 5, latencyMs: 12, timing: '2,5,12,40', response: 'text' }
  for (const status of [200, 202, 204, 299])
    assert.deepEqual(attemptOf(answered(status), 5, []), { ...base, status, outcome: 'delivered', error: '' })
  for (const status of [199, 400, 410, 500])
    assert.deepEqual(attemptOf(answered(status), 5, []), {
      ...base,
      status,
      outcome: 'failed',
      error: `answered ${status}; any 2xx acknowledges an event`,
    })
  for (const status of [300, 302, 399])
    assert.deepEqual(attemptOf(answered(status), 5, []).error, `answered ${status}, a redirect, which is never followed`)
})

test('a failure is an attempt without a status and a text', () => {
  assert.deepEqual(attemptOf(failed, 5, []), {
    atMs: 5,
    latencyMs: 11,
    timing: '2',
    status: null,
    outcome: 'failed',
    error: 'late',
    response: '',
  })
})

test('what is not sent took no time', () => {
  assert.deepEqual(notSent('webhook invalid', 5), {
    atMs: 5,
    latencyMs: 0,
    timing: '',
    status: null,
    outcome: 'not_sent',
    error: 'webhook invalid',
    response: '',
  })
})
