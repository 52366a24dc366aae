import assert from 'node:assert/strict'
import { rename } from 'node:fs/promises'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { createClock } from '../../src/lib/clock.ts'
import type { Change } from '../../src/storage/changes.ts'
import { openEngine } from '../../src/storage/sql/open-storage.ts'
import { announce, createSqlDatabase, type SqlDatabase, unannounced, type Written } from '../../src/storage/sql/sql-database.ts'
import { type Flavour, migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { rawRows } from './samples.ts'

async function migrated(flavour: Flavour) {
  const database = await migratedDatabase(flavour)
  const engine = await openEngine({ url: database.url, clock: createClock() })
  await engine.db.deleteFrom('metadata').execute()
  return {
    url: database.url,
    sql: createSqlDatabase(engine),
    listen: engine.announcer.listen,
    async [Symbol.asyncDispose]() {
      await engine.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

const nameOf = async ({ db }: SqlDatabase) =>
  (await db.selectFrom('metadata').select('value').where('name', '=', 'n').executeTakeFirst())?.value

for (const flavour of databasesOf(import.meta)) {
  suite(`transactions on ${flavour}`, () => {
    test('a transaction that throws is rolled back, and nothing is announced', async () => {
      await using it = await migrated(flavour)
      const heard: Change[] = []
      const untilLast = new Promise<void>((resolve) =>
        it.listen((change) => {
          heard.push(change)
          if (change.kind === 'app' && change.id === 'last') resolve()
        }),
      )
      const failing = it.sql.inTransaction(async (trx): Promise<Written<void>> => {
        await trx.insertInto('metadata').values({ name: 'n', value: 'v' }).execute()
        throw new Error('on purpose')
      })
      await assert.rejects(failing, /on purpose/)
      await it.sql.inTransaction(async () => announce(undefined, { kind: 'app', id: 'last' }))
      await untilLast
      assert.equal(await nameOf(it.sql), undefined)
      assert.deepEqual(heard, [{ kind: 'app', id: 'last' }])
    })

    test('a transaction within another is rejected, and the outer one rolled back', async () => {
      await using it = await migrated(flavour)
      const nested = it.sql.inTransaction(async (trx) => {
        await trx.insertInto('metadata').values({ name: 'n', value: 'v' }).execute()
        await it.sql.inTransaction(async () => unannounced(undefined))
        return unannounced(undefined)
      })
      await assert.rejects(nested, /cannot be opened within another/)
      assert.equal(await nameOf(it.sql), undefined)
    })

    test('concurrent transactions are not nested', async () => {
      await using it = await migrated(flavour)
      const insert = (name: string) =>
        it.sql.inTransaction(async (trx) => unannounced(await trx.insertInto('metadata').values({ name, value: 'v' }).execute()))
      await Promise.all(['a', 'b', 'c'].map(insert))
      assert.equal((await it.sql.db.selectFrom('metadata').selectAll().execute()).length, 3)
    })

    test('rows are read while a transaction is open, as they were committed before it', async () => {
      await using it = await migrated(flavour)
      const read = async () => (await it.sql.readRows('select value from metadata where name = $1', ['n'])).map(([value]) => value)
      await it.sql.unannounced.insertInto('metadata').values({ name: 'n', value: 'before' }).execute()
      await it.sql.inTransaction(async (trx) => {
        await trx.updateTable('metadata').set({ value: 'after' }).where('name', '=', 'n').execute()
        assert.deepEqual(await read(), ['before'])
        return unannounced(undefined)
      })
      assert.deepEqual(await read(), ['after'])
    })

    test('text sorts by code point, and columns of texts and large numbers keep their values', async () => {
      await using it = await migrated(flavour)
      const names = ['Z', 'a', 'z', 'É', 'é', '～', '🐈']
      for (const name of names.toReversed()) await it.sql.unannounced.insertInto('metadata').values({ name, value: name }).execute()
      const rows = await it.sql.db.selectFrom('metadata').selectAll().orderBy('name').execute()
      assert.deepEqual(
        rows.map((row) => row.value),
        names,
      )
    })
  })
}

test('on SQLite rows are read after an open transaction where the file was taken away, and never from another file', async () => {
  await using it = await migrated('sqlite')
  const path = it.url.slice('sqlite:'.length)
  await it.sql.unannounced.insertInto('metadata').values({ name: 'n', value: 'before' }).execute()
  let reading: Promise<readonly (readonly unknown[])[]> | undefined
  await it.sql.inTransaction(async (trx) => {
    await trx.updateTable('metadata').set({ value: 'after' }).where('name', '=', 'n').execute()
    await rename(path, `${path}.away`)
    reading = it.sql.readRows('select value from metadata where name = $1', ['n'])
    await rename(`${path}.away`, path)
    return unannounced(undefined)
  })
  assert.deepEqual(await reading, [['after']])
})

suite('transactions on postgres alone', () => {
  test('a connection that is lost between two statements fails only its transaction', async () => {
    await using it = await migrated('postgres')
    const cut = it.sql.inTransaction(async (trx) => {
      await trx.insertInto('metadata').values({ name: 'n', value: 'v' }).execute()
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
      await rawRows(it.url, `select pg_terminate_backend(${rows[0]!.pid}, 5000)`)
      return unannounced(await trx.insertInto('metadata').values({ name: 'm', value: 'v' }).execute())
    })
    await assert.rejects(cut)
    assert.equal(await nameOf(it.sql), undefined)
  })
})
