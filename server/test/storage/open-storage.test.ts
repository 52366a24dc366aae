import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { suite, test } from 'node:test'
import { Kysely } from 'kysely'
import type { AnyResource } from '../../src/api/records/resource.ts'
import { Campaign } from '../../src/endpoints/ads/resources/campaign.ts'
import { recordTypes } from '../../src/endpoints/index.ts'
import { insertPost } from '../../src/endpoints/posts/new-post.ts'
import { type Clock, createClock } from '../../src/lib/clock.ts'
import { HOUR_MS } from '../../src/lib/time.ts'
import type { ContentTransaction } from '../../src/storage/content.ts'
import { directMessages, lists, media, places, polls, spaces, topics } from '../../src/storage/content-tables.ts'
import type { RecordType } from '../../src/storage/records.ts'
import type { Database } from '../../src/storage/sql/schema.ts'
import { createSqliteDialect } from '../../src/storage/sql/sqlite/dialect.ts'
import { openSqliteFile } from '../../src/storage/sql/sqlite/engine.ts'
import { createWithoutSync } from '../../src/storage/sql/sqlite/without-sync.ts'
import { type Flavour, freshDatabase, migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { fillCatalogs } from '../stage/fill-catalogs.ts'
import { fillRecords, recordOf } from '../stage/fill-records.ts'
import { pause } from '../stage/pause.ts'
import { canMount, mountSmallDisk } from '../stage/small-disk.ts'
import {
  aCode,
  anApp,
  aReplayJob,
  aRequestToken,
  aSubscription,
  aUser,
  aUserToken,
  aWebhook,
  columnsOf,
  newTokens,
  openAt,
  opened,
  rawRows,
  SECRET,
} from './samples.ts'

/** Their names, in the order in which they run. */
const migrations = globSync('[0-9]*.ts', { cwd: join(import.meta.dirname, '../../src/storage/sql/migrations') })
  .map((name) => name.replace('.ts', ''))
  .sort()

/** Tables that a wipe leaves as they are, or, of the metadata, in part. The event log has a wipe of its own. */
const KEPT = /^(metadata|migrations|schema_changes|worker_leases|caching_processes|hour_parts|app_loads|log_.*|sqlite_.*)$/

const mayMount = await canMount()

const pathOf = (url: string) => url.slice('sqlite:'.length)

const ownerOf = ({ scope, listedFrom }: RecordType): Record<string, string> =>
  listedFrom ? { user_id: '101', host: 'production' } : { [scope]: 'a0' }

/** A row of each table of the data objects. */
async function fillContent(transaction: ContentTransaction) {
  const post = { id: '1', authorId: '101', text: 'Hello', createdAtMs: 1 }
  await insertPost(transaction, post, { mentioned: new Map(), isAuthorVerified: false, mediaKinds: [] })
  await transaction.insert(media, { media_key: '3_1', type: 'photo', created_at_ms: 1, view_count: 0 })
  await transaction.insert(polls, { id: '1', options: '[]', duration_minutes: 5, end_ms: 1 })
  const names = { full_name: '', name: '', country: '', country_code: '', place_type: '' }
  await transaction.insert(places, { id: '1', ...names })
  const list = {
    id: '1',
    owner_id: '101',
    name: 'x',
    description: '',
    private: false,
    created_at_ms: 1,
    member_count: 0,
    follower_count: 0,
  }
  await transaction.insert(lists, list)
  const times = { created_at_ms: 1, updated_at_ms: 1 }
  const space = { creator_id: '101', title: '', state: 'live', lang: '', is_ticketed: false, participant_count: 0, subscriber_count: 0 }
  await transaction.insert(spaces, { id: '1', ...space, ...times })
  await transaction.insert(topics, { id: '1', name: 'x', description: '' })
  const message = { conversation_id: '101-102', event_type: 'MessageCreate', sender_id: '101', text: 'x', created_at_ms: 1 }
  await transaction.insert(directMessages, { id: '1', ...message })
  await transaction.relate({ relation: 'follow', source: '101', target: '102' }, '1')
}

/** Rows that come and go by themselves: of work that is left over, and of audiences, which SQLite keeps in another file. */
const onBoth = [
  'insert into removed_posts (id) values (1)',
  `insert into uploads (id, owner_id, media_key, additional_owners, total_bytes, received_bytes, state, revision, progress, created_at_ms,
    expires_at_ms) values ('1', '101', '3_1', '[]', 1, 1, 'open', 0, 0, 1, 1)`,
  `insert into upload_segments (upload_id, position, file_key, size) values ('1', 0, 'segments/1', 1)`,
  `insert into upload_totals (owner_id, bytes) values ('101', 1)`,
  `insert into outbox (event_uuid, event_type, user_id, body) values ('1', 'post.create', '101', '{}')`,
  `insert into stream_connections (id, app_id, worker, created_at_ms) values ('1', '1', 63, 1)`,
  `insert into ads_posts (id, post_id, account_id, made) values ('a0 1', 1, 'a0', true)`,
  `insert into scheduled_posts (id, position, account_id, user_id, creator_id, changer_id, text, nullcast, source, scheduled_at_ms, status,
    created_at_ms, updated_at_ms) values ('1', 1, 'a0', '101', '101', '101', 'x', true, '', 1, 'SCHEDULED', 1, 1)`,
]

const leftOvers: Record<Flavour, readonly string[]> = {
  sqlite: onBoth,
  postgres: [
    ...onBoth,
    `insert into audience_numbers (id) values ('a')`,
    String.raw`insert into audience_members (audience, identifier, effective, expires, size) values (1, '\x00', 0, 1, 1)`,
    'insert into audience_size_changes (audience, at, change) values (1, 0, 1)',
  ],
}

for (const flavour of databasesOf(import.meta)) {
  suite(`opening the storage on ${flavour}`, () => {
    test('everything exists again after close and open', async () => {
      await using database = await migratedDatabase(flavour)
      const before = await openAt(database.url)
      await before.apps.insert(anApp())
      await before.bearerTokens.obtain('1', 'token', 1)
      await before.users.insert(aUser())
      await before.webhooks.register(aWebhook(), 5)
      await before.subscriptions.insert(aSubscription(), 5)
      await before.replayJobs.create(aReplayJob())
      await before.audit.append({
        atMs: 1,
        action: 'seed',
        status: 200,
        detail: '',
        tokenName: null,
        address: null,
        appId: null,
        userId: null,
        changes: [],
      })
      await before.metadata.set('name', 'value')
      await before.close()

      const after = await openAt(database.url)
      assert.deepEqual(await after.apps.list(null, 9), [anApp()])
      assert.equal(await after.bearerTokens.obtain('1', 'other', 1), 'token')
      assert.deepEqual(await after.users.byId('101'), aUser())
      assert.deepEqual(await after.webhooks.list('1'), [aWebhook()])
      assert.deepEqual(await after.subscriptions.list('1', null, 9), [aSubscription()])
      assert.deepEqual(await after.replayJobs.byId('500'), aReplayJob())
      assert.equal((await after.audit.list(null, 9)).length, 1)
      assert.equal(await after.metadata.get('name'), 'value')
      await after.close()
    })

    test('a start that fails at the last step leaves nothing open', async () => {
      await using database = await migratedDatabase(flavour)
      const clock = createClock()
      const broken: Clock = {
        ...clock,
        after(delayMs, ...rest) {
          if (delayMs === HOUR_MS) throw new Error('no hourly work')
          return clock.after(delayMs, ...rest)
        },
      }
      await assert.rejects(openAt(database.url, broken), /no hourly work/)
      const storage = await openAt(database.url)
      assert.equal(storage.worker, 0)
      await storage.close()
    })

    test('a wrong secret is rejected by name, and the right one still works', async () => {
      await using database = await migratedDatabase(flavour)
      await (await openAt(database.url)).close()
      await assert.rejects(openAt(database.url, createClock(), ['another secret altogether, also forty long']), /POSTERN_SECRET/)
      await (await openAt(database.url)).close()
    })

    test('of a list of secrets the first encrypts and all decrypt', async () => {
      await using database = await migratedDatabase(flavour)
      const before = await openAt(database.url)
      await before.apps.insert(anApp())
      await before.close()
      const during = await openAt(database.url, createClock(), ['the new secret of at least 32 characters', SECRET])
      assert.deepEqual(await during.apps.byId('1'), anApp())
      await during.apps.insert(anApp({ id: '2' }))
      await during.close()
      const without = await openAt(database.url)
      await assert.rejects(without.apps.byId('2'), /POSTERN_SECRET/)
      await without.close()
    })

    test('a database that a newer version has migrated is rejected and left unchanged', async () => {
      await using database = await migratedDatabase(flavour)
      const before = await rawRows(database.url, 'select name from migrations')
      await rawRows(database.url, `insert into migrations (name, timestamp) values ('999-future', '2999-01-01T00:00:00.000Z')`)
      await assert.rejects(openAt(database.url), /newer than this Postern: it has run the migration 999-future/)
      assert.equal((await rawRows(database.url, 'select name from migrations')).length, before.length + 1)
    })

    test('a wipe leaves only what is needed to open the database again', async () => {
      await using it = await opened(flavour, { fresh: true })
      const { storage } = it
      await storage.bearerTokens.obtain('1', 'token', 1)
      await storage.users.insert(aUser())
      await storage.webhooks.register(aWebhook(), 5)
      await storage.subscriptions.insert(aSubscription(), 5)
      await storage.replayJobs.create(aReplayJob())
      await storage.resendJobs.create({
        id: '600',
        appId: null,
        eventType: null,
        states: ['given_up'],
        fromMs: 1,
        toMs: 2,
        state: 'running',
        place: null,
        resent: 0,
        refused: 0,
        createdAtMs: 1,
        finishedAtMs: null,
      })
      await storage.audit.append({
        atMs: 1,
        action: 'seed',
        status: 200,
        detail: '',
        tokenName: null,
        address: null,
        appId: null,
        userId: null,
        changes: [],
      })
      const parked = { stream: 'EVENTS', sequence: 1, subject: 'events', reason: 'reason', bytes: 1, content: '{' }
      await storage.parkedMessages.park({ id: '700', ...parked, receivedAtMs: 1, parkedAtMs: 1 }, 'life')
      await storage.metadata.set('name', 'value')
      await storage.rateWindows.hit('k', 900, 5)
      await storage.requestTokens.insert(aRequestToken(), 0)
      await storage.requestTokens.grant(aRequestToken().token, aUser(), 'verifier', 0)
      await storage.userTokens.insert(aUserToken())
      await storage.oauth2Grants.insertCode(aCode(), aUser(), 0)
      await storage.oauth2Grants.exchangeCode(
        aCode().code,
        '1',
        () => undefined,
        () => ({ ...newTokens(), grantId: 'grant' }),
        0,
      )
      await storage.oauth2Grants.insertCode(aCode(), aUser(), 0)
      await storage.sessions.insert('session', aUser(), 5, 0)
      await storage.nonces.accept('nonce', 5, 0)
      await storage.signInAddresses.remember(aUser(), '192.0.2.1', 5)
      await storage.audit.countFailures([{ hourMs: 0, kind: 'password', address: '192.0.2.1', count: 1 }], 5)
      await storage.usage.add(new Map([['1', { events: 1, deliveries: 1 }]]), 202603)
      await storage.appLoads.save({ process: 'one', part: 1, bucket: 1, minutes: 1, counts: '[]' }, () => '[]')
      await storage.content.change(fillContent)
      await fillCatalogs(storage)
      for (const statement of leftOvers[flavour]) await rawRows(it.url, statement)
      for (const recordType of recordTypes)
        await fillRecords(it.url, recordType as AnyResource, ownerOf(recordType), [recordOf(recordType as AnyResource, 0, 'a')])
      await storage.records.change('a0', { userId: '101', nowMs: 1 }, async (transaction) => {
        for (const record of await transaction.find(Campaign, 'id', 'a0')) await transaction.remove(Campaign, record)
      })
      const tables = new Set((await columnsOf(it.url)).map(({ table }) => table).filter((table) => !KEPT.test(table)))
      assert.ok(tables.size >= 11)
      for (const table of tables) assert.notEqual((await rawRows(it.url, `select * from ${table}`)).length, 0, table)

      await storage.wipe()

      for (const table of tables) assert.deepEqual(await rawRows(it.url, `select * from ${table}`), [], table)
      assert.deepEqual(
        (await rawRows(it.url, 'select name from metadata order by name')).map(({ name }) => name),
        ['declared_tables', ...(flavour === 'postgres' ? ['process_0', 'process_1'] : []), 'sealing_proof'],
      )
      assert.equal((await storage.rateWindows.hit('k', 900, 6)).count, 1)
      await storage.close()
      await (await openAt(it.url)).close()
    })

    test('ping answers while the storage is open, and rejects once it is closed', async () => {
      await using it = await opened(flavour, { fresh: true })
      await it.storage.ping()
      await it.storage.close()
      await assert.rejects(it.storage.ping())
    })

    test('closing twice has no further effect', async () => {
      await using it = await opened(flavour, { fresh: true })
      await Promise.all([it.storage.close(), it.storage.close()])
      await it.storage.close()
    })
  })
}

suite('a SQLite file', () => {
  test('a commit that returned survives a power failure, and references are enforced', async () => {
    await using database = await freshDatabase('sqlite')
    using file = openSqliteFile(pathOf(database.url))
    const pragma = (name: string) => Object.values(file.prepare(`pragma ${name}`).get()!)[0]
    assert.equal(pragma('journal_mode'), 'wal')
    assert.equal(pragma('synchronous'), 2)
    assert.equal(pragma('foreign_keys'), 1)
    assert.equal(pragma('busy_timeout'), 5000)
  })

  test('what the next start repeats does not wait for the disk, and what comes afterwards does, also if it fails', async () => {
    const file = openSqliteFile(':memory:')
    const db = new Kysely<Database>({ dialect: createSqliteDialect({ file, path: ':memory:' }) })
    const { repeatably } = createWithoutSync(db, file)
    const level = () => (file.prepare('pragma synchronous').get() as { synchronous: number }).synchronous
    assert.equal(await repeatably(async () => level()), 1)
    assert.equal(level(), 2)
    await assert.rejects(
      repeatably(async () => {
        throw new Error('refused')
      }),
      /refused/,
    )
    assert.equal(level(), 2)
    await db.destroy()
  })

  test('its folder is created for its owner only', async () => {
    await using database = await freshDatabase('sqlite')
    const path = join(dirname(pathOf(database.url)), 'made', 'for', 'it.db')
    await (await openAt(`sqlite:${path}`)).close()
    assert.equal((await stat(dirname(path))).mode & 0o777, 0o700)
  })

  test('it serves one process: another is rejected while it is open, and accepted afterwards', async () => {
    await using database = await freshDatabase('sqlite')
    const first = await openAt(database.url)
    await assert.rejects(openAt(database.url), /in use by another process/)
    await first.ping()
    await first.close()
    await (await openAt(database.url)).close()
  })

  test('nothing of it stays open after close', async () => {
    await using database = await freshDatabase('sqlite')
    const storage = await openAt(database.url)
    await storage.apps.insert(anApp())
    assert.ok(await stat(`${pathOf(database.url)}-wal`))
    await storage.close()
    await assert.rejects(stat(`${pathOf(database.url)}-wal`), { code: 'ENOENT' })
  })

  test('a storage in memory is complete, and a second one shares nothing with the first', async () => {
    const [one, other] = [await openAt('sqlite::memory:'), await openAt('sqlite::memory:')]
    await one.apps.insert(anApp())
    assert.deepEqual(await one.apps.list(null, 9), [anApp()])
    assert.deepEqual(await other.apps.list(null, 9), [])
    await one.close()
    await other.close()
  })

  test('a path that cannot be opened is reported with its reason and the setting', async () => {
    await using database = await freshDatabase('sqlite')
    await assert.rejects(openAt(`sqlite:${dirname(pathOf(database.url))}`), /cannot be opened: .+ Check POSTERN_DATABASE_URL/)
  })

  if (mayMount)
    test('a disk that is full is named as what is to be mended', async () => {
      await using disk = (await mountSmallDisk(1))!
      await disk.take()
      await assert.rejects(openAt(`sqlite:${join(disk.folder, 'postern.db')}`), /cannot be opened: .+\. Make room on its disk\.$/)
    })
})

suite('a PostgreSQL database', () => {
  test('four processes that open an empty database concurrently all succeed', async () => {
    await using database = await freshDatabase('postgres')
    const storages = await Promise.all(Array.from({ length: 4 }, () => openAt(database.url)))
    assert.deepEqual(
      [
        ...(await rawRows(database.url, 'select name from migrations')),
        ...(await rawRows(database.url, `select name from schema_changes where kind <> 'release' order by name`)),
      ].map((row) => row.name),
      migrations,
    )
    for (const storage of storages) await storage.ping()
    for (const storage of storages) await storage.close()
  })

  test('no connection stays open after close, or after an error', async () => {
    await using database = await migratedDatabase('postgres', { unused: true })
    const { url } = database
    const others = () => rawRows(url, 'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()')
    const storage = await openAt(url)
    assert.ok((await others()).length >= 2)
    await storage.close()
    await assert.rejects(openAt(url, createClock(), ['another secret altogether, also forty long']))
    while ((await others()).length > 0) await pause()
  })

  test('a server that cannot be reached is named, without the password', async () => {
    const listener = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => listener.once('listening', resolve))
    const { port } = listener.address() as { port: number }
    await new Promise((resolve) => listener.close(resolve))
    await assert.rejects(openAt(`postgres://me:hush@127.0.0.1:${port}/postern`), (error: Error) => {
      assert.match(error.message, new RegExp(`127\\.0\\.0\\.1:${port}/postern cannot be used: .*ECONNREFUSED.*POSTERN_DATABASE_URL`))
      assert.doesNotMatch(error.message, /hush/)
      return true
    })
  })

  test('a database that does not exist is reported', async () => {
    const url = new URL(process.env.POSTERN_TEST_POSTGRES!)
    url.pathname = '/nowhere'
    await assert.rejects(openAt(url.href), /"nowhere" does not exist/)
  })
})

test('a URL of another kind is rejected', async () => {
  await assert.rejects(openAt('mysql://127.0.0.1/x'), /must begin with sqlite: or postgres:/)
})
