import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecorder, type RecorderOptions } from '../../src/delivery/dispatch/record-attempts.ts'
import { createClock } from '../../src/lib/clock.ts'
import { keptLog } from '../../src/logging/kept-log.ts'
import type { Attempt, Delivery } from '../../src/storage/event-log.ts'

const [DEBUG, INFO, WARN] = [20, 30, 40]

/** The levels of the lines of attempts with these outcomes, each with or without another one to come. */
function levelsOf(attempts: readonly [Attempt['outcome'], nextAtMs: number | null][], more: Partial<RecorderOptions> = {}) {
  const { logger, lines } = keptLog('debug', createClock(), 100)
  const log = { acknowledge: async () => {}, flush: async () => {} }
  const recorder = createRecorder({ log, logger, retryAt() {}, ...more })
  for (const [outcome, nextAtMs] of attempts) {
    const attempt: Attempt = { atMs: 0, latencyMs: 1, timing: '', status: 500, outcome, error: '', response: '' }
    recorder.note({ attempts: 0 } as Delivery, attempt, { kind: 'live', destination: 'missing', nextAtMs })
  }
  assert.ok(lines.every(({ msg }) => msg === 'attempt'))
  return lines.map(({ level }) => level)
}

test('a delivery that was given up is one warning; attempts that went well or are tried again are lines of debug', () => {
  assert.deepEqual(
    levelsOf([
      ['failed', 1000],
      ['failed', 2000],
      ['failed', null],
    ]),
    [DEBUG, DEBUG, WARN],
  )
  assert.deepEqual(levelsOf([['delivered', null]]), [DEBUG])
  assert.deepEqual(levelsOf([['not_sent', null]]), [INFO])
})

test('in development each failed attempt is a warning', () => {
  const explains = () => ({})
  assert.deepEqual(
    levelsOf(
      [
        ['failed', 1000],
        ['delivered', null],
      ],
      { explains },
    ),
    [WARN, DEBUG],
  )
})
