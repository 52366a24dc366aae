// What a stream gets in a process that may have missed a revocation, because it is cut off from the database of the state and not from the events.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import type { Disconnect } from '../../src/delivery/stream/connection.ts'
import { createStreamHub } from '../../src/delivery/stream/hub.ts'
import { createClock } from '../../src/lib/clock.ts'
import { createIds, sequenceAt } from '../../src/lib/ids.ts'
import { createStreamCounts } from '../../src/metrics/stream-counts.ts'
import type { Change } from '../../src/storage/changes.ts'
import type { StreamEntry, StreamListener, StreamRange } from '../../src/storage/event-log.ts'
import { Unavailable } from '../../src/storage/unavailable.ts'
import { noLease } from '../../src/storage/work-lease.ts'
import { until } from '../stage/pause.ts'
import { streamEntry } from '../stage/stream-entry.ts'

/** Lets what was begun go on. */
async function turns(count = 20) {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate)
}

/** One connection of an app, in a process that does not hear of changes and whose database is away at first. */
async function cutOff() {
  const clock = createClock()
  const lines: { data?: { event_uuid: string }; errors?: { disconnect_type: string }[] }[] = []
  const logged: StreamEntry[] = []
  let told: StreamListener | undefined
  let changed: (change: Change) => void = () => {}
  let reads = 0
  const state: { hearsAll: boolean; isAway: boolean; reason: Disconnect | undefined; late?: Promise<void>; waitingBytes: number } = {
    hearsAll: false,
    isAway: true,
    reason: undefined,
    waitingBytes: 0,
  }
  const counts = createStreamCounts()
  const hub = createStreamHub({
    log: {
      onStream: (listener) => (told = listener),
      async readStream({ after, before }: StreamRange) {
        reads += 1
        return logged.filter(({ sequence }) => sequence > after && sequence < before)
      },
      watchStreams() {},
    },
    connections: { open: async () => 'opened', list: async () => [], close: async () => {}, noteUse: async () => {} },
    subscriptions: { count: async () => 1 },
    mayReceive: async (_appId, entries) => entries,
    changes: {
      listen(listener) {
        changed = listener
      },
      hearsAll: () => state.hearsAll,
    },
    lease: noLease,
    ids: createIds(clock),
    clock,
    logger: pino({ level: 'silent' }),
    counts,
  })
  const check = async () => {
    if (state.isAway) throw new Unavailable('away')
    const { reason } = state
    await state.late
    return reason
  }
  const opened = await hub.open({ appId: '1', fromMs: undefined, toMs: undefined, check })
  assert.ok(typeof opened === 'object')
  const write = ({ bytes }: { bytes: Buffer }) => {
    for (const line of String(bytes).split('\r\n')) if (line !== '') lines.push(JSON.parse(line))
  }
  const outlet = { write, end: write, waitingBytes: () => state.waitingBytes, isFull: () => false, sentBytes: () => 0, destroy() {} }
  const listener = opened.attach(outlet, '')
  const accept = () => {
    const accepted = streamEntry(sequenceAt(clock.now()) + logged.length)
    logged.push(accepted)
    return accepted
  }
  return {
    state,
    changed,
    reads: () => reads,
    sent: () => counts.families().find(({ name }) => name === 'postern_stream_events_total')!.samples[0]!.value,
    uuids: () => lines.flatMap(({ data }) => data?.event_uuid ?? []),
    endings: () => lines.flatMap(({ errors = [] }) => errors.map(({ disconnect_type }) => disconnect_type)),
    /** An event of this process. */
    commit() {
      const accepted = accept()
      told!.committed([accepted])
      return accepted.eventUuid
    },
    /** One of another process. */
    hear() {
      const { sequence, eventUuid } = accept()
      told!.mayHave({ from: sequence, to: sequence, appIds: ['1'] })
      return eventUuid
    },
    /** Lets what is tried again be tried. */
    async later() {
      await turns()
      clock.advance(60_000)
      await turns()
    },
    async [Symbol.asyncDispose]() {
      listener.closed()
      await hub.stop()
    },
  }
}

for (const way of ['commit', 'hear'] as const) {
  test(`events wait while it cannot be asked whether the connection may go on, and come once it may (${way})`, async () => {
    await using stream = await cutOff()
    const uuids = [stream[way](), stream[way]()]
    await stream.later()
    assert.deepEqual([stream.uuids(), stream.endings()], [[], []])
    stream.state.isAway = false
    await stream.later()
    await until(() => stream.uuids().length === 2)
    assert.deepEqual(stream.uuids().sort(), uuids.sort())
    assert.equal(stream.sent(), 2)
  })

  test(`a connection that was revoked meanwhile ends without them (${way})`, async () => {
    await using stream = await cutOff()
    stream[way]()
    await stream.later()
    Object.assign(stream.state, { isAway: false, reason: 'revoked' })
    await stream.later()
    await until(() => stream.endings().length === 1)
    assert.deepEqual([stream.uuids(), stream.endings()], [[], ['ForceDisconnect']])
    assert.equal(stream.sent(), 0)
  })
}

/** The same, once changes are heard and the connection was found to be in order. */
async function inTouch() {
  const stream = await cutOff()
  Object.assign(stream.state, { hearsAll: true, isAway: false })
  await stream.later()
  return stream
}

test('where changes are heard events come at once, whether the database answers or not', async () => {
  await using stream = await inTouch()
  stream.state.isAway = true
  const uuid = stream.commit()
  assert.deepEqual(stream.uuids(), [uuid])
})

for (const way of ['commit', 'hear'] as const)
  for (const change of [{ kind: 'everything' }, { kind: 'bearer-token', appId: '1' }] as Change[])
    test(`events wait for the check that a change asks for, also where it fails at first (${change.kind}, ${way})`, async () => {
      await using stream = await inTouch()
      stream.state.isAway = true
      stream.changed(change)
      stream[way]()
      await stream.later()
      assert.deepEqual([stream.uuids(), stream.endings()], [[], []])
      Object.assign(stream.state, { isAway: false, reason: 'revoked' })
      await stream.later()
      await until(() => stream.endings().length === 1)
      assert.deepEqual([stream.uuids(), stream.endings()], [[], ['ForceDisconnect']])
    })

test('a change that comes during a check makes another one before events are sent', async () => {
  await using stream = await inTouch()
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  stream.state.late = first.promise
  stream.changed({ kind: 'bearer-token', appId: '1' })
  await turns()
  Object.assign(stream.state, { reason: 'revoked', late: second.promise })
  stream.changed({ kind: 'bearer-token', appId: '1' })
  first.resolve()
  await turns()
  stream.commit()
  assert.deepEqual(stream.uuids(), [])
  second.resolve()
  await until(() => stream.endings().length === 1)
  assert.deepEqual([stream.uuids(), stream.endings()], [[], ['ForceDisconnect']])
})

test('while the database is away the log is read again once for all events that were heard of', async () => {
  await using stream = await cutOff()
  stream.hear()
  await stream.later()
  const before = stream.reads()
  for (let heard = 0; heard < 50; heard += 1) {
    stream.hear()
    await turns(2)
  }
  await stream.later()
  assert.ok(stream.reads() - before <= 2, `${stream.reads() - before} reads`)
  stream.state.isAway = false
  await stream.later()
  await until(() => stream.uuids().length === 51)
})

test('a client that catches up is no slow reader because the database is away', async () => {
  await using stream = await inTouch()
  stream.state.waitingBytes = 2 << 20
  const uuid = stream.commit()
  Object.assign(stream.state, { waitingBytes: 0, isAway: true })
  stream.changed({ kind: 'bearer-token', appId: '1' })
  for (let minutes = 0; minutes < 10; minutes += 1) await stream.later()
  assert.deepEqual([stream.uuids(), stream.endings()], [[], []])
  stream.state.isAway = false
  await stream.later()
  await until(() => stream.uuids().length === 1)
  assert.deepEqual([stream.uuids(), stream.endings()], [[uuid], []])
})
