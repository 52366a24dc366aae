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

interface Told {
  explains?: (of: Attempt) => Record<string, string>
  level?: string
  nextAtMs?: number | null
}

/** The log lines of an attempt, from a level on. */
function linesOf(outcome: Attempt['outcome'], { explains, level = 'debug', nextAtMs = null }: Told = {}) {
  const lines: string[] = []
  const logger = pino({ base: null, level }, { write: (line: string) => void lines.push(line) })
  const log = { acknowledge: async () => {}, flush: async () => {} }
  createRecorder({ log, logger, explains, retryAt: () => {} } as never).note(delivery, attempt(outcome), {
    kind: 'live',
    destination: 'missing',
    nextAtMs,
  })
  return lines.map((line) => JSON.parse(line))
}

const answer = ({ response }: Attempt) => ({ response })

test('the log line of an attempt repeats nothing of the answer, unless it is told to for a failed one', () => {
  assert.ok(!JSON.stringify(linesOf('failed')).includes('what the callback said'))
  assert.ok(!JSON.stringify(linesOf('delivered', { explains: answer })).includes('what the callback said'))
  assert.equal(linesOf('failed', { explains: answer })[0].response, 'what the callback said')
})

test('a log has a line for each delivery that failed, not for attempts that went well or are made again, which debug has', () => {
  const levels = (outcome: Attempt['outcome'], told: Told) => linesOf(outcome, told).map(({ level }) => level)
  assert.deepEqual(levels('failed', { level: 'info' }), [40])
  for (const nextAtMs of [1, null]) assert.deepEqual(levels('delivered', { level: 'info', nextAtMs }), [])
  assert.deepEqual(levels('failed', { level: 'info', nextAtMs: 1 }), [])
  assert.deepEqual(levels('failed', { level: 'info', nextAtMs: 1, explains: answer }), [40])
  assert.deepEqual([levels('delivered', {}), levels('failed', { nextAtMs: 1 })], [[20], [20]])
})
