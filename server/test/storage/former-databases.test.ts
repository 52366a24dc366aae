import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import pino from 'pino'
import { Campaign } from '../../src/endpoints/ads/resources/campaign.ts'
import { recordTypes } from '../../src/endpoints/index.ts'
import { createClock } from '../../src/lib/clock.ts'
import { createSeal } from '../../src/lib/seal.ts'
import type { Delivery } from '../../src/storage/event-log.ts'
import { openDatabase } from '../../src/storage/open-database.ts'
import type { RecordType } from '../../src/storage/records.ts'
import { type Flavour, freshDatabase, type TestDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { anApp, aReplayJob, aSubscription, aUser, aUserToken, aWebhook, openAt, openWith, rawRows, SECRET } from './samples.ts'

const dump = (name: string) => readFile(join(import.meta.dirname, 'former', `${name}.sql`), 'utf8')

async function restoreFile(path: string, name: string) {
  using file = new DatabaseSync(path)
  file.exec(await dump(name))
}

/** A database that a former version of Postern left, with something in each of its tables. */
async function formerDatabase(flavour: Flavour): Promise<TestDatabase> {
  const database = await freshDatabase(flavour)
  if (flavour === 'postgres') await rawRows(database.url, await dump('postgres'))
  else {
    const path = database.url.slice('sqlite:'.length)
    await restoreFile(path, 'sqlite')
    await restoreFile(`${path}.events`, 'sqlite-events')
  }
  return database
}

async function openBoth(url: string, logger = pino({ level: 'silent' })) {
  const seal = createSeal([SECRET])
  const database = await openDatabase({ url, clock: createClock(), seal, recordTypes, logger })
  const held: Delivery[] = []
  database.eventLog.onHeld((deliveries) => void held.push(...deliveries))
  await database.eventLog.recover()
  return { ...database, held }
}

const tableNames = async (url: string) =>
  (
    await rawRows(
      url,
      url.startsWith('sqlite:')
        ? `select name from sqlite_schema where type = 'table'`
        : `select table_name as name from information_schema.tables where table_schema = 'public'`,
    )
  ).map(({ name }) => name as string)

const migrationsIn = async (url: string) => (await rawRows(url, 'select name from migrations order by name')).map(({ name }) => name)

/** Every migration: each is a file. One that is not in the list of `migrate-database.ts` is missing in the database. */
const FILES = globSync('[0-9]*.ts', { cwd: join(import.meta.dirname, '../../src/storage/sql/migrations') })
  .map((file) => file.replace(/\.ts$/, ''))
  .sort()

/** Those that the former version had run. */
const FORMER = [
  '001-state',
  '002-secret-versions',
  '003-order-of-challenges',
  '004-sign-in',
  '005-accounts',
  '006-member-permissions',
  '007-worker-leases',
]

for (const flavour of databasesOf(import.meta))
  suite(`a database of a former version on ${flavour}`, () => {
    test('everything in its state exists after it is migrated', async () => {
      await using database = await formerDatabase(flavour)
      const storage = await openAt(database.url)
      const noClient = { oauth2ClientId: null, oauth2ClientType: null, oauth2ClientSecret: null }
      assert.deepEqual(await storage.apps.list(null, 9), [anApp(noClient)])
      assert.equal(await storage.bearerTokens.obtain('1', 'other', 1), 'token')
      assert.deepEqual(await storage.users.byId('101'), aUser())
      assert.deepEqual(await storage.webhooks.list('1'), [aWebhook(), aWebhook({ id: '11' })])
      assert.deepEqual(await storage.subscriptions.list('1', null, 9), [aSubscription()])
      assert.deepEqual(await storage.replayJobs.byId('500'), aReplayJob())
      const audited = { number: 1, atMs: 1, action: 'seed', status: 200, detail: 'all of it', tokenName: null, address: null }
      assert.deepEqual(await storage.audit.list(null, 9), [audited])
      assert.equal(await storage.metadata.get('clock_offset'), '5')
      assert.equal((await storage.requestTokens.find('request-token-in-the-clear', 0))?.granted, true)
      assert.deepEqual(await storage.userTokens.find(aUserToken().token), { token: aUserToken(), user: aUser() })
      assert.deepEqual(await storage.sessions.userOf('session', 0), aUser())
      assert.equal(await storage.nonces.accept('nonce', 9_000_000_000_000, 0), false)
      assert.equal(await storage.nonces.accept('another', 9_000_000_000_000, 0), true)
      assert.deepEqual(await storage.accountMembers.find('production', 'acc', '101'), {
        role: 'ANALYST',
        permissions: ['TWEET_COMPOSER'],
        deleted: false,
      })
      const campaign = await storage.records.get(Campaign, 'acc', 'k1')
      assert.equal(campaign?.daily_budget_amount_local_micro, 4611686018427387905n)
      assert.equal(campaign?.purchase_order_number, 'ὀδός')
      const history = { accountId: 'acc', entity: 'CAMPAIGN', entityId: 'k1', fromMs: 0, toMs: 9_000_000_000_000, limit: 9 }
      const [entry] = await storage.accountHistory.list(history)
      assert.deepEqual([entry?.changeType, entry?.userId, entry?.entityData.name], ['CREATE', '101', 'zoo'])
      await storage.close()
    })

    test('a bearer token counts as bought with the secret that its app has', async () => {
      await using database = await formerDatabase(flavour)
      await rawRows(database.url, 'update apps set secret_version = 3')
      const storage = await openAt(database.url)
      assert.equal((await storage.bearerTokens.appOf('token'))?.id, '1')
      await storage.apps.update('1', {}, { secret: 'fourth', previousUntilMs: null })
      assert.equal(await storage.bearerTokens.appOf('token'), undefined)
      await storage.close()
    })

    test('its event log returns open deliveries and reports delivered ones', async () => {
      await using database = await formerDatabase(flavour)
      const { eventLog, held, close } = await openBoth(database.url)
      const seen = ({ eventUuid, webhookId, match, attempts, content }: Delivery) => [
        eventUuid,
        webhookId,
        match,
        attempts,
        Buffer.from(content).toString(),
      ]
      assert.deepEqual(held.map(seen), [['given', '10', '"m":10', 0, '{"text":"héllo"}']])
      const due = (await eventLog.takeDue(9_000_000_000_000, 9)).map(seen)
      const uuid = due[0]![0]
      assert.deepEqual(due, [[uuid, '11', '"m":11', 1, '{"text":"héllo"}']])
      const reports = await eventLog.report({ limit: 9 })
      assert.deepEqual(
        reports.map(({ eventUuid, webhookId, state, attempts }) => [eventUuid, webhookId, state, attempts.length]),
        [
          ['given', '10', 'pending', 0],
          [uuid, '10', 'delivered', 1],
          [uuid, '11', 'retrying', 1],
        ],
      )
      await eventLog.append([{ eventType: 'post.create', userId: '1', content: Buffer.from('{}'), targets: [] }])
      await close()
      const again = await openBoth(database.url)
      assert.equal((await again.eventLog.report({ limit: 9 })).length, 3)
      await again.close()
    })

    test('each step that migrates it is logged with its name and duration, once', async () => {
      await using database = await formerDatabase(flavour)
      const lines: { level: number; msg: string; migration: string; duration_ms: number }[] = []
      const logger = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
      for (let time = 0; time < 2; time++) await (await openBoth(database.url, logger)).close()
      const steps = lines.filter(({ msg }) => / migrated$/.test(msg))
      const named = (what: string) => steps.filter(({ msg }) => msg === `${what} migrated`).map(({ migration }) => migration)
      assert.deepEqual(named('database'), [...FILES.filter((name) => !FORMER.includes(name)), 'declared tables'])
      assert.deepEqual(named('event log'), flavour === 'sqlite' ? ['001-event-log', '002-responses', '003-streams'] : [])
      for (const { level, duration_ms } of steps) assert.ok(level === 30 && duration_ms >= 0)
    })

    test('it ends with the same tables as a new one', async () => {
      await using former = await formerDatabase(flavour)
      await using fresh = await freshDatabase(flavour)
      for (const { url } of [former, fresh]) await (await openBoth(url)).close()
      assert.deepEqual((await tableNames(former.url)).sort(), (await tableNames(fresh.url)).sort())
      assert.deepEqual(await migrationsIn(former.url), await migrationsIn(fresh.url))
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
      assert.deepEqual(await migrationsIn(database.url), FORMER)
      await (await openAt(database.url)).close()
    })
  })

test('processes that start together on a former PostgreSQL database migrate it once', async () => {
  await using database = await formerDatabase('postgres')
  const storages = await Promise.all(Array.from({ length: 4 }, () => openAt(database.url)))
  assert.deepEqual(await migrationsIn(database.url), FILES)
  for (const storage of storages) await storage.close()
})

test('a PostgreSQL event log of the first version loses only its registrations', async () => {
  await using database = await formerDatabase('postgres')
  await rawRows(
    database.url,
    'drop index log_owner_worker; delete from log_version where version = 2; insert into log_owner (worker) values (3), (3)',
  )
  const { held, close } = await openBoth(database.url)
  assert.equal(held.length, 1)
  await close()
  assert.deepEqual(await rawRows(database.url, 'select * from log_owner'), [])
})

test('a SQLite event log of the first version gets an id and loses nothing', async () => {
  await using database = await formerDatabase('sqlite')
  const path = database.url.slice('sqlite:'.length)
  await rawRows(database.url, `delete from facts where name = 'event_log'`)
  using file = new DatabaseSync(`${path}.events`)
  file.exec(`drop table header; delete from mark where name = 'trimmed'; pragma user_version = 1`)
  file.close()
  const { held, close } = await openBoth(database.url)
  assert.equal(held.length, 1)
  await close()
})
