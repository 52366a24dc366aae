import assert from 'node:assert/strict'
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import type { Delivery } from '../../src/storage/event-log.ts'
import { openSqliteLog } from '../../src/storage/log/sqlite/open-sqlite-log.ts'
import { freshDatabase } from '../stage/database.ts'
import { delivered, event, events, openLog, readAll, stageLog, to, uuids } from './event-log-stage.ts'

const fileOf = (url: string) => `${url.slice('sqlite:'.length)}.events`

/** Looks into the file of the log from another connection. */
function peek<T>(url: string, look: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(fileOf(url), { readOnly: true })
  try {
    return look(db)
  } finally {
    db.close()
  }
}

const count = (url: string, table: string) => peek(url, (db) => db.prepare(`select count(*) as n from ${table}`).get()!.n)

test('the file is written with WAL, synchronous FULL and pages of 8 KB, also after a trim, which waits for no disk', async () => {
  await using database = await freshDatabase('sqlite')
  const log = await openSqliteLog({ path: database.url.slice('sqlite:'.length), clock: createClock() })
  assert.deepEqual(await log.pragmas(), { journalMode: 'wal', synchronous: 2, pageBytes: 8192, cacheKib: 8192 })
  await log.trim(Date.now())
  assert.equal((await log.pragmas()).synchronous, 2)
  await log.close()
})

/** The application id of a file that is open: odd while it tells the loss of its write-ahead log. */
function markOf(path: string): number {
  const file = openSync(path, 'r')
  const header = Buffer.alloc(100)
  readSync(file, header, 0, 100, 0)
  closeSync(file)
  return header.readInt32BE(68)
}

test('whenever an append is answered, the file tells if its write-ahead log is lost, also after a checkpoint', async () => {
  await using stage = await stageLog('sqlite')
  const large = Array.from({ length: 4 }, () => ({ ...event(), content: Buffer.alloc(900_000, 'x') }))
  const marks: number[] = []
  // A checkpoint comes with each 32 MB.
  for (let n = 0; n < 30; n += 1) {
    await stage.log.append(large)
    marks.push(markOf(fileOf(stage.url)) % 2)
  }
  assert.ok(statSync(fileOf(stage.url)).size > 40_000_000)
  assert.deepEqual(
    marks,
    marks.map(() => 1),
  )
})

test('when a trim makes SQLite checkpoint, the file still tells if its write-ahead log is lost', async () => {
  await using stage = await stageLog('sqlite')
  const file = fileOf(stage.url)
  const closed = { targets: [{ webhookId: '1', match: '', notSent: 'the webhook is invalid' }], content: Buffer.alloc(7000, 'x') }
  // A checkpoint comes with the page that fills 32 MB: the trim is to write it.
  const fewFree = (4096 - 40) * 8192
  while (statSync(`${file}-wal`).size < fewFree) await stage.log.append(events(20, closed))
  const before = statSync(file).size
  await stage.log.trim(stage.clock.now() + 1)
  assert.ok(before < 1_000_000 && statSync(file).size > 10_000_000, `${before} bytes before the trim`)
  assert.equal(markOf(file) % 2, 1)
})

test('an event is committed to the file by the time it is held', async () => {
  await using stage = await stageLog('sqlite')
  const committed: unknown[] = []
  stage.log.onHeld(() => committed.push(count(stage.url, 'event')))
  await stage.log.append(events(3))
  assert.deepEqual(committed, [3])
})

test('the log works in memory', async () => {
  const { log, held } = await openLog('sqlite', 'sqlite::memory:', { clock: createClock() })
  await log.recover()
  await log.append([event()])
  log.park('1', held)
  assert.equal((await readAll(log, '1')).length, 1)
  await log.close()
})

test('a failed commit rejects its appends, keeps its acknowledgements, and the next one succeeds', async () => {
  await using stage = await stageLog('sqlite')
  const { log, held, clock } = stage
  await log.append(events(3))
  const [first, second, parked] = held.splice(0)
  const blocker = new DatabaseSync(fileOf(stage.url))
  blocker.exec('begin immediate')
  const acknowledged = log.acknowledge(first!, delivered(clock), null)
  log.park('1', [parked!])
  await assert.rejects(log.append([event({ eventUuid: 'order-1' })]), /locked/)
  await assert.rejects(log.flush(), /locked/)
  blocker.exec('rollback')
  clock.advance(1_000)
  await acknowledged
  await log.acknowledge(second!, delivered(clock), null)
  const [again] = await log.append([event({ eventUuid: 'order-1' })])
  assert.equal(again!.repeated, false)
  blocker.close()
  await stage.reopen()
  assert.deepEqual(uuids(await readAll(stage.log, '1')), [parked!.eventUuid, 'order-1'])
})

test('a recovery that a failed commit has ended goes on where it came, and hands out each delivery once', async () => {
  await using database = await freshDatabase('sqlite')
  const clock = createClock()
  const before = await openLog('sqlite', database.url, { clock })
  const accepted = await before.log.append(Array.from({ length: 1_200 }, (_, n) => event({ targets: to(`${n % 10}`) })))
  await before.log.close()
  const { log, held } = await openLog('sqlite', database.url, { clock })
  const blocker = new DatabaseSync(fileOf(database.url))
  let acknowledged: Promise<void> | undefined
  log.onHeld((deliveries) => {
    held.push(...deliveries)
    if (acknowledged) return
    blocker.exec('begin immediate')
    acknowledged = log.acknowledge(held[0]!, delivered(clock), null)
  })
  await assert.rejects(log.recover(), /locked/)
  assert.equal(held.length, 1_000)
  blocker.exec('rollback')
  blocker.close()
  await log.recover()
  await acknowledged
  assert.deepEqual(uuids(held), uuids(accepted))
  await log.acknowledge(held[1]!, delivered(clock), null)
  const watermark = peek(database.url, (db) => db.prepare(`select sequence from mark where name = 'watermark'`).get()!.sequence)
  assert.equal(watermark, held[2]!.sequence - 1, 'the watermark moves again')
  await log.close()
})

test('the index by webhook is written late, in runs, and is complete for every read', async () => {
  await using stage = await stageLog('sqlite')
  const webhookIds = ['1', '2', '3', '4', '5', '6', '7']
  const accepted = []
  for (let i = 0; i < 9; i++) accepted.push(...(await stage.log.append(events(200, { targets: to(...webhookIds) }))))
  for (let slice = 0; slice < 20; slice++) await stage.log.nextDueMs()
  const written = Number(count(stage.url, 'delivery'))
  assert.ok(written >= 10_000 && written < 9 * 200 * 7, `${written} rows`)
  const now = stage.clock.now()
  for (const webhookId of webhookIds) {
    assert.deepEqual(uuids(await stage.log.range(webhookId, 0, now + 1_000, 0, 5_000)), uuids(accepted))
  }
})

test('what is trimmed while a run is written is not in the index', async () => {
  await using stage = await stageLog('sqlite')
  const targets = Array.from({ length: 100 }, (_, place) => ({ webhookId: `${place}`, match: '', notSent: 'webhook invalid' }))
  for (let i = 0; i < 11; i++) await stage.log.append(events(10, { targets }))
  await stage.log.append(events(1, { targets }))
  const written = Number(count(stage.url, 'delivery'))
  assert.ok(written > 0 && written < 10_000, `${written} rows`)
  assert.equal(await stage.log.trim(stage.clock.now() + 1_000), 111)
  await stage.log.range('1', 0, stage.clock.now() + 1_000, 0, 10)
  assert.equal(Number(count(stage.url, 'delivery')), 0)
})

test('a webhook that hangs does not hold back the watermark, and its row is deleted once it has caught up and acknowledged', async () => {
  await using stage = await stageLog('sqlite')
  const { log, held, clock } = stage
  const watermark = () =>
    peek(stage.url, (db) => db.prepare(`select sequence from mark where name = 'watermark'`).get()!.sequence) as number
  await log.append([event({ targets: to('hanging') })])
  await log.append(events(5))
  const [hanging, ...others] = held.splice(0)
  for (const delivery of others) await log.acknowledge(delivery, delivered(clock), null)
  assert.equal(watermark(), hanging!.sequence - 1)
  log.park('hanging', [])
  await log.flush()
  assert.equal(watermark(), others.at(-1)!.sequence)
  assert.deepEqual(
    peek(stage.url, (db) => ({ ...db.prepare('select * from waiting').get() })),
    { webhook_id: 'hanging', beginning: hanging!.sequence - 1 },
  )
  assert.deepEqual(await log.read('hanging', 10), [])
  await log.flush()
  assert.equal(count(stage.url, 'waiting'), 1)
  await log.acknowledge(hanging!, delivered(clock), null)
  assert.equal(count(stage.url, 'waiting'), 0)
})

test('reading a parked webhook commits nothing, and does not return what was acknowledged a moment ago', async () => {
  await using stage = await stageLog('sqlite')
  const { log, held, clock } = stage
  let commits = 0
  log.onCommit(() => {
    commits++
  })
  await log.append(events(4))
  const [a, b, c, d] = held.splice(0) as Delivery[]
  await log.acknowledge(d!, delivered(clock), null)
  log.park('1', [a!, c!])
  await log.flush()
  const before = commits
  const acknowledged = log.acknowledge(b!, delivered(clock), null)
  assert.deepEqual(uuids(await log.read('1', 10)), uuids([a!, c!]))
  assert.equal(commits, before)
  await acknowledged
  assert.equal(commits, before + 1)
})

test('a file of a newer version is rejected', async () => {
  await using database = await freshDatabase('sqlite')
  const { log } = await openLog('sqlite', database.url, { clock: createClock() })
  await log.close()
  const db = new DatabaseSync(fileOf(database.url))
  db.exec(`insert into migrations values ('999-future', '')`)
  db.close()
  await assert.rejects(
    openLog('sqlite', database.url, { clock: createClock() }),
    /newer than this Postern: it has run the migration 999-future/,
  )
})

test('a path that cannot be opened is rejected', async () => {
  await using database = await freshDatabase('sqlite')
  await assert.rejects(openLog('sqlite', `${database.url}/nowhere/postern.db`, { clock: createClock() }), /no such file or directory/)
})

test('a log whose events were all deleted still has its newest position', async () => {
  await using database = await freshDatabase('sqlite')
  const path = database.url.slice('sqlite:'.length)
  const clock = createClock()
  const log = await openSqliteLog({ path, clock })
  await log.append(events(3, { targets: [] }))
  const known = log.position()
  assert.equal(await log.trim(clock.now() + 1000), 3)
  await log.close()
  const again = await openSqliteLog({ path, clock, expected: { known } })
  assert.deepEqual(again.position(), known)
  await again.close()
})

test('a log that is behind its recorded position is rejected, except for a copy that was made while it was in use', async () => {
  await using database = await freshDatabase('sqlite')
  const path = database.url.slice('sqlite:'.length)
  const clock = createClock()
  const log = await openSqliteLog({ path, clock })
  await log.append(events(1))
  {
    using db = new DatabaseSync(`${path}.events`)
    db.prepare('vacuum into ?').run(`${path}.copy`)
  }
  await log.append(events(1))
  const known = log.position()
  await log.close()
  const later = { ...known, sequence: known.sequence + 1 }
  await assert.rejects(openSqliteLog({ path, clock, expected: { known: later } }), /has lost its newest part/)
  await copyFile(`${path}.copy`, `${path}.events`)
  const warnings: string[] = []
  const teller = { info() {}, warn: (_detail: object, message: string) => void warnings.push(message), error() {} }
  const copy = await openSqliteLog({ path, clock, expected: { known }, log: teller })
  assert.ok(copy.position().sequence < known.sequence)
  assert.match(warnings.join('\n'), /^the event log .*\.events is a copy, older than the database: events between \S+ and \S+ are missing$/)
  await copy.close()
})

test('a log that was written by a clock hours ahead is opened with a warning, one of the last hour without', async () => {
  await using database = await freshDatabase('sqlite')
  const path = database.url.slice('sqlite:'.length)
  const wrong = await openSqliteLog({ path, clock: createClock(6 * 3_600_000) })
  await wrong.append([event()])
  await wrong.close()
  const warnings: unknown[] = []
  const log = { info() {}, error() {}, warn: (detail: object, message: string) => void warnings.push([detail, message]) }
  for (const aheadMs of [0, 5.5 * 3_600_000]) await (await openSqliteLog({ path, clock: createClock(aheadMs), log })).close()
  assert.deepEqual(warnings, [
    [
      { ahead_hours: 6 },
      'a clock that was ahead has dated events of this process: until then those that it accepts are dated after them, a replay of the last hours does not find them, and they are deleted later',
    ],
  ])
})
