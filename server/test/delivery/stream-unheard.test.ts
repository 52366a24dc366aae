// What a stream gets in a process that may have missed a revocation, because it is cut off from the database of the state and not from the events.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import type { Disconnect } from '../../src/delivery/stream/connection.ts'
import { createStreamHub } from '../../src/delivery/stream/hub.ts'
import { createClock } from '../../src/lib/clock.ts'
import { createIds, sequenceAt } from '../../src/lib/ids.ts'
import { createStreamCounts } from '../../src/metrics/stream-counts.ts'
import type { StreamEntry, StreamListener, StreamRange } from '../../src/storage/event-log.ts'
import { Unavailable } from '../../src/storage/unavailable.ts'
import { noLease } from '../../src/storage/work-lease.ts'
import { until } from '../stage/pause.ts'
import { streamEntry } from '../stage/stream-entry.ts'

/** One connection of an app, in a process that does not hear of changes and whose database is away at first. */
async function cutOff() {
  const clock = createClock()
  const lines: { data?: { event_uuid: string }; errors?: { disconnect_type: string }[] }[] = []
  const logged: StreamEntry[] = []
  let told: StreamListener | undefined
  const state: { hearsAll: boolean; isAway: boolean; reason: Disconnect | undefined } = { hearsAll: false, isAway: true, reason: undefined }
  const hub = createStreamHub({
    log: {
      onStream: (listener) => (told = listener),
      readStream: async ({ after, before }: StreamRange) => logged.filter(({ sequence }) => sequence > after && sequence < before),
      watchStreams() {},
    },
    connections: { open: async () => 'opened', list: async () => [], close: async () => {}, noteUse: async () => {} },
    subscriptions: { count: async () => 1 },
    mayReceive: async (_appId, entries) => entries,
    changes: { listen() {}, hearsAll: () => state.hearsAll },
    lease: noLease,
    ids: createIds(clock),
    clock,
    logger: pino({ level: 'silent' }),
    counts: createStreamCounts(),
  })
  const check = async () => {
    if (state.isAway) throw new Unavailable('away')
    return state.reason
  }
  const opened = await hub.open({ appId: '1', fromMs: undefined, toMs: undefined, check })
  assert.ok(typeof opened === 'object')
  const write = ({ bytes }: { bytes: Buffer }) => {
    for (const line of String(bytes).split('\r\n')) if (line !== '') lines.push(JSON.parse(line))
  }
  const outlet = { write, end: write, waitingBytes: () => 0, isFull: () => false, sentBytes: () => 0, destroy() {} }
  const listener = opened.attach(outlet, '')
  const accept = () => {
    const accepted = streamEntry(sequenceAt(clock.now()) + logged.length)
    logged.push(accepted)
    return accepted
  }
  return {
    state,
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
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
      clock.advance(60_000)
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
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
  })

  test(`a connection that was revoked meanwhile ends without them (${way})`, async () => {
    await using stream = await cutOff()
    stream[way]()
    await stream.later()
    Object.assign(stream.state, { isAway: false, reason: 'revoked' })
    await stream.later()
    await until(() => stream.endings().length === 1)
    assert.deepEqual([stream.uuids(), stream.endings()], [[], ['ForceDisconnect']])
  })
}

test('where changes are heard events come at once, whether the database answers or not', async () => {
  await using stream = await cutOff()
  stream.state.hearsAll = true
  const uuid = stream.commit()
  assert.deepEqual(stream.uuids(), [uuid])
})
