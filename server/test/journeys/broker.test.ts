// Events from a real nats-server; slow/programs/broker-faults.test.ts has faults, delivery/broker-consumer.test.ts what is done with messages.
import assert from 'node:assert/strict'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { createJetStreamSource } from '../../src/delivery/broker/nats/jetstream-source.ts'
import { createClock } from '../../src/lib/clock.ts'
import { eventsFrom } from '../../src/settings/events-from.ts'
import { eventSourceSuite } from '../stage/event-source-suite.ts'
import { createNatsAccounts } from '../stage/nats-accounts.ts'
import { startNats, withoutNats } from '../stage/nats-server.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { scrape } from '../stage/scrape.ts'

const quiet = { info() {}, warn() {}, error() {} } as never

eventSourceSuite(
  'NATS JetStream',
  async () => {
    const nats = await startNats()
    const place = eventsFrom(`nats://${nats.address}?stream=EVENTS`)
    return {
      send: nats.send,
      source: () => createJetStreamSource(place, createClock(), quiet),
      pass: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
      [Symbol.asyncDispose]: () => nats[Symbol.asyncDispose](),
    }
  },
  { skip: withoutNats },
)

const bodyOf = (n: number, more: object = {}) => JSON.stringify({ event_type: 'dm.received', user_id: '101', payload: { n }, ...more })

const bodies = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => ({ body: bodyOf(from + at) }))

const settingsFor = (url: string) => ({ POSTERN_EVENTS_FROM: url })

const parkedOf = async (stage: Stage) => (await stage.operator('GET', '/operator/parked_messages')).body.data

/** Bodies that no call may have, either. */
const wrongBodies = {
  'no JSON': '{"event_type":',
  'no object': '[1]',
  'no members': '{}',
  'an unknown type': bodyOf(1, { event_type: 'dm.recieved' }),
  'a user that is none': bodyOf(1, { user_id: 'ada' }),
  'a repeated member': '{"event_type":"dm.received","event_type":"dm.sent","user_id":"101","payload":{}}',
  'a list and an event': bodyOf(1, { events: [] }),
  'an event that is too large': bodyOf(1, { text: 'x'.repeat(300_000) }),
  'a wrong uuid': bodyOf(1, { event_uuid: 'abc' }),
}

suite('events from a broker', { skip: withoutNats }, () => {
  test('reach webhooks in the order of the stream, once, whatever of their uuid is given', async () => {
    await using nats = await startNats()
    await using stage = await setStage({ environment: settingsFor(`nats://${nats.address}?stream=EVENTS`) })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await stage.connect(receiver)
    await nats.send([
      { body: bodyOf(1, { event_uuid: '77' }) },
      { body: bodyOf(2), id: 'two' },
      ...bodies(3, 300),
      { body: bodyOf(1, { event_uuid: '77' }) },
    ])
    const events = await receiver.received(300)
    await stage.until(async () => {
      const { pending, unsettled } = await nats.left()
      return pending + unsettled === 0
    })
    const numbers = events.map(({ data }) => (data!.payload as { n: number }).n)
    assert.equal(new Set(numbers).size, 300)
    assert.equal(receiver.posts, 300)
    const { data } = (await stage.operator('GET', '/operator/deliveries?max_results=1000')).body
    assert.equal(data.length, 300)
    assert.equal((await stage.operator('GET', '/operator/events/77')).status, 200)
    // In the log they are in the order of the stream: uuids without an id count the sequence.
    const derived = data
      .map(({ event_uuid }: { event_uuid: string }) => BigInt(event_uuid))
      .filter((uuid: bigint) => uuid < 0n && uuid > -(2n ** 62n))
    assert.equal(derived.length, 298)
    assert.deepEqual(
      derived,
      derived.toSorted((one: bigint, other: bigint) => (one < other ? -1 : 1)),
    )
    const found = await scrape(stage.origins.operator_url)
    assert.equal(found.value('postern_broker_messages_total', { outcome: 'accepted' }), 300)
    assert.equal(found.value('postern_broker_messages_total', { outcome: 'repeated' }), 1)
    assert.equal(found.value('postern_broker_connected'), 1)
    assert.equal(found.value('postern_broker_pending'), 0)
    assert.equal(found.value('postern_broker_lag_seconds'), 0)
    assert.deepEqual((await stage.api('GET', '/readyz')).body, { ready: true, broker: 'consuming' })
    const [own] = (await stage.operator('GET', '/operator/processes')).body.data
    assert.equal(own.broker, 'consuming')
  })

  test('that a call could not publish are parked with what it would be answered, shown to operators, and discarded by them', async () => {
    await using nats = await startNats()
    await using stage = await setStage({ environment: settingsFor(`nats://${nats.address}?stream=EVENTS`) })
    await nats.send(Object.values(wrongBodies).map((body) => ({ body })))
    const parked = await stage.until(async () => {
      const found = await parkedOf(stage)
      return found.length === Object.keys(wrongBodies).length && found.toReversed()
    })
    for (const [place, [name, body]] of Object.entries(wrongBodies).entries()) {
      const refused = await stage.api('POST', '/operator/events', {
        headers: { 'content-type': 'application/json', authorization: 'Bearer operator-token-of-the-tests-0123456789' },
        body,
      })
      assert.equal(refused.status, 400, name)
      const said = refused.body.errors.map(({ message }: { message: string }) => message).join(' ')
      assert.deepEqual([parked[place].sequence, parked[place].reason], [place + 1, said], name)
      assert.equal(parked[place].bytes, body.length)
      assert.ok(body.startsWith(parked[place].content) && parked[place].content.length <= 1_000)
    }
    const [first] = parked
    const path = `/operator/parked_messages/${first.message_id}`
    assert.equal((await stage.operator('GET', path)).body.data.content, '{"event_type":')
    assert.deepEqual((await stage.operator('DELETE', path)).body, { data: { message_id: first.message_id } })
    for (const method of ['GET', 'DELETE']) assert.equal((await stage.operator(method, path)).status, 404)
    const audited = await stage.until(async () => {
      const { data } = (await stage.operator('GET', '/operator/audit?action=discardParkedMessage')).body
      return data.length === 2 && data
    })
    assert.deepEqual(
      audited.map(({ target }: { target: string }) => target),
      [path, path],
    )
    const { pending, unsettled } = await nats.left()
    assert.deepEqual([pending, unsettled], [0, 0])
  })

  test('are taken by two processes that share the stream, each once', async () => {
    await using nats = await startNats()
    const environment = settingsFor(`nats://${nats.address}?stream=EVENTS`)
    await using stage = await setStage({ flavour: 'postgres', environment })
    await using other = await stage.beside()
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await stage.connect(receiver)
    await nats.send(bodies(1, 1_000))
    await receiver.received(1_000)
    assert.equal(receiver.posts, 1_000)
    const counts = await Promise.all(
      [stage, other].map(async ({ origins }) =>
        (await scrape(origins.operator_url)).value('postern_broker_messages_total', { outcome: 'accepted' }),
      ),
    )
    assert.equal(counts[0]! + counts[1]!, 1_000)
    assert.ok(
      counts.every((count) => count! > 0),
      `${counts}`,
    )
    await other.stop()
  })

  test('come with a user and password, with a token, and over TLS', async () => {
    for (const [configuration, login, before] of [
      ['authorization { user: ada, password: "p@ss" }', { user: 'ada', pass: 'p@ss' }, 'ada:p%40ss@'],
      ['authorization { token: "s3cr3t" }', { token: 's3cr3t' }, 's3cr3t@'],
    ] as const) {
      await using nats = await startNats({ configuration, login })
      await using stage = await setStage({ environment: settingsFor(`nats://${before}${nats.address}?stream=EVENTS`) })
      await nats.send(bodies(1, 1))
      await stage.until(
        async () => (await scrape(stage.origins.operator_url)).value('postern_broker_messages_total', { outcome: 'accepted' }) === 1,
      )
    }
    await using nats = await startNats({ tls: true })
    await using stage = await setStage({ environment: settingsFor(`tls://${nats.address}?stream=EVENTS&ca=${nats.ca}`) })
    await nats.send(bodies(1, 1))
    await stage.until(
      async () => (await scrape(stage.origins.operator_url)).value('postern_broker_messages_total', { outcome: 'accepted' }) === 1,
    )
  })

  test('come with a credentials file, which is read at each connection', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'postern-creds-'))
    const accounts = createNatsAccounts()
    const [former, next] = [accounts.createUser(), accounts.createUser()]
    const creds = join(folder.path, 'postern.creds')
    await writeFile(creds, former.creds)
    await using nats = await startNats({ configuration: accounts.configuration(), login: accounts.login })
    await using stage = await setStage({ environment: settingsFor(`nats://${nats.address}?stream=EVENTS&creds=${creds}`) })
    const accepted = (count: number) =>
      stage.until(
        async () => (await scrape(stage.origins.operator_url)).value('postern_broker_messages_total', { outcome: 'accepted' }) === count,
      )
    await nats.send(bodies(1, 1))
    await accepted(1)
    await nats.halt('SIGTERM')
    former.revoke()
    await writeFile(creds, next.creds)
    await nats.launch(accounts.configuration())
    await nats.send([{ body: bodyOf(2), id: 'two' }])
    await accepted(2)
  })

  test('come from a stream that was made anew while nothing was taken, as another one', async () => {
    await using nats = await startNats()
    const source = createJetStreamSource(eventsFrom(`nats://${nats.address}?stream=EVENTS`), createClock(), quiet)
    await nats.send(bodies(1, 1))
    const [former] = await source.take()
    former!.accept()
    await source.giveBack([])
    await nats.manager.streams.delete('EVENTS')
    await nats.manager.streams.add({ name: 'EVENTS', subjects: ['events.>'] })
    await nats.manager.consumers.add('EVENTS', { durable_name: 'postern', ack_policy: 'explicit' })
    await nats.send(bodies(2, 2))
    const [next] = await source.take()
    assert.equal(next!.sequence, former!.sequence)
    assert.notEqual(next!.streamLife, former!.streamLife)
    next!.accept()
    await source.stop()
    await source.close()
  })

  test('do not come with wrong credentials: one line says so, without them, and Postern serves', async () => {
    const login = { user: 'ada', pass: 'right' }
    await using nats = await startNats({ configuration: 'authorization { user: ada, password: right }', login })
    await using stage = await setStage({ environment: settingsFor(`nats://ada:wr0ng-s3cr3t@${nats.address}?stream=EVENTS`) })
    const [line] = await stage.logged('the broker cannot be used: it is tried again until it can', 1)
    assert.match(line.reason, /authorization violation/i)
    const before = await nats.connections()
    await stage.until(async () => (await nats.connections()) >= before + 3)
    assert.equal(stage.log.filter(({ level }) => level >= 40).length, 1)
    assert.ok(!JSON.stringify(stage.log).includes('s3cr3t'))
    assert.deepEqual((await stage.api('GET', '/readyz')).body, { ready: true, broker: 'away' })
    const found = await scrape(stage.origins.operator_url)
    assert.equal(found.value('postern_broker_connected'), 0)
    assert.ok(!found.text.includes('s3cr3t'))
    assert.equal((await stage.publish({ n: 1 })).length, 1)
  })

  test('come once their stream is there, and by a consumer that is as the settings say', async () => {
    await using nats = await startNats()
    const url = `nats://${nats.address}?stream=LATER&filter_subject=later.*&max_ack_pending=5`
    await using stage = await setStage({ environment: settingsFor(url) })
    const [line] = await stage.logged('the broker cannot be used: it is tried again until it can', 1)
    assert.match(line.reason, /stream not found/)
    await nats.manager.streams.add({ name: 'LATER', subjects: ['later.>'] })
    await stage.logged('events are taken from the broker', 1)
    const { config } = await nats.manager.consumers.info('LATER', 'postern')
    assert.deepEqual(
      [config.ack_policy, config.deliver_policy, config.max_deliver, config.max_ack_pending, config.filter_subject, config.ack_wait],
      ['explicit', 'all', -1, 5, 'later.*', 60_000_000_000],
    )
  })

  test('are not taken by a consumer that would lose them', async () => {
    await using nats = await startNats()
    await nats.manager.consumers.add('EVENTS', { durable_name: 'postern', ack_policy: 'explicit', max_deliver: 5 })
    await using stage = await setStage({ environment: settingsFor(`nats://${nats.address}?stream=EVENTS`) })
    const [line] = await stage.logged('the broker cannot be used: it is tried again until it can', 1)
    assert.equal(
      line.reason,
      'the consumer postern of the stream EVENTS has max_deliver 5: messages would be lost in an outage; it must be -1, which is no limit',
    )
  })
})
