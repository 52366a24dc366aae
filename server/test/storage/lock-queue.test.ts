import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import { createLockQueue } from '../../src/storage/sql/sql-database.ts'
import { isUnavailable } from '../../src/storage/unavailable.ts'

/** Time passes when somebody waits. */
function passingClock() {
  let nowMs = 0
  return {
    ...createClock(),
    monotonic: () => nowMs,
    after(delayMs: number, run: () => void) {
      nowMs += delayMs
      setImmediate(run)
      return { cancel() {} }
    },
  }
}

const notAvailable = () => Promise.reject(Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' }))

test('a transaction that begins with a lock is tried again until it gets the lock', async () => {
  const exclusively = createLockQueue(passingClock())
  let tries = 0
  const answer = await exclusively('app 1', async (locking) => {
    tries += 1
    return locking(() => (tries < 5 ? notAvailable() : Promise.resolve('locked')))
  })
  assert.deepEqual([answer, tries], ['locked', 5])
})

test('a lock that another process holds for too long is an outage for those that wait for it, also in the queue, and later ones are not delayed', async () => {
  const exclusively = createLockQueue(passingClock())
  const late = exclusively('app 1', (locking) => locking(notAvailable))
  const behind = exclusively('app 1', async () => 'too late')
  const refused = (error: Error) => isUnavailable(error) && /Nothing was changed/.test(error.message)
  await Promise.all([assert.rejects(late, refused), assert.rejects(behind, refused)])
  assert.equal(await exclusively('app 1', async () => 'next'), 'next')
})

test('a lock that is not available later in a transaction does not repeat it', async () => {
  const exclusively = createLockQueue(passingClock())
  let tries = 0
  const failing = exclusively('app 1', async () => {
    tries += 1
    return notAvailable()
  })
  await assert.rejects(failing, /lock timeout/)
  assert.equal(tries, 1)
})
