import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { createDueRetries } from '../../src/delivery/due-retries.ts'
import { createClock } from '../../src/lib/clock.ts'

/** As many promises as may be resolved between two steps of one piece of work. */
const MOST_STEPS = 12

for (let steps = 0; steps <= MOST_STEPS; steps += 1) {
  test(`a call ${steps} steps after the last due time was read is served`, async () => {
    let pages = 0
    let isFirst = true
    const askLater = (left: number): void => void (left === 0 ? retries.take() : queueMicrotask(() => askLater(left - 1)))
    const retries = createDueRetries({
      log: {
        takeDue: async () => {
          pages += 1
          return []
        },
        nextDueMs: async () => {
          if (isFirst) askLater(steps)
          isFirst = false
          return undefined
        },
      },
      clock: createClock(),
      logger: pino({ level: 'silent' }),
      hold: () => {},
      mayHoldMore: () => true,
    })
    await retries.take()
    await new Promise(setImmediate)
    assert.equal(pages, 2)
    retries.stop()
  })
}
