import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { createRecorder } from '../../src/delivery/dispatch/record-attempts.ts'
import type { Attempt, Delivery } from '../../src/storage/event-log.ts'

const delivery = { eventUuid: '9', eventType: 'dm.received', webhookId: '7', attempts: 0 } as Delivery
const attempt = (outcome: Attempt['outcome']): Attempt => ({
  atMs: 0,
  latencyMs: 5,
  timing: '',
  status: 500,
  outcome,
  error: 'answered 500; any 2xx acknowledges an event',
  response: 'what the callback said',
})

/** The log line of an attempt. */
function lineOf(outcome: Attempt['outcome'], explains?: (of: Attempt) => Record<string, string>) {
  const lines: string[] = []
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(line) })
  const log = { acknowledge: async () => {}, flush: async () => {} }
  createRecorder({ log, logger, explains, retryAt: () => {} } as never).note(delivery, attempt(outcome), {
    kind: 'live',
    destination: 'missing',
    nextAtMs: null,
  })
  return JSON.parse(lines[0]!)
}

const answer = ({ response }: Attempt) => ({ response })

test('the log line of an attempt repeats nothing of the answer, unless it is told to for a failed one', () => {
  assert.ok(!JSON.stringify(lineOf('failed')).includes('what the callback said'))
  assert.ok(!JSON.stringify(lineOf('delivered', answer)).includes('what the callback said'))
  assert.equal(lineOf('failed', answer).response, 'what the callback said')
})
