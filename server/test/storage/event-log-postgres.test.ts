import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { Client } from 'pg'
import { type Clock, createClock } from '../../src/lib/clock.ts'
import type { Delivery } from '../../src/storage/event-log.ts'
import { claimStatement, dueExcept, nextDueExcept } from '../../src/storage/log/postgres/claims.ts'
import { createParked } from '../../src/storage/log/postgres/parked.ts'
import { pickRetrying, pickWaiting } from '../../src/storage/log/postgres/parked-webhooks.ts'
import { recoverUnowned } from '../../src/storage/log/postgres/recover-unowned.ts'
import { acknowledgementStatement, batchStatement } from '../../src/storage/log/postgres/write-batch.ts'
import { indexesOnly, keysOnly } from '../../src/storage/postgres/planner-settings.ts'
import { Unavailable } from '../../src/storage/unavailable.ts'
import { noLease } from '../../src/storage/work-lease.ts'
import { cases } from '../stage/cases.ts'
import { migratedDatabase } from '../stage/database.ts'
import { until } from '../stage/pause.ts'
import { delivered, event, events, failed, MINUTE_MS, type OpenedLog, openLog, readAll, to, uuids } from './event-log-stage.ts'

interface Processes extends AsyncDisposable {
  a: OpenedLog
  b: OpenedLog
  /** The clock of `a`. */
  clockOfA: Clock
  url: string
  /** A connection beside theirs. */
  client: Client
  /** The worker numbers that are alive: change it in place. */
  living: number[]
}

/** Two processes' logs on one database, workers 1 and 2. */
async function twoProcesses(): Promise<Processes> {
  const database = await migratedDatabase('postgres')
  const living = [1, 2]
  const clockOfA = createClock()
  const opening = [clockOfA, createClock()].map((clock, at) => openLog('postgres', database.url, { clock, worker: at + 1, living }))
  const [a, b] = await Promise.all(opening)
  const client = new Client(database.url)
  await client.connect()
  return {
    a: a!,
    b: b!,
    clockOfA,
    url: database.url,
    client,
    living,
    async [Symbol.asyncDispose]() {
      await Promise.all([a!.log.close(), b!.log.close()])
      await client.end()
      await database[Symbol.asyncDispose]()
    },
  }
}

const clock = createClock()

const HOUR_MS = 3_600_000

/** A delivery, of which nothing is asked. */
const ANY = { sequence: 1, webhookId: '1' }

/**
 * A way to the database that, once asked, passes on a message with this word, and breaks the connection when the answer comes or keeps the
 * answer back. Or it breaks the connection when the message comes, and passes that on later.
 */
async function wayTo(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let word: string | undefined
  let keepBack: ((answer: () => void) => void) | undefined
  let lose: ((arrive: () => Promise<void>) => void) | undefined
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    let isChosen = false
    let isLost = false
    near.on('data', (bytes) => {
      isChosen ||= word !== undefined && bytes.includes(word)
      if (!isChosen || !lose) return far.write(bytes)
      word = undefined
      isLost = true
      near.destroy()
      lose(async () => {
        far.write(bytes)
        await once(far, 'data')
        far.destroy()
      })
    })
    far.on('data', (bytes) => {
      if (isLost) return
      if (!isChosen) return near.write(bytes)
      word = undefined
      if (!keepBack) return near.destroy()
      isChosen = false
      far.pause()
      keepBack(() => {
        near.write(bytes)
        far.resume()
      })
    })
    for (const [socket, other] of [[near, far] as const, [far, near] as const]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => isLost || other.destroy())
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    cut(withWord: string) {
      word = withWord
    },
    /** Resolves with a function that passes the answer on, once it has come. */
    hold(withWord: string) {
      word = withWord
      return new Promise<() => void>((kept) => (keepBack = kept))
    },
    /** Resolves once the connection is broken, with a function that lets the message arrive and resolves once it is answered. */
    lose(withWord: string) {
      word = withWord
      return new Promise<() => Promise<void>>((lost) => (lose = lost))
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Waits until as many connections wait for a lock. */
async function untilWaiting({ url }: Pick<Processes, 'url'>, count: number) {
  const client = new Client(url)
  await client.connect()
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await until(async () => (await client.query(waiting)).rowCount === count)
  await client.end()
}

test('each process holds what it accepted, and uuids never collide', async () => {
  await using processes = await twoProcesses()
  const { a, b } = processes
  const accepted = await Promise.all([a.log.append(events(200)), b.log.append(events(200)), a.log.append(events(200))])
  assert.deepEqual([a.held.length, b.held.length], [400, 200])
  assert.equal(new Set(uuids(accepted.flat())).size, 600)
})

test('one uuid given to two processes concurrently is appended once', async () => {
  await using processes = await twoProcesses()
  const { a, b } = processes
  const given = Array.from({ length: 50 }, (_, place) => event({ eventUuid: `order-${place}` }))
  const [left, right] = await Promise.all([a.log.append(given), b.log.append(given.toReversed())])
  const fresh = [...left!, ...right!].filter(({ repeated }) => !repeated)
  assert.equal(new Set(uuids(fresh)).size, 50)
  assert.deepEqual(uuids([...a.held, ...b.held]).toSorted(), uuids(fresh).toSorted())
})

test('two processes that take due retries concurrently get different ones', async () => {
  await using processes = await twoProcesses()
  const { a, b } = processes
  await a.log.append(events(300))
  await Promise.all(a.held.map((delivery) => a.log.acknowledge(delivery, failed(clock), clock.now())))
  const pages = await Promise.all([a, b, a, b, a, b, a, b].map(({ log }) => log.takeDue(clock.now(), 40)))
  const rest = await b.log.takeDue(clock.now(), 300)
  const taken = uuids([...pages.flat(), ...rest])
  assert.equal(taken.length, 300)
  assert.equal(new Set(taken).size, 300)
  const [mine] = pages[0]!
  await a.log.acknowledge(mine!, delivered(clock), null)
  assert.equal((await b.log.report({ eventUuid: mine!.eventUuid, limit: 1 }))[0]!.state, 'delivered')
})

test('two processes that read one webhook get different waiting deliveries', async () => {
  await using processes = await twoProcesses()
  const { a, b } = processes
  a.log.park('1', [])
  await a.log.append(events(300))
  assert.deepEqual(a.held, [])
  const [left, right] = await Promise.all([readAll(a.log, '1', 20), readAll(b.log, '1', 20)])
  const read = uuids([...left, ...right])
  assert.equal(read.length, 300)
  assert.equal(new Set(read).size, 300)
})

test('recovery takes nothing that a live process holds, and everything that a dead one held', async () => {
  await using processes = await twoProcesses()
  const { a, b, living } = processes
  await a.log.append(events(4, { targets: to('1', '2') }))
  const [acknowledged, retry, ...others] = a.held
  await a.log.acknowledge(acknowledged!, delivered(clock), null)
  await a.log.acknowledge(retry!, failed(clock), clock.now())
  const [taken] = await a.log.takeDue(clock.now(), 1)
  assert.deepEqual(await b.log.recover(), { parked: [] })
  assert.deepEqual([b.held, await b.log.takeDue(clock.now(), 1)], [[], []])
  living.splice(0, 2, 2)
  await b.log.recover()
  const bySequence = (x: Delivery, y: Delivery) => x.sequence - y.sequence || x.webhookId.localeCompare(y.webhookId)
  assert.deepEqual(b.held.toSorted(bySequence), others.toSorted(bySequence))
  assert.deepEqual(await b.log.takeDue(clock.now(), 1), [taken])
})

test('a webhook that was parked before a recovery failed is returned by the next one', async () => {
  const full = Array.from({ length: 250 }, () => ({ content: Buffer.alloc(0) }) as Delivery)
  let isFailing = true
  const waiting = async (webhookId: string) => {
    if (webhookId === '2' && isFailing) throw new Unavailable('the connection was lost')
    return isFailing ? full : []
  }
  const parts = {
    claims: { waitingWebhooks: async () => ['1', '2'], waiting } as never,
    ownership: { releaseDead: async () => true } as never,
    livingWorkers: async () => [],
    betweenCommits: <T>(step: () => Promise<T>) => step(),
    parked: createParked(),
    held() {},
    unreported: new Set<string>(),
  }
  await assert.rejects(recoverUnowned(parts), Unavailable)
  isFailing = false
  assert.deepEqual(await recoverUnowned(parts), { parked: ['1'] })
  assert.deepEqual(await recoverUnowned(parts), { parked: [] })
})

test('a webhook whose last page is being read when a recovery comes to it is taken by the recovery', async () => {
  const parked = createParked()
  parked.add('1')
  const taken: string[] = []
  const waiting = async (webhookId: string) => {
    taken.push(webhookId)
    return []
  }
  await recoverUnowned({
    claims: { waitingWebhooks: async () => ['1'], waiting } as never,
    ownership: { releaseDead: async () => true } as never,
    livingWorkers: async () => [],
    betweenCommits(step) {
      parked.end('1', parked.parking('1'))
      return step()
    },
    parked,
    held() {},
    unreported: new Set<string>(),
  })
  assert.deepEqual(taken, ['1'])
})

test('a webhook that is parked is left to its read-back by a recovery, so that two processes do not hand its deliveries back and forth', async () => {
  await using processes = await twoProcesses()
  const { a, b } = processes
  a.log.park('1', [])
  b.log.park('1', [])
  await a.log.append(events(2))
  await b.log.recover()
  assert.deepEqual(
    b.held.map(({ webhookId }) => webhookId),
    [],
  )
  assert.deepEqual(
    (await b.log.read('1', 10)).map(({ webhookId }) => webhookId),
    ['1', '1'],
  )
})

test('a process that lost its ownership acknowledges nothing that another holds now, and goes on with new events', async () => {
  await using processes = await twoProcesses()
  const { a, b, living } = processes
  await a.log.append(events(2))
  living.splice(0, 2, 2)
  await b.log.recover()
  living.splice(0, 1, 1, 2)
  const acknowledged = Promise.all([
    a.log.acknowledge(a.held[0]!, failed(clock), clock.now()),
    a.log.acknowledge(a.held[1]!, delivered(clock), null),
  ])
  await a.log.flush()
  const [later] = await a.log.append([event()])
  await acknowledged
  const states = async () => (await b.log.report({ limit: 3 })).map(({ state }) => state)
  assert.deepEqual(await states(), ['pending', 'pending', 'pending'])
  for (const delivery of b.held) await b.log.acknowledge(delivery, delivered(clock), null)
  assert.equal(a.held.at(-1)!.eventUuid, later!.eventUuid)
  await a.log.acknowledge(a.held.at(-1)!, delivered(clock), null)
  assert.deepEqual(await states(), ['delivered', 'delivered', 'delivered'])
})

test('a process that lost its ownership registers again once, whatever it does when it wakes, and orphans nothing that it accepts', async () => {
  await using processes = await twoProcesses()
  const { a, b, client, living } = processes
  let woken = 0
  a.log.onWork(() => {
    woken += 1
  })
  living.splice(0, 2, 2)
  await b.log.recover()
  living.splice(0, 1, 1, 2)
  const taking = Promise.allSettled([a.log.takeDue(clock.now(), 10), a.log.takeDue(clock.now(), 10), a.log.takeDue(clock.now(), 10)])
  const accepted = await Promise.all(Array.from({ length: 20 }, () => a.log.append([event()])))
  await taking
  assert.equal(accepted.flat().length, 20)
  assert.ok(woken > 0, 'it looks for what belongs to nobody now')
  const orphans = await client.query('select 1 from log_open where owner is not null and owner not in (select id from log_owner)')
  assert.equal(orphans.rowCount, 0)
})

test('a process whose lease cannot have expired needs no confirmation of what it holds; later it asks', async () => {
  await using processes = await twoProcesses()
  const { a, clockOfA } = processes
  clockOfA.advance(8_000)
  assert.equal(a.log.confirmHeld(ANY), undefined)
  clockOfA.advance(1_000)
  const [one, other] = [a.log.confirmHeld(ANY), a.log.confirmHeld(ANY)]
  assert.ok(one !== undefined && one === other, 'one question for all that ask')
  await one
  assert.equal(a.log.confirmHeld(ANY), undefined)
  clockOfA.advance(9_000)
  await a.log.append(events(1))
  assert.equal(a.log.confirmHeld(ANY), undefined, 'a commit confirms it too')
})

test('a process asks whether it holds what it held before its session was lost, until it was answered in a later one', async () => {
  await using database = await migratedDatabase('postgres')
  let session: number | undefined = 1
  const { log } = await openLog('postgres', database.url, { clock, session: () => session })
  await log.append(events(1))
  assert.equal(log.confirmHeld(ANY), undefined)
  for (const next of [undefined, 2]) {
    session = next
    const asked = log.confirmHeld(ANY)
    assert.ok(asked, `in session ${next}`)
    await asked
  }
  assert.equal(log.confirmHeld(ANY), undefined)
  await log.close()
})

test('a process that lost its ownership while it was frozen hears so before it may send what it held', async () => {
  await using processes = await twoProcesses()
  const { a, b, living, clockOfA } = processes
  const calls: string[] = []
  a.log.onLost(() => calls.push('lost'))
  a.log.onWork(() => calls.push('work'))
  await a.log.append(events(3))
  living.splice(0, 2, 2)
  await b.log.recover()
  living.splice(0, 1, 1, 2)
  clockOfA.advance(9_000)
  await assert.rejects(async () => a.log.confirmHeld(ANY), Unavailable)
  assert.deepEqual(calls, ['lost', 'work'])
  await a.log.confirmHeld(ANY)
  assert.deepEqual(uuids(b.held), uuids(a.held))
})

test('what was accepted or claimed before a process lost its ownership, and is answered after it, is left to the other process', async () => {
  await using database = await migratedDatabase('postgres')
  await using way = await wayTo(database.url)
  const living = [1, 2]
  const a = await openLog('postgres', way.url, { clock, worker: 1, living })
  const b = await openLog('postgres', database.url, { clock, worker: 2, living })
  const takenByB = async () => {
    living.splice(0, 2, 2)
    await b.log.recover()
    living.splice(0, 1, 1, 2)
    await assert.rejects(a.log.takeDue(clock.now(), 1), /took over the work of this one/)
  }
  let kept = way.hold('log-write-batch')
  const accepting = a.log.append([event({ eventUuid: 'order-1' })])
  const answerAppend = await kept
  await takenByB()
  answerAppend()
  assert.deepEqual(await accepting, [{ eventUuid: 'order-1', repeated: false }])
  assert.deepEqual([uuids(a.held), uuids(b.held)], [[], ['order-1']])

  await a.log.append([event({ eventUuid: 'order-2' })])
  await a.log.acknowledge(a.held[0]!, failed(clock), clock.now())
  kept = way.hold('commit')
  const taking = a.log.takeDue(clock.now(), 10)
  const answerTaking = await kept
  await takenByB()
  answerTaking()
  await assert.rejects(taking, /took over the work of this one/)
  assert.deepEqual(uuids(await b.log.takeDue(clock.now(), 10)), ['order-2'])
  await Promise.all([a.log.close(), b.log.close()])
})

test('a statement of a dead process that has not begun claims nothing', async () => {
  await using processes = await twoProcesses()
  const { a, b, client, living } = processes
  a.log.park('1', [])
  await a.log.append(events(3))
  await client.query('begin; lock table log_open in access exclusive mode')
  const refused = assert.rejects(a.log.read('1', 10), /took over the work of this one/)
  await untilWaiting(processes, 1)
  living.splice(0, 2, 2)
  const recovered = b.log.recover()
  await untilWaiting(processes, 2)
  await client.query('commit')
  await Promise.all([refused, recovered])
  assert.equal(b.held.length, 3)
})

test('a running statement of a dead process is waited for, and what it wrote is taken over', async () => {
  await using processes = await twoProcesses()
  const { a, b, client, living } = processes
  await client.query(`begin; insert into log_event values (1, 'order-1', '', '', '{}', '')`)
  const late = a.log.append([event({ eventUuid: 'order-1' })])
  await untilWaiting(processes, 1)
  living.splice(0, 2, 2)
  const recovered = b.log.recover()
  await untilWaiting(processes, 2)
  await client.query('rollback')
  await Promise.all([late, recovered])
  assert.deepEqual(uuids(b.held), ['order-1'])
})

test('a recovery looks for deliveries of former processes only if a process came or went', async () => {
  await using processes = await twoProcesses()
  const { a, b, client } = processes
  await a.log.append([event()])
  const recovered = async () => {
    await b.log.recover()
    return b.held.length
  }
  assert.equal(await recovered(), 0)
  await client.query('update log_open set owner = 0')
  assert.equal(await recovered(), 0, 'nobody has come or gone')
  await client.query('insert into log_owner (worker) values (3); delete from log_owner where worker = 3')
  assert.equal(await recovered(), 1, 'a process came and went unseen')
  assert.equal(await recovered(), 1)
})

test('a recovery waits for a process that is registering, so that it would miss its end later', async () => {
  await using processes = await twoProcesses()
  const { a, b, client } = processes
  await a.log.append([event()])
  await client.query('begin; insert into log_owner (worker) values (3)')
  const looking = b.log.recover()
  await Promise.race([looking, untilWaiting(processes, 1)])
  await client.query('commit')
  await looking
  await client.query('delete from log_owner where worker = 3; update log_open set owner = 0')
  await b.log.recover()
  assert.equal(b.held.length, 1)
})

test('a process that closes releases what it held and notifies the others', async () => {
  await using processes = await twoProcesses()
  const { a, b } = processes
  const woken = new Promise<void>((work) => b.log.onWork(work))
  await a.log.append(events(3))
  await a.log.close()
  await woken
  await b.log.recover()
  assert.deepEqual(uuids(b.held), uuids(a.held))
})

test('releasing unsent deliveries notifies the other processes and not this one', async () => {
  await using processes = await twoProcesses()
  const { a, b, client } = processes
  let ownCalls = 0
  const fence = new Promise<void>((reached) =>
    a.log.onWork(() => {
      ownCalls++
      reached()
    }),
  )
  const woken = new Promise<void>((work) => b.log.onWork(work))
  await a.log.append(events(3))
  a.log.park('1', a.held.splice(1))
  await woken
  await client.query(`select pg_notify('postern_log', 'fence')`)
  await fence
  assert.equal(ownCalls, 1)
  assert.equal((await b.log.read('1', 10)).length, 2)
  assert.deepEqual(await a.log.read('1', 10), [])
})

test('appending and acknowledging notify no process', async () => {
  await using processes = await twoProcesses()
  const { a, b, client } = processes
  let calls = 0
  const fence = new Promise<void>((reached) =>
    b.log.onWork(() => {
      calls++
      reached()
    }),
  )
  await a.log.append(events(3))
  await a.log.acknowledge(a.held[0]!, failed(clock), clock.now() + 1_000)
  await a.log.acknowledge(a.held[1]!, delivered(clock), null)
  await client.query(`select pg_notify('postern_log', 'fence')`)
  await fence
  assert.equal(calls, 1)
})

test('a process whose listening connection was lost reconnects and looks for work', async () => {
  const theirClock = createClock()
  await using database = await migratedDatabase('postgres')
  const { log } = await openLog('postgres', database.url, { clock: theirClock })
  const client = new Client(database.url)
  await client.connect()
  const listeners = `from pg_stat_activity where datname = current_database() and query = 'listen postern_log'`
  const woken = new Promise<void>((work) => log.onWork(work))
  await client.query(`select pg_terminate_backend(pid) ${listeners}`)
  await until(async () => (await client.query(`select 1 ${listeners}`)).rowCount === 0)
  await woken
  await client.end()
  await log.close()
})

test('an append whose connection breaks is rejected and leaves nothing, and acknowledgements survive it', async () => {
  await using processes = await twoProcesses()
  const { a, client } = processes
  await a.log.append([event()])
  const blocker = new Client(processes.url)
  await blocker.connect()
  await blocker.query('begin; lock table log_event in exclusive mode')
  const acknowledged = a.log.acknowledge(a.held[0]!, delivered(clock), null)
  const refused = assert.rejects(a.log.append([event({ eventUuid: 'order-1' })]))
  const waiting = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await until(async () => (await client.query(`select 1 ${waiting}`)).rowCount! > 0)
  await client.query(`select pg_terminate_backend(pid) ${waiting}`)
  await refused
  await blocker.end()
  const [again] = await a.log.append([event({ eventUuid: 'order-1' })])
  await acknowledged
  assert.equal(again!.repeated, false)
  assert.deepEqual(
    (await a.log.report({ limit: 10 })).map(({ state }) => state),
    ['pending', 'delivered'],
  )
})

test('an append that was committed without a response is rejected and deleted', async () => {
  await using database = await migratedDatabase('postgres')
  await using way = await wayTo(database.url)
  const { log, held } = await openLog('postgres', way.url, { clock })
  await log.append([event()])
  way.cut('the lost one')
  await assert.rejects(log.append([event({ userId: 'the lost one', targets: to('1', '2') })]))
  await log.append([event()])
  assert.equal(held.length, 2)
  assert.equal((await log.report({ limit: 10 })).length, 2)
  await log.close()
})

test('an append that reaches the database only after it was resolved writes nothing, and what was held stays so', async () => {
  await using database = await migratedDatabase('postgres')
  await using way = await wayTo(database.url)
  const { log, held } = await openLog('postgres', way.url, { clock })
  await log.append([event()])
  const lost = way.lose('the late one')
  const refused = assert.rejects(log.append([event({ userId: 'the late one' })]))
  const arrive = await lost
  await refused
  await log.append([event()])
  await arrive()
  await Promise.all(held.map((delivery) => log.acknowledge(delivery, delivered(clock), null)))
  assert.deepEqual(
    (await log.report({ limit: 10 })).map(({ state }) => state),
    ['delivered', 'delivered'],
  )
  await log.close()
})

test('an event with a given uuid that was committed without a response stays, because it may have been retried with another process', async () => {
  await using database = await migratedDatabase('postgres')
  await using way = await wayTo(database.url)
  const living = [1, 2]
  const a = await openLog('postgres', way.url, { clock, worker: 1, living })
  const b = await openLog('postgres', database.url, { clock, worker: 2, living })
  const woken = new Promise<void>((work) => a.log.onWork(work))
  await a.log.append([event()])
  way.cut('order-1')
  await assert.rejects(a.log.append([event({ eventUuid: 'order-1' })]))
  assert.deepEqual(await b.log.append([event({ eventUuid: 'order-1' })]), [{ eventUuid: 'order-1', repeated: true }])
  await woken
  await a.log.recover()
  assert.deepEqual(uuids(a.held.slice(1)), ['order-1'])
  assert.deepEqual(b.held, [])
  await Promise.all([a.log.close(), b.log.close()])
})

test('two processes that consider each other dead and have one number never number two events alike', async () => {
  await using database = await migratedDatabase('postgres')
  const logs = [
    await openLog('postgres', database.url, { clock, worker: 1 }),
    await openLog('postgres', database.url, { clock, worker: 1 }),
  ]
  const accepted: string[] = []
  for (let n = 0; n < cases(15, 40); n += 1) {
    const appended = await Promise.allSettled(logs.map(({ log }) => log.append(events(70))))
    for (const each of appended) if (each.status === 'fulfilled') accepted.push(...uuids(each.value))
  }
  assert.ok(accepted.length > 0)
  assert.equal(new Set(accepted).size, accepted.length)
  assert.equal((await logs[0]!.log.report({ limit: 10_000 })).length, accepted.length)
  // The one that was taken for gone last has a commit to repeat, and may not.
  await Promise.allSettled(logs.map(({ log }) => log.close()))
})

test('deliveries that were claimed without a response wait again', async () => {
  await using database = await migratedDatabase('postgres')
  await using way = await wayTo(database.url)
  const { log, held } = await openLog('postgres', way.url, { clock })
  await log.append(events(3))
  await log.acknowledge(held[0]!, failed(clock), clock.now())
  log.park('1', held.splice(1))
  way.cut('commit')
  await assert.rejects(log.read('1', 10))
  assert.equal((await log.read('1', 10)).length, 2)
  way.cut('commit')
  await assert.rejects(log.takeDue(clock.now(), 10))
  await log.flush()
  assert.equal((await log.takeDue(clock.now(), 10)).length, 1)
  await log.close()
})

test('deliveries of a claim that is committed only after its connection was lost wait again', async () => {
  await using database = await migratedDatabase('postgres')
  await using way = await wayTo(database.url)
  const { log, held } = await openLog('postgres', way.url, { clock })
  await log.append(events(3))
  log.park('1', held.splice(0))
  await log.flush()
  const lost = way.lose('commit')
  const refused = assert.rejects(log.read('1', 10))
  const arrive = await lost
  await refused
  const reading = log.read('1', 10)
  await Promise.race([reading, untilWaiting(database, 1)])
  await arrive()
  assert.equal((await reading).length, 3)
  await log.close()
})

test('an attempt of a replay whose commit got no response is listed once', async () => {
  await using database = await migratedDatabase('postgres')
  await using way = await wayTo(database.url)
  const { log, held } = await openLog('postgres', way.url, { clock })
  await log.append([event()])
  way.cut('job-1')
  const recorded = log.recordReplay(held[0]!, 'job-1', delivered(clock))
  await assert.rejects(log.flush())
  await log.flush()
  await recorded
  assert.deepEqual(
    (await log.report({ limit: 1 }))[0]!.attempts.map(({ n, replayJobId }) => [n, replayJobId]),
    [[1, 'job-1']],
  )
  await log.close()
})

test('deliveries that were released without a response are read back once', async () => {
  await using database = await migratedDatabase('postgres')
  await using way = await wayTo(database.url)
  const { log, held } = await openLog('postgres', way.url, { clock })
  await log.append(events(3))
  log.park('1', held.splice(0))
  way.cut('log-write-batch')
  const [flushed, { value: read = [] }] = (await Promise.allSettled([log.flush(), log.read('1', 10)])) as [
    PromiseSettledResult<void>,
    PromiseFulfilledResult<Delivery[]>,
  ]
  assert.deepEqual([flushed.status, read.length], ['rejected', 3])
  await log.flush()
  assert.deepEqual(await log.read('1', 10), [])
  for (const delivery of read) void log.acknowledge(delivery, delivered(clock), null)
  await log.close()
})

test('a page of a parked webhook is read without a commit of what is acknowledged', async () => {
  await using database = await migratedDatabase('postgres')
  const { log, held } = await openLog('postgres', database.url, { clock })
  await log.append(events(4))
  const [first, ...others] = held.splice(0)
  log.park('1', others)
  await log.flush()
  let commits = 0
  log.onCommit(() => {
    commits += 1
  })
  const acknowledged = log.acknowledge(first!, delivered(clock), null)
  const read = await log.read('1', 10)
  assert.deepEqual([read.length, commits], [3, 0])
  await acknowledged
  assert.equal(commits, 1)
  for (const delivery of read) void log.acknowledge(delivery, delivered(clock), null)
  await log.close()
})

test('a wipe beside pages that are being read fails neither', async () => {
  await using database = await migratedDatabase('postgres')
  const { log, held } = await openLog('postgres', database.url, { clock })
  for (let round = 0; round < cases(5, 20); round += 1) {
    await log.append(events(200))
    log.park('1', held.splice(0))
    await log.flush()
    const page = log.read('1', 100)
    const wiped = log.wipe()
    assert.equal((await page).length, 100)
    await wiped
  }
  await log.close()
})

test('an event with text that PostgreSQL cannot store is rejected alone', async () => {
  await using processes = await twoProcesses()
  const { a } = processes
  const [bad, good] = await Promise.allSettled([a.log.append([event({ userId: 'a\0b' })]), a.log.append([event()])])
  assert.deepEqual([bad.status, good.status], ['rejected', 'fulfilled'])
  await a.log.acknowledge(a.held[0]!, { ...failed(clock), error: 'said \0' }, null)
  assert.equal((await a.log.report({ limit: 1 }))[0]!.attempts[0]!.error, 'said ')
})

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  'Recheck Cond'?: string
  Plans?: Plan[]
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

test('statements planned while the tables are empty still find rows by key when there are many', async () => {
  // Statistics outlast the rows: no other test gets this database.
  await using processes = await twoProcesses()
  const { a, url } = processes
  await a.log.append(events(300))
  for (const delivery of a.held.splice(0)) void a.log.acknowledge(delivery, delivered(clock), null)
  await a.log.flush()
  const planner = new Client({ connectionString: url })
  await planner.connect()
  for (const setting of keysOnly) await planner.query(`set ${setting}`)
  await planner.query('vacuum analyze log_open, log_event')
  const plans: Plan[] = []
  for (const statement of [batchStatement, acknowledgementStatement, claimStatement])
    plans.push((await planner.query(`explain (generic_plan, format json) ${statement}`)).rows[0]['QUERY PLAN'][0].Plan)
  await planner.end()
  const tables = ['log_open', 'log_event']
  const reads = plans.flatMap(nodesOf).filter((node) => tables.includes(node['Relation Name'] ?? '') && node['Node Type'].endsWith('Scan'))
  assert.ok(reads.length >= 6)
  assert.deepEqual(
    reads.filter((node) => !node['Index Cond'] && !node['Recheck Cond']),
    [],
  )
})

test('deliveries of a webhook are picked by an index of webhooks, whatever else is open', async () => {
  await using processes = await twoProcesses()
  const { client } = processes
  await client.query(`insert into log_open (sequence, webhook_id, due_ms)
    select n, n % 50, case when n % 2 = 0 then n end from generate_series(1, 20000) n`)
  await client.query('vacuum analyze log_open')
  for (const setting of indexesOnly) await client.query(`set ${setting}`)
  const conditionsOf = async (statement: string) => {
    const { Plan } = (await client.query(`explain (generic_plan, format json) ${statement}`)).rows[0]['QUERY PLAN'][0]
    const scans = nodesOf(Plan).filter((node) => node['Relation Name'] === 'log_open')
    return scans.map((node) => {
      const condition = node['Index Cond'] ?? node['Recheck Cond'] ?? ''
      return [node['Index Name'] ?? node.Plans![0]!['Index Name'], ...(condition.match(/\w+ [<=>]+ [\w.$]+/g) ?? [])]
    })
  }
  assert.deepEqual(await conditionsOf(pickWaiting), [['log_open_waiting', 'webhook_id >= $1', 'webhook_id <= $1']])
  assert.deepEqual(await conditionsOf(pickRetrying), [['log_open_retrying', 'webhook_id >= $1', 'webhook_id <= $1']])
  const step = ['log_open_retries_of_webhook', 'webhook_id >= step.webhook_id', 'webhook_id <= step.webhook_id']
  const locked = ['log_open_pkey', 'sequence = looked.sequence', 'webhook_id = looked.webhook_id']
  assert.deepEqual(await conditionsOf(dueExcept), [['log_open_due', 'due_ms <= $3'], ['log_open_retrying'], step, locked])
  assert.deepEqual(await conditionsOf(nextDueExcept), [['log_open_due'], ['log_open_retrying'], step])
})

test('a delivery that is opened again while its event is trimmed keeps the event, or is not opened', async () => {
  await using processes = await twoProcesses()
  const { a, b, client } = processes
  const everything = { webhookId: '1', after: 0, before: Number.MAX_SAFE_INTEGER, states: ['delivered' as const], limit: 10 }
  await a.log.append([event()])
  await a.log.acknowledge(a.held[0]!, delivered(clock), null)
  await client.query('begin; select 1 from log_event for no key update')
  const late = a.log.trim(clock.now() + MINUTE_MS)
  await untilWaiting(processes, 1)
  assert.equal((await b.log.reopen({ ...everything, dueMs: clock.now() })).count, 1)
  await client.query('commit')
  assert.equal(await late, 0)
  const [due] = await b.log.takeDue(clock.now(), 10)
  await b.log.acknowledge(due!, delivered(clock), null)

  await client.query('begin; lock table log_attempt in share mode')
  const early = a.log.trim(clock.now() + MINUTE_MS)
  await untilWaiting(processes, 1)
  const reopening = b.log.reopen({ ...everything, dueMs: clock.now() })
  await Promise.race([reopening, untilWaiting(processes, 2)])
  await client.query('commit')
  assert.deepEqual([await early, (await reopening).count], [1, 0])
  assert.equal((await client.query('select 1 from log_open')).rowCount, 0)
})

test('processes that open the same deliveries again at once open each once', async () => {
  await using processes = await twoProcesses()
  const { a, b } = processes
  await a.log.append(events(50))
  await Promise.all(a.held.map((delivery) => a.log.acknowledge(delivery, delivered(clock), null)))
  const everything = { webhookId: '1', after: 0, before: Number.MAX_SAFE_INTEGER, states: ['delivered' as const], limit: 1000 }
  const opened = await Promise.all(Array.from({ length: 8 }, (_, n) => (n % 2 ? a : b).log.reopen({ ...everything, dueMs: clock.now() })))
  assert.equal(
    opened.reduce((sum, { count }) => sum + count, 0),
    50,
  )
  const taken = await Promise.all([a.log.takeDue(clock.now(), 100), b.log.takeDue(clock.now(), 100)])
  assert.equal(taken.flat().length, 50)
})

test('a retry of a process whose clock is five minutes ahead is due for all of them when its delay is over, not five minutes later', async () => {
  await using database = await migratedDatabase('postgres')
  const [aheadMs, delayMs] = [5 * 60_000, 60_000]
  const clockAhead = createClock(0, () => Date.now() + aheadMs)
  const living = [1, 2]
  const lease = { ...noLease, aheadMs: () => -aheadMs }
  const ahead = await openLog('postgres', database.url, { clock: clockAhead, worker: 1, living, lease })
  const right = await openLog('postgres', database.url, { clock, worker: 2, living })
  try {
    await ahead.log.append([event()])
    const retryAtMs = clockAhead.now() + delayMs
    await ahead.log.acknowledge(ahead.held[0]!, failed(clockAhead), retryAtMs)
    assert.equal(await right.log.nextDueMs(), retryAtMs - aheadMs)
    assert.equal(await ahead.log.nextDueMs(), retryAtMs)
    assert.deepEqual(await ahead.log.takeDue(retryAtMs - 1, 9), [])
    assert.equal((await ahead.log.dueRetries(retryAtMs - 1, 9)).count, 0)
    assert.deepEqual(await ahead.log.dueRetries(retryAtMs, 9), { count: 1, sinceMs: retryAtMs })
    assert.deepEqual(await right.log.takeDue(retryAtMs - aheadMs - 1, 9), [])
    assert.equal((await right.log.takeDue(retryAtMs - aheadMs, 9)).length, 1)
  } finally {
    await Promise.all([ahead.log.close(), right.log.close()])
  }
})

/** The log of a process whose clock was `aheadMs` ahead, and has accepted an event with it. The database tells it so. */
async function openAhead(url: string, aheadMs: number): Promise<OpenedLog> {
  const clockAhead = createClock(0, () => Date.now() + aheadMs)
  const lease = { ...noLease, aheadMs: () => -aheadMs }
  const opened = await openLog('postgres', url, { clock: clockAhead, worker: 1, living: [1, 2], lease })
  await opened.log.append([event()])
  return opened
}

test('events of a clock that was ahead date nothing that another process accepts, also after a restart', async () => {
  await using database = await migratedDatabase('postgres')
  const ahead = await openAhead(database.url, 6 * HOUR_MS)
  const right = await openLog('postgres', database.url, { clock, worker: 2, living: [1, 2] })
  try {
    const beganMs = clock.now()
    await right.log.append([event({ targets: [{ webhookId: '14', match: 'm', notSent: 'webhook invalid' }] })])
    assert.equal((await right.log.range('14', beganMs - 1, clock.now() + 1, 0, 9)).length, 1)
  } finally {
    await Promise.all([ahead.log.close(), right.log.close()])
  }
  // The clock is right again. The numbers that this worker has used are not used twice.
  const again = await openLog('postgres', database.url, { clock, worker: 1, living: [1] })
  const { log } = again
  await log.append([event()])
  const found = await log.report({ limit: 10 })
  assert.equal(new Set(found.map(({ sequence }) => sequence)).size, 3)
  await log.close()
})

test('a process whose clock is more than a day ahead deletes nothing that another one has just accepted', async () => {
  await using database = await migratedDatabase('postgres')
  const right = await openLog('postgres', database.url, { clock, worker: 2, living: [1, 2] })
  const ahead = await openAhead(database.url, 26 * HOUR_MS)
  try {
    await right.log.append([event({ targets: [{ webhookId: '14', match: 'm', notSent: 'webhook invalid' }] })])
    const aheadMs = clock.now() + 26 * HOUR_MS
    assert.equal(await ahead.log.trim(aheadMs - 25 * HOUR_MS), 0)
    assert.equal((await right.log.range('14', clock.now() - HOUR_MS, clock.now() + 1, 0, 9)).length, 1)
    assert.equal(await right.log.trim(clock.now() + HOUR_MS), 1)
  } finally {
    await Promise.all([ahead.log.close(), right.log.close()])
  }
})
