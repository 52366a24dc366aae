// How several logs are opened, and how slots are moved between them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { pino } from 'pino'
import { recordTypes } from '../../src/endpoints/index.ts'
import { createClock } from '../../src/lib/clock.ts'
import { createSeal } from '../../src/lib/seal.ts'
import { HOUR_MS } from '../../src/lib/time.ts'
import { slotOf } from '../../src/storage/log-map.ts'
import { openDatabase } from '../../src/storage/open-database.ts'
import { Unavailable } from '../../src/storage/unavailable.ts'
import { migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { startGate } from '../stage/gate.ts'
import { PATIENCE_MS, pause } from '../stage/pause.ts'
import { SECRET } from '../stage/postern.ts'
import { delivered, event, to } from './event-log-stage.ts'
import { rawRows } from './samples.ts'

const logger = pino({ level: 'silent' })
const seal = createSeal([SECRET])

async function stageDatabases(count: number) {
  const stack = new AsyncDisposableStack()
  const urls: string[] = []
  for (let made = 0; made < count; made += 1) urls.push(stack.use(await migratedDatabase('postgres')).url)
  return { urls, use: stack.use.bind(stack), [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

async function open(url: string, logUrls?: readonly string[], clock = createClock()) {
  const database = await openDatabase({ recordTypes, url, clock, seal, logger, logUrls })
  return { ...database, [Symbol.asyncDispose]: database.close }
}

const slots = ({ severalLogs }: Awaited<ReturnType<typeof open>>) =>
  severalLogs!.status().map(({ log, slots, leaving }) => [log, slots, leaving])

async function until(isSo: () => boolean | Promise<boolean>) {
  const deadlineMs = performance.now() + PATIENCE_MS
  while (!(await isSo())) {
    assert.ok(performance.now() < deadlineMs, String(isSo))
    await pause()
  }
}

const publishTo = ({ eventLog }: Awaited<ReturnType<typeof open>>, webhookId = '1') => eventLog.append([event({ targets: to(webhookId) })])

if (databasesOf(import.meta).includes('postgres')) {
  test('a database without events divides its slots between the logs, with that of its own or without', async () => {
    await using databases = await stageDatabases(4)
    const [state, two, three, other] = databases.urls as [string, string, string, string]
    await using opened = await open(state, [state, two, three])
    assert.deepEqual(slots(opened), [
      [1, 86, 0],
      [2, 85, 0],
      [3, 85, 0],
    ])
    await using elsewhere = await open(other, [(await databases.use(await migratedDatabase('postgres'))).url])
    assert.deepEqual(slots(elsewhere), [[1, 256, 0]])
    await publishTo(elsewhere)
    assert.equal((await elsewhere.eventLog.extent(10)).events, 1)
  })

  test('a database with events keeps all slots until another log is added; it must be named', async () => {
    await using databases = await stageDatabases(2)
    const [state, two] = databases.urls as [string, string]
    {
      await using single = await open(state)
      assert.equal(single.severalLogs, undefined)
      await publishTo(single)
    }
    await assert.rejects(open(state, [two]), { message: /^POSTERN_LOG_URLS lacks POSTERN_DATABASE_URL, whose event log has events/ })
    await using opened = await open(state, [state, two])
    assert.deepEqual(slots(opened), [
      [1, 256, 0],
      [2, 0, 0],
    ])
    assert.equal(await opened.severalLogs!.add(3), 'unknown')
    assert.equal(await opened.severalLogs!.add(2), 128)
    assert.deepEqual(slots(opened), [
      [1, 128, 128],
      [2, 128, 0],
    ])
    assert.equal(await opened.severalLogs!.add(2), 0, 'it has its part')
  })

  test('a log is drained, forgotten once its events have left, and may be taken out then; the last one is not drained', async () => {
    await using databases = await stageDatabases(2)
    const [state, two] = databases.urls as [string, string]
    const clock = createClock()
    {
      await using opened = await open(state, [state, two], clock)
      const held: Parameters<typeof opened.eventLog.acknowledge>[0][] = []
      opened.eventLog.onHeld((deliveries) => void held.push(...deliveries))
      await opened.eventLog.recover()
      for (let id = 1; id <= 8; id += 1) await publishTo(opened, String(id))
      assert.equal(await opened.severalLogs!.drain(2), 128)
      assert.deepEqual(slots(opened), [
        [1, 256, 0],
        [2, 0, 128],
      ])
      assert.equal(await opened.severalLogs!.drain(1), 'only')
      await opened.eventLog.trim(clock.now() - HOUR_MS)
      assert.deepEqual(slots(opened)[1], [2, 0, 128], 'it has events')
      await assert.rejects(open(state, [state]), { message: /^POSTERN_LOG_URLS lacks event log 2 at \S+, which has slots or events/ })
      await assert.rejects(open(state), { message: /^POSTERN_LOG_URLS lacks event log 2/ })
      await Promise.all(held.map((delivery) => opened.eventLog.acknowledge(delivery, delivered(clock), null)))
      clock.advance(2 * HOUR_MS)
      await opened.eventLog.trim(clock.now() - HOUR_MS)
      assert.deepEqual(slots(opened)[1], [2, 0, 0])
    }
    await using single = await open(state, undefined, clock)
    await publishTo(single)
    assert.equal((await single.eventLog.extent(10)).events, 1)
  })

  test('a log that is lost for good is given up: its slots move, lists are whole without it, and a process starts without its URL', async () => {
    await using databases = await stageDatabases(3)
    const [state, two, three] = databases.urls as [string, string, string]
    await using gate = databases.use(await startGate(two))
    await using opened = await open(state, [state, gate.url, three])
    await using other = await open(state, [state, gate.url, three])
    const lost = Array.from({ length: 10 }, (_, id) => String(id)).find((id) => slotOf(id) % 3 === 1)!
    await publishTo(opened, lost)
    assert.equal(await opened.severalLogs!.abandon(2), 'there')
    await gate.shut()
    await until(() =>
      publishTo(opened, lost).then(
        () => false,
        (error) => error instanceof Unavailable && opened.severalLogs!.status()[1]!.awaySinceMs !== undefined,
      ),
    )
    await until(() =>
      publishTo(other, lost).then(
        () => false,
        () => other.severalLogs!.status()[1]!.awaySinceMs !== undefined,
      ),
    )
    await assert.rejects(opened.eventLog.report({ limit: 10 }), /A list over all logs would not be whole/)
    await assert.rejects(open(state, [state, three]), {
      message: /lacks event log 2 at \S+, which has slots or events.*`postern logs drain 2 --lost` gives up what it had$/,
    })

    assert.equal(await opened.severalLogs!.abandon(2), 85)
    assert.deepEqual(slots(opened), [
      [1, 128, 0],
      [2, 0, 0],
      [3, 128, 0],
    ])
    assert.equal(await opened.severalLogs!.abandon(2), 0, 'it is given up')
    await publishTo(opened, lost)
    assert.deepEqual((await opened.eventLog.report({ limit: 10 })).length, 1)
    assert.equal(await opened.eventLog.find('1'), undefined)
    await until(() => slots(other)[1]![1] === 0)
    await publishTo(other, lost)
    await using without = await open(state, [state, three])
    assert.deepEqual(slots(without), [
      [1, 128, 0],
      [3, 128, 0],
    ])
  })

  test('a process that does nothing notices that a log is away, and that it is back', async () => {
    await using databases = await stageDatabases(2)
    const [state, two] = databases.urls as [string, string]
    await using gate = databases.use(await startGate(two))
    await using idle = await open(state, [state, gate.url])
    const isAway = () => idle.severalLogs!.status()[1]!.awaySinceMs !== undefined
    assert.equal(isAway(), false)
    await gate.shut()
    await until(isAway)
    await gate.open()
    await until(() => !isAway())
  })

  test('version 0.2, which knows one log, is kept from starting for as long as another database has a part of the events', async () => {
    await using databases = await stageDatabases(2)
    const [state, two] = databases.urls as [string, string]
    // It refuses a database with a name here that it does not know.
    const names = async () => (await rawRows(state, 'select name from migrations order by name')).map((row) => row.name)
    await (await open(state, [state])).close()
    assert.deepEqual(await names(), ['001-baseline'])
    await (await open(state, [state, two])).close()
    assert.deepEqual(await names(), ['001-baseline', 'several-event-logs'])
    // As after a restore.
    await rawRows(state, `delete from migrations where name = 'several-event-logs'`)
    const clock = createClock()
    await using restored = await open(state, [state, two], clock)
    assert.deepEqual(await names(), ['001-baseline', 'several-event-logs'])
    assert.equal(await restored.severalLogs!.drain(2), 128)
    clock.advance(HOUR_MS)
    await restored.eventLog.trim(0)
    assert.deepEqual(await names(), ['001-baseline'])
  })

  test('a process follows the moves of another, and one that knows one log takes no events once others have a part', async () => {
    await using databases = await stageDatabases(2)
    const [state, two] = databases.urls as [string, string]
    await using single = await open(state)
    await publishTo(single)
    await using one = await open(state, [state, two])
    await using other = await open(state, [two, state])
    assert.equal(await one.severalLogs!.add(2), 128)
    await until(() => slots(other)[1]![1] === 128)
    await until(() =>
      publishTo(single).then(
        () => false,
        (error) => error instanceof Unavailable && error.message.startsWith('The event log was divided between several databases'),
      ),
    )
    const moved = Array.from({ length: 100 }, (_, id) => String(id)).find(
      (id) => one.severalLogs && slotOf(id) % 2 === 1 && slotOf(id) > 200,
    )!
    await publishTo(other, moved)
    const now = Date.now()
    assert.equal((await one.eventLog.range(moved, now - HOUR_MS, now + HOUR_MS, 0, 10)).length, 1)
  })

  test('a database of another Postern, one that is named twice, and one that cannot be reached are refused with a sentence', async () => {
    await using databases = await stageDatabases(4)
    const [state, two, foreign, foreignLog] = databases.urls as [string, string, string, string]
    await (await open(foreign, [foreign, foreignLog])).close()
    await assert.rejects(open(state, [state, foreign]), { message: /which is the database of another Postern: name an empty one/ })
    await assert.rejects(open(state, [state, foreignLog]), { message: /which is an event log of another Postern/ })
    await using gate = databases.use(await startGate(two))
    await assert.rejects(open(state, [state, two, gate.url]), {
      message: /^POSTERN_LOG_URLS names one database twice, as \S+ and as \S+: name it once$/,
    })
    await gate.shut()
    await assert.rejects(open(state, [state, gate.url]), { message: /names 127\.0\.0\.1\S+, which cannot be reached/ })
  })

  test('a database that is an event log alone is no state, and stays the log that it is', async () => {
    await using databases = await stageDatabases(2)
    const [state, two] = databases.urls as [string, string]
    await (await open(state, [state, two])).close()
    const before = await rawRows(two, 'select name, value from metadata order by name')
    for (const logUrls of [undefined, [state, two]])
      await assert.rejects(open(two, logUrls), {
        message: /^POSTERN_DATABASE_URL names \S+, which is an event log of another database: name that one, and this in POSTERN_LOG_URLS$/,
      })
    assert.deepEqual(await rawRows(two, 'select name, value from metadata order by name'), before)
    await using again = await open(state, [state, two])
    await publishTo(again)
  })

  test('a log whose database does not exist is named with its setting', async () => {
    await using databases = await stageDatabases(1)
    const [state] = databases.urls as [string]
    const nowhere = state.replace(/\/[^/?]+(?=$|\?)/, '/postern_nowhere')
    await assert.rejects(open(state, [state, nowhere]), {
      message:
        /^POSTERN_LOG_URLS names \S+\/postern_nowhere, which cannot be used: database "postern_nowhere" does not exist\. Create it, or correct the URL\.$/,
    })
  })

  test('a restored copy does not use the logs of the original', async () => {
    await using databases = await stageDatabases(2)
    const [state, two] = databases.urls as [string, string]
    await (await open(state, [state, two])).close()
    const client = new Client(state)
    await client.connect()
    await client.query(`insert into metadata (name, value) values ('held_since', '2026-03-01T12:00:00.000Z')`)
    await client.end()
    await assert.rejects(open(state, [state, two]), { message: /which is no restored copy, but this database is one/ })
  })
}
