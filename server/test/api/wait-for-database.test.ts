import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabaseWait } from '../../src/api/wait-for-database.ts'
import { createClock } from '../../src/lib/clock.ts'
import { asUnavailable, DatabaseAway, Unavailable } from '../../src/storage/unavailable.ts'
import { pause } from '../stage/pause.ts'

/** A database that is away until it is said to be back. */
function setDatabase(waitMs = 10_000) {
  const clock = createClock()
  const database = { isAway: true, asked: 0 }
  const wait = createDatabaseWait({ clock, waitMs, isReady: async () => !database.isAway })
  const step = async () => {
    database.asked += 1
    if (database.isAway) throw new DatabaseAway('away')
    return 'done'
  }
  /** Lets it be looked at once more. */
  const look = async () => {
    clock.advance(200)
    await pause()
  }
  return { clock, database, wait, step, look }
}

test('a call whose database restarts is handled once that is back', async () => {
  const { database, wait, step, look } = setDatabase()
  const answer = wait.run(0)(step)
  await look()
  database.isAway = false
  await look()
  assert.equal(await answer, 'done')
  assert.equal(database.asked, 2)
})

test('what may not be repeated, and what is no outage, is refused at once', async () => {
  const { wait, step } = setDatabase()
  await assert.rejects(wait.run(0)(step, false), DatabaseAway)
  const full = async () => Promise.reject(new Unavailable('disk full'))
  await assert.rejects(wait.run(0)(full), /disk full/)
})

test('a long outage is refused once it has lasted so long, at once from then on, and the next one is waited for again', async () => {
  const { clock, database, wait, step, look } = setDatabase()
  const refused = assert.rejects(wait.run(0)(step), DatabaseAway)
  assert.equal(wait.isPatient(), true)
  clock.advance(10_000)
  await look()
  await refused
  assert.equal(wait.isPatient(), false)
  await assert.rejects(wait.run(0)(step), DatabaseAway)
  database.isAway = false
  await look()
  database.isAway = true
  assert.equal(wait.isPatient(), true)
})

test('a connection that breaks again and again is given up, although the database can be used', async () => {
  const { database, wait, look } = setDatabase()
  database.isAway = false
  let tries = 0
  const breaks = async () => {
    tries += 1
    throw new DatabaseAway('broken')
  }
  const refused = assert.rejects(wait.run(0)(breaks), DatabaseAway)
  for (let n = 0; n < 4; n += 1) await look()
  await refused
  assert.equal(tries, 4)
})

test('calls with more than 64 MB of bodies in all do not wait', async () => {
  const { database, wait, step, look } = setDatabase()
  const first = wait.run(60_000_000)(step)
  await pause()
  await assert.rejects(wait.run(8_000_000)(step), DatabaseAway)
  database.isAway = false
  await look()
  assert.equal(await first, 'done')
})

test('errors of PostgreSQL tell a restart from other outages', () => {
  const mapped = (code: string) => asUnavailable(Object.assign(new Error('as PostgreSQL says'), { code }))
  for (const code of ['57P01', '57P02', '57P03', '08006', '25006', 'ECONNREFUSED', 'ECONNRESET'])
    assert.ok(mapped(code) instanceof DatabaseAway, code)
  for (const code of ['53100', '53300', '40001', '55P03']) assert.ok(!(mapped(code) instanceof DatabaseAway), code)
  assert.ok(asUnavailable(new Error('Connection terminated unexpectedly')) instanceof DatabaseAway)
})
