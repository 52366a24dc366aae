import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { recordTypes } from '../../src/endpoints/index.ts'
import { createClock } from '../../src/lib/clock.ts'
import { createSeal } from '../../src/lib/seal.ts'
import { migrateDatabase } from '../../src/storage/sql/migrate-database.ts'
import { openStorage } from '../../src/storage/sql/open-storage.ts'
import { fingerprintOf } from '../../src/storage/sql/records/declared-record.ts'
import { openSqliteEngine } from '../../src/storage/sql/sqlite/engine.ts'
import type { StorageLog } from '../../src/storage/storage-log.ts'
import { Clip } from '../stage/clips.ts'

const open = (secret: string, types = recordTypes, log?: StorageLog) =>
  openStorage({ url: 'sqlite::memory:', clock: createClock(), recordTypes: types, seal: createSeal([secret.repeat(40)]), log })

test('databases in memory share no row, and each has its own secret', async () => {
  const one = await open('a')
  await one.metadata.set('of', 'one')
  const other = await open('b')
  try {
    assert.equal(await other.metadata.get('of'), undefined)
    await other.metadata.set('of', 'other')
    assert.equal(await one.metadata.get('of'), 'one')
    await one.close()
    assert.equal(await other.metadata.get('of'), 'other')
  } finally {
    await other.close()
  }
})

/** All that a database declares, as SQLite keeps it. */
async function schemaOf(copied: boolean) {
  const engine = await openSqliteEngine({ path: ':memory:', clock: createClock() })
  try {
    if (copied) assert.ok(engine.memoryTables?.copy(fingerprintOf(recordTypes)))
    else await migrateDatabase(engine.maintenance, engine.flavour, { recordTypes })
    const { rows } = await sql<{ name: string; sql: string }>`select name, sql from sqlite_schema order by name`.execute(engine.db)
    const { rows: pragmas } = await sql`select foreign_keys from pragma_foreign_keys`.execute(engine.db)
    return { rows, pragmas }
  } finally {
    await engine.close()
  }
}

test('a later database in memory has the tables and rules of one that was migrated', async () => {
  await (await open('a')).close()
  const copied = await schemaOf(true)
  assert.ok(copied.rows.length > 100)
  assert.deepEqual(copied, await schemaOf(false))
})

test('a database in memory with other declared tables has those', async () => {
  await (await open('a')).close()
  const storage = await open('a', [...recordTypes, Clip])
  try {
    assert.ok(storage.records)
    await (await open('a', [...recordTypes, Clip])).close()
  } finally {
    await storage.close()
  }
  const engine = await openSqliteEngine({ path: ':memory:', clock: createClock() })
  engine.memoryTables!.copy(fingerprintOf([...recordTypes, Clip]))
  const { rows } = await sql`select name from sqlite_schema where name = ${Clip.table}`.execute(engine.db)
  assert.equal(rows.length, 1)
  await engine.close()
})

test('each database in memory is logged as new', async () => {
  const lines: string[] = []
  const log = { info: (_about: object, text: string) => void lines.push(text), warn() {}, error() {} } as unknown as StorageLog
  await (await open('a', recordTypes, log)).close()
  await (await open('a', recordTypes, log)).close()
  assert.deepEqual(lines, ['created a new database at :memory:', 'created a new database at :memory:'])
})
