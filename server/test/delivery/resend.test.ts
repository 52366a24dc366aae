import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createResender } from '../../src/delivery/resend.ts'
import { createClock } from '../../src/lib/clock.ts'
import { sequenceAt } from '../../src/lib/ids.ts'
import type { DeliveryReport, EventLog } from '../../src/storage/event-log.ts'

const NOON_MS = Date.UTC(2026, 2, 1, 12)
const ONE_MS = Date.UTC(2026, 2, 1, 13)
const MOST = 1000

/** Resends over a log that opens so many deliveries again; tells what it was asked. */
function stageResender(count: number, next: number | null = null) {
  const asked: { after: number; before: number; states: readonly string[]; limit: number }[] = []
  let taken = 0
  const log: Pick<EventLog, 'report' | 'reopen'> = {
    report: async ({ eventUuid }) => (eventUuid === '5' ? [{ sequence: 500 } as DeliveryReport] : []),
    reopen: async (filter) => {
      asked.push(filter as never)
      return { count, next }
    },
  }
  const takeDue = async () => {
    taken += 1
  }
  return { ...createResender(log, { takeDue }, createClock()), asked, taken: () => taken }
}

test('a window includes the first moment of from and excludes that of to', async () => {
  const { matching, asked } = stageResender(2)
  await matching({ webhookId: '7', states: ['given_up'], fromMs: NOON_MS, toMs: ONE_MS, after: undefined })
  const { after, before, states, limit } = asked[0]!
  assert.deepEqual([states, limit], [['given_up'], MOST])
  assert.equal(after, sequenceAt(NOON_MS) - 1, 'the last sequence number before noon is excluded, the first of noon is not')
  assert.equal(before, sequenceAt(ONE_MS), 'one o’clock is excluded')
})

test('a window goes on behind the place where the previous call ended, and says where this one did', async () => {
  const { matching, asked } = stageResender(2, 12)
  const place = sequenceAt(NOON_MS) + 5
  const window = { webhookId: '7', states: ['delivered'], fromMs: NOON_MS, toMs: ONE_MS } as const
  assert.deepEqual(await matching({ ...window, after: place }), { count: 2, next: 12 })
  assert.equal(asked[0]!.after, place)
  await matching({ ...window, after: 3 })
  assert.equal(asked[1]!.after, sequenceAt(NOON_MS) - 1, 'a place before the window does not widen it')
})

test('one delivery is sent again, whatever state it ended in, and none where there is none', async () => {
  const { one, asked } = stageResender(1, 9)
  assert.deepEqual(await one('7', '5'), { count: 1, next: undefined })
  assert.deepEqual([asked[0]!.after, asked[0]!.before], [499, 501])
  assert.deepEqual([...asked[0]!.states].sort(), ['delivered', 'given_up', 'not_sent'])
  assert.equal(await one('7', '6'), undefined)
})

test('what is due is taken at once where something was opened again', async () => {
  for (const [count, times] of [
    [0, 0],
    [1, 1],
    [2, 1],
  ] as const) {
    const { one, taken } = stageResender(count)
    await one('7', '5')
    assert.equal(taken(), times)
  }
})
