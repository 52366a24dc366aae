import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { Client } from 'pg'
import { createClock } from '../../src/lib/clock.ts'
import { connectForBackup } from '../../src/storage/backup/back-up-postgres.ts'
import { placeOf } from '../../src/storage/postgres/place.ts'
import { openEngine } from '../../src/storage/sql/open-storage.ts'
import type { Database } from '../../src/storage/sql/schema.ts'
import { isUnavailable } from '../../src/storage/unavailable.ts'
import { migratedDatabase } from '../stage/database.ts'
import { startGate } from '../stage/gate.ts'
import { until } from '../stage/pause.ts'
import { anApp, aUser, aWebhook, openAt, openedAlone, rawRows } from './samples.ts'

const settingOf = async (db: Kysely<Database>, name: string) =>
  Object.values((await sql<Record<string, string>>`show ${sql.raw(name)}`.execute(db)).rows[0]!)[0]

const timeouts = ['lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout', 'tcp_user_timeout']

test('a database is named without its user and password, in every form of URL that the driver accepts', () => {
  assert.equal(placeOf('postgres://ada:secret@db.example:5433/postern?sslmode=require'), 'db.example:5433/postern')
  assert.equal(placeOf('postgres://ada@/postern?host=/var/run/postgresql'), 'PostgreSQL')
})

suite('connections to postgres', () => {
  test('no connection waits for ever for a lock, and none keeps one for a frozen process', async () => {
    await using database = await migratedDatabase('postgres')
    const engine = await openEngine({ url: database.url, clock: createClock() })
    const of = (db: Kysely<Database>) => Promise.all(timeouts.map((name) => settingOf(db, name)))
    assert.deepEqual(await of(engine.db), ['2s', '8s', '10s', '30000'])
    assert.deepEqual(await of(engine.transactions), ['1s', '18s', '10s', '30000'])
    assert.deepEqual(await of(engine.maintenance), ['0', '0', '10s', '30000'])
    await engine.close()
  })

  test('no session is ended because it is idle, and no transaction because it is long, whatever the database has set', async () => {
    await using database = await migratedDatabase('postgres', { unused: true })
    const limits = ['idle_session_timeout', 'transaction_timeout']
    const name = new URL(database.url).pathname.slice(1)
    await rawRows(database.url, limits.map((limit) => `alter database "${name}" set ${limit} = '1s'`).join('; '))
    const outsider = new Client({ connectionString: database.url })
    await outsider.connect()
    const asked = (client: Client) =>
      Promise.all(limits.map(async (limit) => Object.values((await client.query(`show ${limit}`)).rows[0]!)[0]))
    assert.deepEqual(await asked(outsider), ['1s', '1s'])
    await outsider.query('set idle_session_timeout = 0')
    const opened = async () => {
      const engine = await openEngine({ url: database.url, clock: createClock() })
      await engine.ready([])
      return engine
    }
    const engines = [await opened(), await opened()]
    for (const { db, maintenance } of engines)
      for (const each of [db, maintenance]) assert.deepEqual(await Promise.all(limits.map((limit) => settingOf(each, limit))), ['0', '0'])
    const ofBackup = await connectForBackup(database.url)
    assert.deepEqual(await asked(ofBackup), ['0', '0'])
    await ofBackup.end()
    /** The sessions of the engines, and whether all that wait have done so for longer than the limit. */
    const sessions = async () => {
      const { rows } = await outsider.query(`select pid, state <> 'idle' or now() - state_change > '1.5 s' as "isLong"
        from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() order by pid`)
      return { pids: rows.map(({ pid }) => pid), areLong: rows.every(({ isLong }) => isLong) }
    }
    const { pids } = await sessions()
    assert.ok(pids.length >= 8, `${pids.length} sessions`)
    await until(async () => {
      const now = await sessions()
      return now.areLong || now.pids.length < pids.length
    })
    assert.deepEqual((await sessions()).pids, pids)
    for (const engine of engines) await engine.close()
    await outsider.end()
  })

  test("settings in the options of a URL are combined with Postern's", async () => {
    await using database = await migratedDatabase('postgres')
    await rawRows(database.url, 'create schema postern')
    const url = `${database.url}?options=-c%20search_path%3Dpostern`
    const engine = await openEngine({ url, clock: createClock() })
    assert.equal(await settingOf(engine.db, 'search_path'), 'postern')
    assert.equal(await settingOf(engine.db, 'lock_timeout'), '2s')
    await engine.close()
  })

  test('while another process locks an app, requests that wait for it hold no connection, and all other apps are served', async () => {
    await using it = await openedAlone('postgres', { fresh: true })
    const { apps, webhooks } = it.storage
    for (let n = 2; n <= 12; n += 1) await apps.insert(anApp({ id: `${n}` }))
    const holder = new Client({ connectionString: it.url })
    await holder.connect()
    await holder.query('begin')
    await holder.query(`select id from apps where id <> '12' for update`)
    const ids = Array.from({ length: 55 }, (_, n) => ({ id: `${100 + n}`, appId: `${1 + (n % 11)}`, normalUrl: `https://${n}.example/` }))
    const waiting = ids.map((webhook) => webhooks.register(aWebhook(webhook), 9))
    assert.equal(await webhooks.register(aWebhook({ id: '99', appId: '12' }), 5), 'created')
    assert.equal((await apps.byId('1'))?.id, '1')
    await it.storage.ping()
    await holder.query('commit')
    await holder.end()
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['created']))
  })

  test('a single statement whose answer is lost may have been done, as its error says; one that reads changed nothing', async () => {
    await using database = await migratedDatabase('postgres')
    await using gate = await startGate(database.url)
    const storage = await openAt(gate.url)
    await storage.users.insert(aUser())
    await storage.sessions.insert('kept', aUser(), 1000, 0)
    const saying = (what: RegExp) => (error: Error) => isUnavailable(error) && what.test(error.message)

    gate.loseAnswerTo('from "parked_messages"')
    await assert.rejects(storage.parkedMessages.byId('1'), saying(/Nothing was changed/))
    gate.loseAnswerTo('delete from "sessions"')
    await assert.rejects(storage.sessions.remove('kept'), saying(/It may have been done/))
    assert.equal(await storage.sessions.userOf('kept', 0), undefined)
    await storage.close()
  })
})
