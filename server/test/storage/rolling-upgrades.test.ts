import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Kysely } from 'kysely'
import { Client } from 'pg'
import { createClock } from '../../src/lib/clock.ts'
import { RELEASE, RELEASES } from '../../src/lib/version.ts'
import { migrations as logMigrations } from '../../src/storage/log/sqlite/schema.ts'
import { assertUnused } from '../../src/storage/schema-changes.ts'
import { migrateDatabase, migrations } from '../../src/storage/sql/migrate-database.ts'
import { openEngine } from '../../src/storage/sql/open-storage.ts'
import { LOCK_CLASS } from '../../src/storage/sql/postgres/worker-number.ts'
import { existingNames, existingTable } from '../../src/storage/sql/records/existing-table.ts'
import type { Database } from '../../src/storage/sql/schema.ts'
import { freshDatabase, migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { until } from '../stage/pause.ts'
import { openAt, rawRows } from './samples.ts'

const change = (name: string, kind: string, version: string, former: string, unusedSince?: string) =>
  `insert into schema_changes (name, kind, version, former_version, unused_since, "timestamp")
    values ('${name}', '${kind}', '${version}', '${former}', ${unusedSince === undefined ? 'null' : `'${unusedSince}'`}, '2027-01-01T12:00:00.000Z')`

/** Tables with the type of each column, and whether a row may be inserted without it. */
async function tablesOf(db: Kysely<Database>, flavour: Parameters<typeof existingNames>[1]) {
  const tables = new Map<string, Map<string, { type: string; nullable: boolean }>>()
  for (const name of await existingNames(db, flavour)) tables.set(name, (await existingTable(db, flavour, name))?.columns ?? new Map())
  return tables
}

for (const flavour of databasesOf(import.meta))
  suite(`releases that share a database on ${flavour}`, () => {
    test('a migration that expands keeps every table and column, and adds columns that a former release need not write', async () => {
      await using database = await freshDatabase(flavour)
      const engine = await openEngine({ url: database.url, clock: createClock() })
      const db = engine.maintenance
      let now = await tablesOf(db, engine.flavour)
      for (const { name, kind, up } of migrations(engine.flavour)) {
        const before = now
        await up(db)
        now = await tablesOf(db, engine.flavour)
        if (kind === 'contract') continue
        for (const [table, columns] of before) {
          for (const [column, { type, nullable }] of columns)
            assert.deepEqual(now.get(table)?.get(column), { name: column, type, nullable }, `${name}: ${table}.${column} is as it was`)
          for (const [column, { nullable }] of now.get(table)!)
            if (!columns.has(column) && !nullable) {
              const [row] = await rawRows(
                database.url,
                flavour === 'sqlite'
                  ? `select dflt_value is not null as has from pragma_table_info('${table}') where name = '${column}'`
                  : `select column_default is not null as has from information_schema.columns where table_name = '${table}' and column_name = '${column}'`,
              )
              assert.ok(row!.has, `${name}: ${table}.${column} may be null or has a default`)
            }
        }
      }
      await engine.close()
    })

    test('version 0.2 finds the migrations that it knows, and no other', async () => {
      await using database = await migratedDatabase(flavour)
      assert.deepEqual(await rawRows(database.url, 'select name from migrations'), [{ name: '001-baseline' }])
    })

    test('migrations that were recorded where version 0.2 looks are moved', async () => {
      await using database = await migratedDatabase(flavour)
      await rawRows(database.url, `delete from schema_changes`)
      for (const { name, version } of migrations({ name: flavour } as never))
        if (version !== '0.2') await rawRows(database.url, `insert into migrations (name, "timestamp") values ('${name}', '2026-11-26')`)
      await (await openAt(database.url)).close()
      assert.deepEqual(await rawRows(database.url, 'select name from migrations'), [{ name: '001-baseline' }])
    })

    test('a database to which the next release has added opens, and is left as it is', async () => {
      await using database = await migratedDatabase(flavour)
      await rawRows(database.url, change('010-notes', 'expand', '0.4', RELEASE))
      await rawRows(database.url, change('release 0.4', 'release', '0.4', RELEASE))
      await rawRows(
        database.url,
        `update metadata set value = '{"notes":{"columns":{"text":"text"},"indexes":{}}}' where name = 'declared_tables'`,
      )
      await (await openAt(database.url)).close()
      const [declared] = await rawRows(database.url, `select value from metadata where name = 'declared_tables'`)
      assert.match(String(declared!.value), /^\{"notes"/)
    })

    test('one from which the next release has removed what this one uses is refused, one without what neither uses is not', async () => {
      await using database = await migratedDatabase(flavour)
      await rawRows(database.url, change('011-drop', 'contract', '0.5', '0.4', RELEASE))
      await rawRows(database.url, `insert into migrations (name, "timestamp") values ('011-drop', '2027')`)
      await (await openAt(database.url)).close()
      await rawRows(database.url, change('012-drop', 'contract', '0.5', '0.4', '0.4'))
      await assert.rejects(
        openAt(database.url),
        /newer than this Postern: it has run the migration 012-drop, which removed what this version uses/,
      )
    })

    test('one that a later build of this release has migrated is refused, and the message says so', async () => {
      await using database = await migratedDatabase(flavour)
      await rawRows(database.url, change('010-notes', 'expand', RELEASE, '0.2'))
      await assert.rejects(
        openAt(database.url),
        /newer than this Postern: it has run the migration 010-notes, which a later build of 0\.3 has brought\. Start the version that last used it/,
      )
    })

    test('one that a release two ahead has used is refused', async () => {
      await using database = await migratedDatabase(flavour)
      await rawRows(database.url, change('release 0.5', 'release', '0.5', '0.4'))
      await assert.rejects(openAt(database.url), /last used by version 0\.5, which is more than one release after this one \(0\.3\.0\)/)
    })
  })

test('each migration names its release, and one that contracts a former release that stopped using what it removes', () => {
  for (const { name, version, kind, unusedSince } of [...migrations({ name: 'sqlite' } as never), ...logMigrations]) {
    assert.ok(RELEASES.includes(version), name)
    if (kind === 'expand') assert.equal(unusedSince, undefined, name)
    else
      assert.ok(
        unusedSince !== undefined && RELEASES.indexOf(unusedSince) < RELEASES.indexOf(version),
        `${name} removes what no release since uses`,
      )
  }
})

test('a migration that contracts waits for the end of every process that uses what it removes', () => {
  const peer = { version: '0.2.0', release: '0.2', former: undefined }
  assert.throws(
    () => assertUnused('010-drop', '0.3', [peer]),
    /removes what version 0\.2\.0 uses, and a process of it uses the database\. Stop that process first/,
  )
  assert.doesNotThrow(() => assertUnused('010-drop', '0.2', [peer]))
})

/** A session that holds a worker number, as that of a process of another version. */
async function sessionNamed(url: string, name: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: name })
  await client.connect()
  await client.query('select pg_advisory_lock($1, 60)', [LOCK_CLASS])
  return client
}

test('on PostgreSQL a start beside a process of a release that is not next to this one is refused with both versions', async () => {
  await using database = await migratedDatabase('postgres')
  const far = await sessionNamed(database.url, 'postern 0.5.2 after 0.4')
  await assert.rejects(
    openAt(database.url),
    /A process of version 0\.5\.2 uses the database, which is more than one release from this one \(0\.3\.0\)/,
  )
  await far.end()
  for (const near of ['postern', 'postern 0.3.4 after 0.2', 'postern 0.4.0 after 0.3']) {
    const beside = await sessionNamed(database.url, near)
    await (await openAt(database.url)).close()
    await beside.end()
  }
})

test('on PostgreSQL a migration gives way to processes that use its tables, and begins again, so that none of them waits for it', async () => {
  await using database = await migratedDatabase('postgres')
  for (const undo of ['drop index log_attempt_undelivered, log_open_by_time', `delete from schema_changes where name = '008-rare-states'`])
    await rawRows(database.url, undo)
  const busy = await sessionNamed(database.url, 'postern')
  await busy.query('begin; lock table log_attempt in row exclusive mode')
  const opening = openAt(database.url)
  const waits = `select 1 from pg_locks where relation = 'log_attempt'::regclass and not granted`
  await until(async () => (await rawRows(database.url, waits)).length > 0)
  // It would wait behind the migration, which waits for the other.
  await rawRows(database.url, `set lock_timeout = '10s'; begin; lock table log_attempt in row exclusive mode; commit`)
  await busy.query('commit')
  await busy.end()
  await (await opening).close()
  assert.equal((await rawRows(database.url, `select 1 from pg_indexes where indexname = 'log_open_by_time'`)).length, 1)
})

test('on PostgreSQL a migration that gave way too often says what is in the way', async () => {
  await using database = await migratedDatabase('postgres')
  for (const undo of ['drop index log_attempt_undelivered, log_open_by_time', `delete from schema_changes where name = '008-rare-states'`])
    await rawRows(database.url, undo)
  const busy = await sessionNamed(database.url, 'pg_dump')
  await busy.query('begin; lock table log_attempt in row exclusive mode')
  const engine = await openEngine({ url: database.url, clock: createClock() })
  await assert.rejects(
    migrateDatabase(engine.maintenance, engine.flavour, { mostTries: 2 }),
    /^Error: The tables cannot be migrated, because other sessions have used them for two minutes\. .*pg_stat_activity/,
  )
  await busy.query('commit')
  await busy.end()
  await migrateDatabase(engine.maintenance, engine.flavour)
  await engine.close()
})
