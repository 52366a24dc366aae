import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import type { Kysely } from 'kysely'
import pino from 'pino'
import { recordTypes } from '../../src/endpoints/index.ts'
import { createClock } from '../../src/lib/clock.ts'
import { createSeal } from '../../src/lib/seal.ts'
import { openDatabase } from '../../src/storage/open-database.ts'
import type { RecordType } from '../../src/storage/records.ts'
import { createBaseline } from '../../src/storage/sql/migrations/001-baseline.ts'
import { openEngine } from '../../src/storage/sql/open-storage.ts'
import { backUpFrom, backupFolder, restoreTo } from '../stage/backups.ts'
import { type Flavour, freshDatabase, type TestDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { anApp, aReplayJob, aSubscription, aUser, aWebhook, openAt, openWith, rawRows, SECRET } from './samples.ts'

const MIGRATIONS = 'create table migrations (name varchar(255) not null primary key, "timestamp" varchar(255) not null)'
const recorded = (name: string) => `insert into migrations (name, "timestamp") values ('${name}', '2026-11-24T12:00:00.000Z')`

/** What version 0.2.0 wrote, in tables that later migrations may change. */
const ROWS = [
  `insert into metadata (name, value) values ('clock_offset', '5')`,
  `insert into apps (id, name, consumer_key, consumer_secret_sealed, callback_urls, permissions, sign_in_with_service, webhook_limit, ads_access,
    early_access, suspended, created_at_ms, secret_version, activity_enrolled) values ('1', 'Demo', 'key of 1',
    'NHr1uGfreQ6Pd9U4Sar0E4fIIhAwGXH47GkduEQ/v8RCTDKz1tU=', '["https://demo.example/callback"]', 'read_write_dm', true, 5, false, '["catalogs"]',
    false, 1700000000000, 1, true)`,
  `insert into bearer_tokens (app_id, token_sha256, token_sealed, secret_version) values ('1',
    '3c469e9d6c5875d37a43f353d4f88e61fcf812c66eee3457465a40b0da4153e0', 'X8LdGgqB2FCEmPXpbx5LyifLgzFsMmDDtqN/bq/aSPjf', 1)`,
  `insert into users (id, username, username_key, name, password_hash, created_at_ms, disabled)
    values ('101', 'Ada', 'ada', 'Ada L.', '$argon2id$…', 1700000000000, false)`,
  `insert into webhooks (id, app_id, url, normal_url, valid, created_at_ms, next_challenge_at_ms) values ('10', '1',
    'https://demo.example/10', 'https://demo.example/10', true, 1700000000000, 5000)`,
  `insert into subscriptions (id, app_id, webhook_id, event_type, user_id, keyword, direction, created_at_ms, updated_at_ms)
    values ('1000', '1', '10', 'dm.received', '101', '', '', 1700000000000, 1700000000000)`,
  `insert into replay_jobs (id, app_id, webhook_id, from_ms, to_ms, state, position, delivered, failed, created_at_ms, reported)
    values ('500', '1', '10', 1700000000000, 1700000060000, 'running', 0, 0, 0, 1700000000000, false)`,
  `insert into audit_log (at_ms, action, status, detail) values (1, 'seed', 200, 'all of it')`,
]

/** A database as version 0.2.0 left it, before it made the declared tables. */
async function formerDatabase(flavour: Flavour): Promise<TestDatabase> {
  const database = await freshDatabase(flavour)
  const engine = await openEngine({ url: database.url, clock: createClock() })
  await createBaseline(engine.flavour)(engine.maintenance as Kysely<unknown>)
  await engine.close()
  for (const statement of [MIGRATIONS, recorded('001-baseline'), ...ROWS]) await rawRows(database.url, statement)
  return database
}

/** A database that an older version has used, which had run these migrations. */
async function olderDatabase(flavour: Flavour, ...names: string[]): Promise<TestDatabase> {
  const database = await freshDatabase(flavour)
  for (const statement of [MIGRATIONS, ...names.map(recorded), 'create table apps (id text)']) await rawRows(database.url, statement)
  return database
}

const openBoth = (url: string, logger = pino({ level: 'silent' })) =>
  openDatabase({ url, clock: createClock(), seal: createSeal([SECRET]), recordTypes, logger })

const tableNames = async (url: string) =>
  (
    await rawRows(
      url,
      url.startsWith('sqlite:')
        ? `select name from sqlite_schema where type = 'table' order by name`
        : `select table_name as name from information_schema.tables where table_schema = 'public' order by table_name`,
    )
  ).map(({ name }) => name as string)

/** The migrations that are recorded where version 0.2.0 looks, and refuses what it does not know. */
const migrationsOf02 = async (url: string) => (await rawRows(url, 'select name from migrations order by name')).map(({ name }) => name)

const migrationsIn = async (url: string) => [
  ...(await migrationsOf02(url)),
  ...(await rawRows(url, `select name from schema_changes where kind <> 'release' order by name`)).map(({ name }) => name),
]

/** Every migration: each is a file. One that is not in the list of `migrate-database.ts` is missing in the database. */
const FILES = globSync('[0-9]*.ts', { cwd: join(import.meta.dirname, '../../src/storage/sql/migrations') })
  .map((file) => file.replace(/\.ts$/, ''))
  .sort()

/** How an older database is refused. */
const TOO_OLD = /made by a version before 0\.2\.0, .* Start commit [0-9a-f]{12} on it once, which can, and then this version\.$/

for (const flavour of databasesOf(import.meta))
  suite(`a database of a former version on ${flavour}`, () => {
    test('everything in the state of version 0.2.0 exists after it is migrated', async () => {
      await using database = await formerDatabase(flavour)
      const storage = await openAt(database.url)
      const noClient = { oauth2ClientId: null, oauth2ClientType: null, oauth2ClientSecret: null }
      assert.deepEqual(await storage.apps.list(null, 9), [anApp(noClient)])
      assert.equal(await storage.bearerTokens.obtain('1', 'other', 1), 'token')
      assert.deepEqual(await storage.users.byId('101'), aUser())
      assert.deepEqual(await storage.webhooks.list('1'), [aWebhook()])
      assert.deepEqual(await storage.subscriptions.list('1', null, 9), [aSubscription()])
      assert.deepEqual(await storage.replayJobs.byId('500'), aReplayJob())
      const audited = { number: 1, atMs: 1, action: 'seed', status: 200, detail: 'all of it', tokenName: null, address: null }
      assert.deepEqual(await storage.audit.list(null, 9), [{ ...audited, appId: null, userId: null, changes: [] }])
      assert.equal(await storage.metadata.get('clock_offset'), '5')
      await storage.close()
    })

    test('each step that migrates it is logged with its name and duration, once', async () => {
      await using database = await formerDatabase(flavour)
      const lines: { level: number; msg: string; migration: string; duration_ms: number }[] = []
      const logger = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
      for (let time = 0; time < 2; time++) await (await openBoth(database.url, logger)).close()
      const steps = lines.filter(({ msg }) => msg === 'database migrated')
      assert.deepEqual(
        steps.map(({ migration }) => migration),
        [...FILES.filter((name) => name !== '001-baseline'), 'declared tables'],
      )
      for (const { level, duration_ms } of steps) assert.ok(level === 30 && duration_ms >= 0)
    })

    test('it ends with the same tables as a new one', async () => {
      await using former = await formerDatabase(flavour)
      await using fresh = await freshDatabase(flavour)
      for (const { url } of [former, fresh]) await (await openBoth(url)).close()
      assert.deepEqual(await tableNames(former.url), await tableNames(fresh.url))
      assert.deepEqual(await migrationsIn(former.url), FILES)
    })

    test('a held copy of it is held from its first start on', async () => {
      await using database = await formerDatabase(flavour)
      await rawRows(database.url, `insert into metadata (name, value) values ('held_since', '2026-11-26T20:00:00.000Z')`)
      const storage = await openAt(database.url)
      assert.equal(storage.heldSince, '2026-11-26T20:00:00.000Z')
      await storage.close()
    })

    // That of SQLite is a copy of the files, which a start migrates like any other.
    if (flavour === 'postgres')
      test('a backup of it is restored as it was, and the first start migrates it', async () => {
        await using former = await formerDatabase(flavour)
        await using restored = await freshDatabase(flavour)
        await using folder = await backupFolder()
        await backUpFrom(former.url, folder.at('one'))
        await restoreTo(restored.url, folder.at('one'))
        assert.deepEqual(await migrationsIn(restored.url), ['001-baseline'])
        const storage = await openAt(restored.url)
        assert.deepEqual(await migrationsIn(restored.url), FILES)
        assert.deepEqual(await storage.users.byId('101'), aUser())
        assert.deepEqual(await storage.webhooks.list('1'), [aWebhook()])
        assert.equal(await storage.bearerTokens.obtain('1', 'other', 1), 'token')
        await storage.audit.append({
          atMs: 2,
          action: 'after',
          status: 200,
          detail: '',
          tokenName: null,
          address: null,
          appId: null,
          userId: null,
          changes: [],
        })
        assert.deepEqual(
          (await storage.audit.list(null, 9)).map(({ number, action }) => [number, action]),
          [
            [2, 'after'],
            [1, 'seed'],
          ],
        )
        await storage.close()
      })

    test('a declared table that cannot be made leaves the whole database unchanged', async () => {
      await using database = await formerDatabase(flavour)
      await rawRows(database.url, 'create table things (id integer primary key, balance integer)')
      const before = await tableNames(database.url)
      const things: RecordType = {
        table: 'things',
        scope: 'account_id',
        sortable: [],
        filterable: [],
        key: 'id',
        keyUniqueIn: 'table',
        columns: {},
      }
      await assert.rejects(openWith(database.url, [...recordTypes, things]), /table things was not made by Postern/)
      assert.deepEqual(await tableNames(database.url), before)
      assert.deepEqual(await migrationsOf02(database.url), ['001-baseline'])
      await (await openAt(database.url)).close()
    })

    test('one of before 0.2.0 is refused, with the commit that migrates it, and left unchanged', async () => {
      await using database = await olderDatabase(flavour, '001-state', '002-secret-versions')
      const before = await tableNames(database.url)
      await assert.rejects(openBoth(database.url), TOO_OLD)
      assert.deepEqual(await tableNames(database.url), before)
      assert.deepEqual(await migrationsOf02(database.url), ['001-state', '002-secret-versions'])
    })

    test('one that this commit has migrated opens', async () => {
      await using database = await formerDatabase(flavour)
      for (const name of ['001-state', '030-drop-keyword-lists']) await rawRows(database.url, recorded(name))
      await rawRows(database.url, `delete from migrations where name = '001-baseline'`)
      const { storage, close } = await openBoth(database.url)
      assert.deepEqual(await storage.users.byId('101'), aUser())
      await close()
      assert.deepEqual(await migrationsIn(database.url), FILES)
    })
  })

test('processes that start together on a former PostgreSQL database migrate it once', async () => {
  await using database = await formerDatabase('postgres')
  const storages = await Promise.all(Array.from({ length: 4 }, () => openAt(database.url)))
  assert.deepEqual(await migrationsIn(database.url), FILES)
  for (const storage of storages) await storage.close()
})

test('a SQLite event log of before 0.2.0 is refused alike, and opens once it has run all former migrations', async () => {
  await using database = await freshDatabase('sqlite')
  const path = `${database.url.slice('sqlite:'.length)}.events`
  const appended = await openBoth(database.url)
  await appended.eventLog.append([
    { eventType: 'post.create', userId: '1', content: Buffer.from('{}'), targets: [{ webhookId: '10', match: '"m":10' }] },
  ])
  await appended.close()
  const write = (...statements: string[]) => {
    using file = new DatabaseSync(path)
    for (const statement of statements) file.exec(statement)
  }
  write(
    'delete from migrations',
    'delete from schema_changes',
    'alter table attempt drop column timing',
    'alter table event drop column traceparent',
    'drop index attempt_undelivered',
    'drop index retry_by_time',
    'drop index retry_of_webhook',
    recorded('001-event-log'),
    recorded('002-responses'),
  )
  await assert.rejects(openBoth(database.url), TOO_OLD)
  write(recorded('003-streams'))
  const { eventLog, close } = await openBoth(database.url)
  assert.deepEqual(
    (await eventLog.report({ limit: 9 })).map(({ eventType }) => eventType),
    ['post.create'],
  )
  await close()
  using file = new DatabaseSync(path)
  assert.deepEqual(
    file
      .prepare(`select name from migrations union all select name from schema_changes where kind <> 'release'`)
      .all()
      .map(({ name }) => name),
    ['001-baseline', '002-timing', '003-rare-states', '004-traceparent', '005-retries-of-webhooks'],
  )
})
