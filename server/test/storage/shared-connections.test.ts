import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import { createOutage } from '../../src/storage/outage.ts'
import { createPool } from '../../src/storage/postgres/pool.ts'
import { openReconnectingClient } from '../../src/storage/postgres/reconnecting-client.ts'
import { shareConnections } from '../../src/storage/postgres/shared-connections.ts'
import { createRowQuery } from '../../src/storage/sql/prepared-query.ts'
import { freshDatabase } from '../stage/database.ts'

const TIMEOUTS = { lockMs: 2000, statementMs: 8000, answerMs: 10_000 }

/** A pool of so many connections that are shared. */
async function shared(connections: number) {
  const database = await freshDatabase('postgres')
  const outage = createOutage(createClock())
  const pool = createPool({ url: database.url, name: 'shared', connections, timeouts: TIMEOUTS, pipeline: true, outage })
  return {
    pool,
    readRows: createRowQuery(shareConnections(pool)),
    async [Symbol.asyncDispose]() {
      await pool.end()
      await database[Symbol.asyncDispose]()
    },
  }
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

test('many statements at once share few connections, and each has its own answer', async () => {
  await using it = await shared(2)
  const answers = await Promise.all(numbers(200).map((n) => it.readRows(`select $1::int + ${n % 7}`, [n])))
  assert.deepEqual(
    answers.map((rows) => rows[0]![0]),
    numbers(200).map((n) => n + (n % 7)),
  )
  assert.ok(it.pool.totalCount <= 2, String(it.pool.totalCount))
  assert.equal(it.pool.idleCount, it.pool.totalCount)
})

test('a statement that fails fails alone, and those beside it on its connection are answered', async () => {
  await using it = await shared(1)
  const [before, wrong, after] = await Promise.allSettled([
    it.readRows('select 1', []),
    it.readRows('select 1 / $1::int', [0]),
    it.readRows('select 2', []),
  ])
  assert.deepEqual(
    [before, after].map((one) => one.status === 'fulfilled' && one.value[0]![0]),
    [1, 2],
  )
  assert.equal(wrong.status, 'rejected')
})

test('a connection that breaks fails what is under way on it, and the next statement has another one', async () => {
  await using it = await shared(1)
  const results = await Promise.allSettled([it.readRows('select pg_terminate_backend(pg_backend_pid())', []), it.readRows('select 1', [])])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.deepEqual(await it.readRows('select 3', []), [[3]])
})

test('a statement whose plan is outdated runs again on another connection, and those beside it are answered', async () => {
  await using it = await shared(2)
  await it.readRows('create table changing (one int)', [])
  await it.readRows('insert into changing values (1)', [])
  assert.deepEqual(await it.readRows('select * from changing', []), [[1]])
  await it.readRows('alter table changing add column two int default 2', [])
  const answers = await Promise.all([it.readRows('select * from changing', []), it.readRows('select 4', [])])
  assert.deepEqual(answers, [[[1, 2]], [[4]]])
})

test('what was closed is told of no outage any more, so that nothing is kept of it', async () => {
  await using database = await freshDatabase('postgres')
  const clock = createClock()
  const outage = createOutage(clock)
  let told = 0
  const counted: typeof outage = {
    ...outage,
    onSuspect: (listener) =>
      outage.onSuspect((reason) => {
        told += 1
        listener(reason)
      }),
  }
  const pool = createPool({ url: database.url, name: 'closed', connections: 1, timeouts: TIMEOUTS, outage: counted })
  const client = await openReconnectingClient({
    url: database.url,
    name: 'closed',
    clock,
    outage: counted,
    prepare: async () => {},
    restored() {},
  })
  outage.suspectConnections('unanswered')
  assert.equal(told, 2)
  await pool.end()
  outage.suspectConnections('unanswered')
  assert.equal(told, 3)
  await client.close()
  outage.suspectConnections('unanswered')
  assert.equal(told, 3)
})
