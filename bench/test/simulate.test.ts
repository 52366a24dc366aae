// The simulation of a day, scaled down: `npm run simulate` makes it with a million webhooks.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { simulate } from '../src/simulate/simulate.ts'

const IN_FLIGHT_PER_WEBHOOK = 4
const WEBHOOKS = 500
const EVENTS = 2700

test('an option that does not exist or has no right value is refused with the rule', () => {
  const run = (...args: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, [resolve(import.meta.dirname, '../src/simulate/main.ts'), ...args])
    return [status, String(stderr).split('\n')[0]]
  }
  assert.deepEqual(run('--webhooks', '7'), [2, '--webhooks must be a number of at least 100, at most 10000000.'])
  assert.deepEqual(run('--hours', '4.5'), [2, '--hours must be a whole number.'])
  assert.match(String(run('--days', '2')[1]), /^Unknown option '--days'/)
})

test('every event of a day with an outage and a lost log arrives once, with bounded queues, and none waits for callbacks of others', async () => {
  const figures = await simulate({ webhooks: WEBHOOKS, hours: 3, eventsPerSecond: 0.25, batch: 10, logs: 3, roundMinutes: 2, seed: 7 })
  assert.equal(figures.events, EVENTS)
  assert.ok(figures.deliveries > EVENTS, 'some events match several webhooks')
  assert.equal(figures.arrived, figures.deliveries)
  assert.equal(figures.givenUp, 0)
  assert.ok(figures.doubled <= figures.mostInFlight, `${figures.doubled} came twice, of at most ${figures.mostInFlight} in flight`)
  assert.equal(figures.attempts, figures.deliveries + figures.doubled + figures.failedAttempts)
  assert.ok(figures.retries > 100, 'the outage made retries')
  assert.ok(figures.refusedCalls > 0, 'events of the lost log were refused')
  assert.ok(figures.mostKeptByProducer < EVENTS / 10)
  // Nothing waited a second for its first attempt: neither behind callbacks that hang nor behind a log that is away.
  assert.equal(figures.late, 0, `the longest wait was ${figures.longestMs} ms`)
  assert.ok(figures.mostInFlight <= 64 + IN_FLIGHT_PER_WEBHOOK * (WEBHOOKS / 40))
  assert.ok(figures.mostOpen < figures.deliveries / 10)
  // A webhook is challenged once an hour.
  assert.ok(Math.abs(figures.round.challenges - (WEBHOOKS * 2) / 60) <= 2, String(figures.round.challenges))
  assert.equal(figures.round.passed, figures.round.challenges)
})
