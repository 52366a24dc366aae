import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import { createConnectionWaits } from '../../src/storage/postgres/connection-waits.ts'
import { freshDatabase } from '../stage/database.ts'
import { openPool } from '../stage/pool.ts'

test('only those that find all connections of their pool in use count as waiting, and how long they waited', async () => {
  await using database = await freshDatabase('postgres')
  const waits = createConnectionWaits(createClock())
  const pool = openPool(database.url, 1)
  waits.watch('statements', pool)
  const read = () => waits.read()[0]!
  await pool.query('select 1')
  await pool.query('select 1')
  assert.deepEqual(read(), { pool: 'statements', waiting: 0, waits: 0, waitedMs: 0 })

  const client = await pool.connect()
  const asked = [pool.query('select 2 as n'), pool.connect()] as const
  assert.deepEqual([read().waiting, read().waits], [2, 2])
  await client.query('select pg_sleep(0.05)')
  client.release()
  assert.equal((await asked[0]).rows[0].n, 2)
  const other = await asked[1]
  other.release()
  assert.equal(read().waiting, 0)
  assert.ok(read().waitedMs >= 100 && read().waitedMs < 10_000, `${read().waitedMs} ms`)

  await pool.end()
  await assert.rejects(pool.query('select 1'), /after calling end/)
  assert.equal(read().waits, 2)
})
