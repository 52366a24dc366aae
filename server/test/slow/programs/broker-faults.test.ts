// Faults of Postern, the broker and the databases while events come from a real nats-server: exactly one event for each message.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Origins } from '../../../src/assemble.ts'
import { slotOf } from '../../../src/storage/log-map.ts'
import { call } from '../../stage/call.ts'
import { type Flavour, migratedDatabase } from '../../stage/database.ts'
import { databasesOf } from '../../stage/databases.ts'
import { demo, demoToken, subscribe } from '../../stage/demo-client.ts'
import { startGate } from '../../stage/gate.ts'
import { type NatsServer, startNats, withoutNats } from '../../stage/nats-server.ts'
import { PATIENCE_MS, pause } from '../../stage/pause.ts'
import { PosternProcess } from '../../stage/postern-process.ts'
import { startPostgres } from '../../stage/postgres-server.ts'
import { startReceiver, type TestReceiver } from '../../stage/receiver.ts'
import { scrape } from '../../stage/scrape.ts'
import { rawRows } from '../../storage/samples.ts'

const bodies = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => ({
    body: JSON.stringify({ event_type: 'dm.received', user_id: '101', payload: { n: from + at } }),
  }))

/** The same, sent again until the broker has them: it knows them by their ids. */
const namedBodies = (from: number, to: number) => bodies(from, to).map(({ body }, at) => ({ body, id: `n${from + at}` }))

/** What a dead process held comes again after two seconds, not sixty. */
const hasten = ({ manager }: NatsServer) =>
  manager.consumers.add('EVENTS', { durable_name: 'postern', ack_policy: 'explicit', ack_wait: 2_000_000_000, max_deliver: -1 })

const start = (url: string, { address }: NatsServer, more: Record<string, string> = {}) =>
  new PosternProcess({ POSTERN_DATABASE_URL: url, POSTERN_EVENTS_FROM: `nats://${address}?stream=EVENTS`, ...more }, '/tmp')

async function until(isSo: () => Promise<boolean> | boolean, patienceMs = 2 * PATIENCE_MS) {
  for (const givenUpAt = performance.now() + patienceMs; !(await isSo()); await pause())
    if (performance.now() > givenUpAt) throw new Error(`still not so: ${isSo}`)
}

const isEmpty = async (nats: NatsServer) => {
  const { pending, unsettled } = await nats.left().catch(() => ({ pending: 1, unsettled: 1 }))
  return pending + unsettled === 0
}

const EVENTS: Record<Flavour, string> = {
  sqlite: 'select content from event order by sequence',
  postgres: 'select content from log_event order by sequence',
}

/** The numbers of the events in the log, in its order. */
async function logged(flavour: Flavour, url: string): Promise<number[]> {
  const rows = await rawRows(flavour === 'sqlite' ? `${url}.events` : url, EVENTS[flavour])
  return rows.map(({ content }) => Number(/"n":(\d+)/.exec(Buffer.from(content as Uint8Array).toString())![1]))
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)

suite('events from a broker', { skip: withoutNats }, () => {
  for (const flavour of databasesOf(import.meta))
    test(`${flavour}: each message is one event, over ten deaths of the process`, async (t) => {
      await using nats = await startNats()
      await hasten(nats)
      await using database = await migratedDatabase(flavour)
      await using begun = new AsyncDisposableStack()
      const launch = async () => {
        const process = start(database.url, nats)
        begun.defer(async () => void (await process.end('SIGKILL')))
        return { process, origins: await process.ready() }
      }
      await nats.send(bodies(1, 20_000))
      const left = async () => (await nats.left().catch(() => ({ pending: 20_000, unsettled: 0 }))).pending
      let life = await launch()
      for (let kill = 1; kill <= 10; kill += 1) {
        const before = 20_000 - kill * 1_500
        await until(async () => (await left()) < before)
        await life.process.end('SIGKILL')
        life = await launch()
      }
      await until(() => isEmpty(nats))
      const found = await logged(flavour, database.url)
      t.diagnostic(
        `${found.length} events; ${(await scrape(life.origins.operator_url)).value('postern_broker_redelivered_total')} came again in the last life`,
      )
      assert.deepEqual(
        found.toSorted((one, other) => one - other),
        range(1, 20_000),
      )
    })

  test('each message is one event, over restarts and deaths of the broker, with one line for each outage', async () => {
    await using nats = await startNats()
    await hasten(nats)
    await using database = await migratedDatabase('sqlite')
    const process = start(database.url, nats)
    try {
      const { base_url } = await process.ready()
      let sent = 0
      for (const signal of ['SIGTERM', 'SIGKILL', 'SIGTERM', 'SIGKILL'] as const) {
        await nats.send(namedBodies(sent + 1, sent + 2_000))
        sent += 2_000
        await until(async () => (await nats.left()).pending < 1_500)
        await nats.halt(signal)
        const isAway = async () => (await call(`${base_url}/readyz`, 'GET')).body.broker === 'away'
        await until(isAway)
        await nats.launch()
      }
      await until(() => isEmpty(nats))
      assert.deepEqual(
        (await logged('sqlite', database.url)).toSorted((one, other) => one - other),
        range(1, sent),
      )
      const lines = process.lines.map(({ msg }) => msg)
      assert.equal(lines.filter((msg) => msg.startsWith('the broker cannot be used')).length, 4)
      assert.equal(lines.filter((msg) => msg === 'events are taken from the broker').length, 5)
      assert.equal(process.lines.filter(({ level }) => level >= 50).length, 0)
    } finally {
      await process.end('SIGKILL')
    }
  })

  test('while PostgreSQL is away nothing is taken, and afterwards all comes, in the order of the stream', async () => {
    await using nats = await startNats()
    const postgres = await startPostgres()
    const process = start(postgres.url, nats)
    try {
      const { base_url } = await process.ready()
      await nats.send(bodies(1, 3_000))
      await until(async () => (await nats.left()).pending < 2_500)
      await postgres.halt('SIGQUIT')
      // What was taken is given back: at most what comes again is not settled.
      await until(async () => (await call(`${base_url}/readyz`, 'GET')).status === 503)
      await nats.send(bodies(3_001, 4_000))
      const pending = (await nats.left()).pending
      assert.ok(pending > 1_000)
      await postgres.launch()
      await until(() => isEmpty(nats))
      assert.deepEqual(await logged('postgres', postgres.url), range(1, 4_000))
    } finally {
      await process.end('SIGKILL')
      await postgres.stop()
    }
  })

  test('two processes share a stream, of which one is killed, and what it held comes to the other', async () => {
    await using nats = await startNats()
    await hasten(nats)
    await using database = await migratedDatabase('postgres')
    await using receiver = await startReceiver([demo.secret])
    const processes = [start(database.url, nats), start(database.url, nats)] as const
    try {
      const origins: Origins[] = []
      for (const process of processes) origins.push(await process.ready())
      await subscribe(origins[1]!, receiver.url, '101')
      await nats.send(bodies(1, 10_000))
      const accepted = async ({ operator_url }: Origins) =>
        (await scrape(operator_url)).value('postern_broker_messages_total', { outcome: 'accepted' })!
      await until(async () => (await accepted(origins[0]!)) > 500 && (await accepted(origins[1]!)) > 500)
      await processes[0].end('SIGKILL')
      await until(() => isEmpty(nats))
      assert.deepEqual(
        (await logged('postgres', database.url)).toSorted((one, other) => one - other),
        range(1, 10_000),
      )
      await receiver.received(10_000)
    } finally {
      for (const process of processes) await process.end('SIGKILL')
    }
  })

  test('of two event logs one is away: messages for its webhooks come later, and keep no other back', async () => {
    await using stack = new AsyncDisposableStack()
    const nats = stack.use(await startNats())
    const state = stack.use(await migratedDatabase('postgres'))
    const gate = stack.use(await startGate(stack.use(await migratedDatabase('postgres')).url))
    const process = start(state.url, nats, { POSTERN_LOG_URLS: `${state.url},${gate.url}`, POSTERN_RATE_LIMITS: 'off' })
    stack.defer(async () => void (await process.end('SIGKILL')))
    const origins = await process.ready()
    const receivers: TestReceiver[] = []
    for (const [user, wanted] of [
      ['101', 0],
      ['102', 1],
    ] as const) {
      const receiver = stack.use(await startReceiver([demo.secret], `/${user}`))
      receivers.push(receiver)
      // An id whose slot is of the other log is given back.
      for (let webhook = ''; webhook === '' || slotOf(webhook) % 2 !== wanted; ) {
        if (webhook !== '') await call(`${origins.base_url}/2/webhooks/${webhook}`, 'DELETE', { token: await demoToken(origins) })
        webhook = await subscribe(origins, receiver.url, user)
      }
    }
    const [there, away] = receivers as [TestReceiver, TestReceiver]
    const send = (from: number, to: number) =>
      nats.send(
        range(from, to).map((n) => ({ body: JSON.stringify({ event_type: 'dm.received', user_id: `10${(n % 2) + 1}`, payload: { n } }) })),
      )
    await send(1, 100)
    await Promise.all(receivers.map((receiver) => receiver.received(50)))

    await gate.shut()
    await send(101, 600)
    await there.received(300)
    assert.ok(away.events.length <= 50, `${away.events.length} came although their log is away`)
    assert.equal((await call(`${origins.base_url}/readyz`, 'GET')).body.broker, 'consuming')

    await gate.open()
    await away.received(300)
    await until(() => isEmpty(nats))
    for (const { events } of receivers) assert.equal(new Set(events.map(({ data }) => data!.event_uuid)).size, 300)
  })

  test('a process that is stopped finishes or gives back what it took, and the next one has it at once', async () => {
    await using nats = await startNats()
    await using database = await migratedDatabase('sqlite')
    await nats.send(bodies(1, 5_000))
    const first = start(database.url, nats)
    await first.ready()
    await until(async () => (await nats.left().catch(() => ({ pending: 5_000 }))).pending < 4_000)
    assert.equal(await first.end('SIGTERM'), 0)
    // Nothing waits for a time-out: all that is not settled has been given back.
    const second = start(database.url, nats)
    try {
      await second.ready()
      await until(() => isEmpty(nats), 30_000)
      assert.deepEqual(await logged('sqlite', database.url), range(1, 5_000))
    } finally {
      await second.end('SIGKILL')
    }
  })

  test('with 100,000 messages queued memory stays as it is', async (t) => {
    await using nats = await startNats()
    await using database = await migratedDatabase('sqlite')
    const text = 'x'.repeat(1_000)
    for (let sent = 0; sent < 100_000; sent += 10_000)
      await nats.send(bodies(sent + 1, sent + 10_000).map(({ body }) => ({ body: body.replace('{"n"', `{"text":"${text}","n"`) })))
    const process = start(database.url, nats)
    try {
      const { operator_url } = await process.ready()
      const resident = async () => (await scrape(operator_url)).value('process_resident_memory_bytes')!
      const after = async (pending: number) => {
        await until(async () => (await nats.left().catch(() => ({ pending: 100_000 }))).pending <= pending)
        return resident()
      }
      const [early, middle, late] = [await after(90_000), await after(50_000), await after(0)]
      await until(() => isEmpty(nats))
      t.diagnostic(`${[early, middle, late].map((bytes) => Math.round(bytes / 1e6)).join(', ')} MB`)
      assert.equal((await logged('sqlite', database.url)).length, 100_000)
      assert.ok(late < early + 60e6, 'a backlog of 100 MB is not in memory')
    } finally {
      await process.end('SIGKILL')
    }
  })
})
