import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shareConnections } from '../../src/storage/postgres/shared-connections.ts'
import { preparedPool } from '../../src/storage/sql/postgres/engine.ts'
import { createRowQuery } from '../../src/storage/sql/prepared-query.ts'
import { freshDatabase } from '../stage/database.ts'
import { openPool } from '../stage/pool.ts'

/** How many statements a connection keeps at most. */
const MAX = 200

const PREPARED = 'select statement from pg_prepared_statements'

/** A pool of one connection, so that all statements meet. */
async function poolOfOne() {
  const database = await freshDatabase('postgres')
  const pool = openPool(database.url, 1)
  return {
    pool,
    async [Symbol.asyncDispose]() {
      await pool.end()
      await database[Symbol.asyncDispose]()
    },
  }
}

test('statements of many shapes are answered, and a connection keeps the most recently used ones', async () => {
  await using it = await poolOfOne()
  const readRows = createRowQuery(shareConnections(it.pool))
  for (let n = 0; n < 3 * MAX; n += 1) {
    assert.deepEqual(await readRows(`select $1::int + ${n}`, [1]), [[n + 1]])
    assert.deepEqual(await readRows(`select 'used often'`, []), [['used often']])
  }
  // A shape that was freed is prepared again.
  assert.deepEqual(await readRows('select $1::int + 0', [1]), [[1]])
  const kept = (await readRows(PREPARED, [])).map(([text]) => text)
  assert.ok(kept.length <= MAX + 1, String(kept.length))
  for (const text of [`select 'used often'`, 'select $1::int + 0', `select $1::int + ${3 * MAX - 1}`])
    assert.ok(kept.includes(text), String(text))
  assert.ok(!kept.includes('select $1::int + 1'))
})

test('a transaction that fails after many shapes is rolled back, and the connection goes on', async () => {
  await using it = await poolOfOne()
  const pool = preparedPool(it.pool)
  for (let round = 0; round < 2; round += 1) {
    const client = await pool.connect()
    await client.query('begin', [])
    for (let n = 0; n < 2 * MAX; n += 1) await client.query(`select ${round * 1000 + n}`, [])
    await assert.rejects(async () => client.query('select 1 / 0', []))
    await client.query('rollback', [])
    client.release()
  }
  const client = await pool.connect()
  const { rows } = await client.query(PREPARED, [])
  client.release()
  assert.ok(rows.length <= MAX + 1, String(rows.length))
})
