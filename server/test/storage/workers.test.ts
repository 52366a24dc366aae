import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { recordTypes } from '../../src/endpoints/index.ts'
import { createClock } from '../../src/lib/clock.ts'
import { createSeal } from '../../src/lib/seal.ts'
import type { Change } from '../../src/storage/changes.ts'
import { createOutage } from '../../src/storage/outage.ts'
import { RECONNECT_DELAY_MS } from '../../src/storage/postgres/reconnecting-client.ts'
import type { Role } from '../../src/storage/roles.ts'
import { messageOf } from '../../src/storage/sql/announcer.ts'
import { openStorage } from '../../src/storage/sql/open-storage.ts'
import { createPeerWatch } from '../../src/storage/sql/postgres/peer-watch.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { startCountingProxy } from '../stage/counting-proxy.ts'
import { freshDatabase, migratedDatabase } from '../stage/database.ts'
import { until } from '../stage/pause.ts'
import { startSilentProxy } from '../stage/silent-proxy.ts'
import { openAt, opened, rawRows, SECRET } from './samples.ts'

const SESSIONS = `select pid from pg_locks where locktype = 'advisory' and objsubid = 2
  and database = (select oid from pg_database where datname = current_database())`

const heardBy = (storage: Storage, kind: Change['kind']) =>
  new Promise<void>((resolve) => storage.changes.listen((change) => change.kind === kind && resolve()))

const isLost = (storage: Storage) => () =>
  storage.ping().then(
    () => false,
    () => true,
  )

/** Whether these, and no other, are the numbers that others wait for. */
const watchers = (url: string, numbers: number[]) => async () => {
  const rows = await rawRows(
    url,
    `select objid::int as worker from pg_locks where locktype = 'advisory' and not granted and objsubid = 2
    and database = (select oid from pg_database where datname = current_database()) order by 1`,
  )
  return rows.map(({ worker }) => worker).join() === numbers.join()
}

test('the one process of a SQLite file is worker 0', async () => {
  await using it = await opened('sqlite', { fresh: true })
  assert.equal(it.storage.worker, 0)
  assert.deepEqual(await it.storage.livingWorkers(), [0])
})

suite('workers on postgres', () => {
  test('each process has the lowest free number, and releases it when it closes', async () => {
    await using database = await migratedDatabase('postgres')
    const [zero, one, two] = [await openAt(database.url), await openAt(database.url), await openAt(database.url)]
    assert.deepEqual([zero.worker, one.worker, two.worker], [0, 1, 2])
    assert.deepEqual(await two.livingWorkers(), [0, 1, 2])
    await one.close()
    await until(async () => (await zero.livingWorkers()).length === 2)
    assert.deepEqual(await zero.livingWorkers(), [0, 2])
    const next = await openAt(database.url)
    assert.equal(next.worker, 1)
    for (const storage of [zero, two, next]) await storage.close()
  })

  test('processes that start concurrently never share a number', async () => {
    await using database = await freshDatabase('postgres')
    const storages = await Promise.all(Array.from({ length: 6 }, () => openAt(database.url)))
    assert.equal(new Set(storages.map((storage) => storage.worker)).size, 6)
    for (const storage of storages) await storage.close()
  })

  test('the numbers of another database are independent', async () => {
    await using one = await opened('postgres', { fresh: true })
    await using other = await opened('postgres', { fresh: true })
    assert.deepEqual(await one.storage.livingWorkers(), [0, 1])
    assert.deepEqual(await other.storage.livingWorkers(), [0, 1])
  })

  test('when all 64 are taken, the next process gets an error', async () => {
    await using database = await migratedDatabase('postgres')
    const first = await openAt(database.url)
    const [{ classid }] = (await rawRows(database.url, SESSIONS.replace('pid', 'classid::int'))) as [{ classid: number }]
    const holder = new (await import('pg')).Client({ connectionString: database.url })
    await holder.connect()
    await holder.query('select pg_advisory_lock($1, n) from generate_series(1, 63) as n', [classid])
    await assert.rejects(openAt(database.url), /All 64 worker numbers are in use/)
    await holder.end()
    await first.close()
  })

  test('after its connections are lost a process has its number again, receives everything, and queries continue', async () => {
    await using database = await migratedDatabase('postgres')
    const clock = createClock()
    const storage = await openAt(database.url, clock)
    const everything = heardBy(storage, 'everything')
    const session = storage.workerSession()
    const [{ pid }] = (await rawRows(database.url, SESSIONS)) as [{ pid: number }]

    await rawRows(
      database.url,
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await until(isLost(storage))
    await until(async () => storage.workerSession() === undefined)
    clock.advance(RECONNECT_DELAY_MS)
    await everything
    assert.ok(storage.workerSession()! > session!)

    await storage.ping()
    assert.deepEqual(await storage.livingWorkers(), [storage.worker])
    assert.notDeepEqual(await rawRows(database.url, SESSIONS), [{ pid }])
    const webhook = heardBy(storage, 'app')
    await rawRows(database.url, `select pg_notify('postern_changes', '${messageOf({ kind: 'app', id: '1' })}')`)
    await webhook
    await storage.close()
  })

  test('a process whose number another one took meanwhile does not answer pings until it has it again', async () => {
    await using database = await freshDatabase('postgres')
    const clock = createClock()
    let refused = (_: object) => {}
    const refusal = new Promise<object>((resolve) => (refused = resolve))
    const error = (detail: object, message: string) => message.startsWith('another process') && refused(detail)
    const log = { info() {}, warn() {}, error }
    const storage = await openStorage({ url: database.url, clock, seal: createSeal([SECRET]), recordTypes: [], log })
    const everything = heardBy(storage, 'everything')
    await rawRows(database.url, `select pg_terminate_backend(pid) from (${SESSIONS}) as sessions`)
    await until(isLost(storage))
    const thief = await openAt(database.url)
    assert.equal(thief.worker, storage.worker)

    clock.advance(RECONNECT_DELAY_MS)
    assert.deepEqual(await refusal, { reason: { message: 'another process has the worker number 0' } })
    await assert.rejects(storage.ping(), /the worker number of this process/)

    await thief.close()
    await until(async () => {
      clock.advance(RECONNECT_DELAY_MS)
      return !(await isLost(storage)())
    })
    await everything
    await storage.close()
  })

  test('a process that closes while its session is lost leaves nothing behind', async () => {
    await using database = await migratedDatabase('postgres', { unused: true })
    const { url } = database
    const clock = createClock()
    const storage = await openAt(url, clock)
    await rawRows(url, `select pg_terminate_backend(pid) from (${SESSIONS}) as sessions`)
    await until(isLost(storage))
    clock.advance(RECONNECT_DELAY_MS)
    await storage.close()
    const others = 'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
    await until(async () => (await rawRows(url, others)).length === 0)
  })

  test('where each process does a part, all others are notified that one has ended: whoever noticed may do another part', async () => {
    await using database = await migratedDatabase('postgres')
    const openWith = (...roles: Role[]) =>
      openStorage({ url: database.url, clock: createClock(), recordTypes, seal: createSeal([SECRET]), roles })
    const [zero, one, two] = [await openWith('api'), await openWith('delivery'), await openWith('delivery')]
    await until(watchers(database.url, [0, 1, 2]))
    const heard = [heardBy(zero, 'departure'), heardBy(two, 'departure')]
    await one.close()
    await Promise.all(heard)
    for (const storage of [zero, two]) await storage.close()
  })

  test('whichever process ends, a live one is notified, without polling', async () => {
    await using database = await migratedDatabase('postgres')
    const [zero, one, two] = [await openAt(database.url), await openAt(database.url), await openAt(database.url)]
    await until(watchers(database.url, [0, 1, 2]))
    const oneGone = heardBy(zero, 'departure')
    await one.close()
    await oneGone
    await until(watchers(database.url, [0, 2]))
    const next = await openAt(database.url)
    await until(watchers(database.url, [0, 1, 2]))
    const zeroGone = heardBy(two, 'departure')
    await zero.close()
    await zeroGone
    await until(watchers(database.url, [1, 2]))
    const twoGone = heardBy(next, 'departure')
    await two.close()
    await twoGone
    await until(watchers(database.url, []))
    await next.close()
  })

  test('a process that watches another survives the loss of that connection', async () => {
    await using database = await migratedDatabase('postgres')
    const clock = createClock()
    const [zero, one] = [await openAt(database.url, clock), await openAt(database.url)]
    await until(watchers(database.url, [0, 1]))
    await rawRows(
      database.url,
      'select pg_terminate_backend(pid) from pg_locks where not granted and objid = 1 and database = (select oid from pg_database where datname = current_database())',
    )
    await until(watchers(database.url, [0]))
    const perhaps = heardBy(zero, 'departure')
    clock.advance(60_000)
    await perhaps
    await until(watchers(database.url, [0, 1]))
    for (const storage of [zero, one]) await storage.close()
  })
  test('a process has its number again although who watches it is cut off without a word', async () => {
    await using database = await migratedDatabase('postgres')
    const url = new URL(database.url)
    await using proxy = await startSilentProxy(Number(url.port))
    url.port = String(proxy.port)
    const watched = await openAt(database.url)
    const watching = await openAt(url.href)
    await until(watchers(database.url, [0, 1]))
    proxy.silence()
    const [session] = await rawRows(
      database.url,
      `select pg_terminate_backend(pid) as ended from (${SESSIONS} and granted and objid = 0) as of_watched`,
    )
    assert.equal(session!.ended, true)
    await until(isLost(watched))
    const deadlineMs = performance.now() + 8 * RECONNECT_DELAY_MS
    await until(async () => performance.now() > deadlineMs || !(await isLost(watched)()))
    assert.equal(await isLost(watched)(), false)
    await watched.close()
    await watching.close().catch(() => {})
  })

  test('a watch that is closed opens nothing, and closes what it was opening', async () => {
    await using database = await migratedDatabase('postgres', { unused: true })
    await using proxy = await startCountingProxy(database.url)
    const clock = createClock()
    const watch = () =>
      createPeerWatch({ url: proxy.url, clock, worker: 0, outage: createOutage(clock, undefined), cancel: async () => {}, departed() {} })

    const idle = watch()
    await idle.close()
    idle.checkAgain()
    await idle.close()
    assert.equal(proxy.counts().connections, 0)

    const opening = watch()
    opening.checkAgain()
    await opening.close()
    assert.equal(proxy.counts().connections, 1)
    const others = 'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
    await until(async () => (await rawRows(database.url, others)).length === 0)
  })
})
