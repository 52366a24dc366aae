import assert from 'node:assert/strict'
import { after, before, beforeEach, mock, test } from 'node:test'
import { hasOlder, held, outdate, readOlder, readRows, showHeld, shown, takeUpdates } from '../../../console/src/rows.ts'
import type { Update } from '../../../console/src/server-types.ts'

const START_MS = Date.parse('2026-11-24T10:00:00.000Z')

const at = (n: number) => new Date(START_MS + n).toISOString()

/** The delivery of an event that is accepted `n` milliseconds after the start, as the list has it. */
const delivery = (n: number, state = 'pending', attempts = 0) => ({
  event_uuid: String(n),
  event_type: 'dm.received',
  user_id: '101',
  webhook_id: '7',
  app_id: '1',
  url: 'https://a.example.com/',
  accepted_at: at(n),
  state,
  next_try_at: null,
  attempts: Array.from({ length: attempts }, (_, place) => ({ n: place + 1, status: 200, replay_job_id: null })),
})

/** The deliveries of these events, newest first. */
const deliveries = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, place) => delivery(to - place))

const event = (n: number): Update => ({
  kind: 'event',
  at: at(n),
  event_uuid: String(n),
  event_type: 'dm.received',
  user_id: '101',
  deliveries: 1,
  webhook_ids: ['7'],
  kept_back: [],
})

const delivered = (n: number): Update => ({
  kind: 'attempt',
  at: at(n + 50),
  accepted_at: at(n),
  event_uuid: String(n),
  event_type: 'dm.received',
  webhook_id: '7',
  n: 1,
  outcome: 'delivered',
  status: 200,
  latency_ms: 1,
  state: 'delivered',
  next_try_at: null,
  is_replay: false,
})

/** What the list of deliveries answers, one page after the other. */
const pages: (object | Promise<object>)[] = []
let asked: string[] = []
before(() =>
  mock.method(globalThis, 'fetch', async (url: URL) => {
    asked.push(decodeURIComponent(url.search))
    return Response.json(await pages.shift())
  }),
)
after(() => mock.restoreAll())

const page = (data: object[], next?: string) => ({ data, meta: { result_count: data.length, ...(next && { next_before: next }) } })

/** Reads the list, which answers with these deliveries. */
async function read(data: object[], next?: string, isRead = false) {
  pages.push(page(data, next))
  await readRows(() => isRead)
}

/** The events whose deliveries are shown, or are held back, in their order. */
const numbers = (rows = shown.value) => rows.filter(({ kind }) => kind === 'delivery').map(({ to }) => Number(to[1]))

const stateOf = (n: number) => shown.value.find(({ key }) => key === `delivery ${n} 7`)?.state

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, place) => to - place)

beforeEach(async () => {
  outdate()
  await read([])
  asked = []
})

test('what is read while somebody reads the list waits, and no row of the list goes', async () => {
  await read(deliveries(1, 100), '1')
  const before = shown.value.map(({ key }) => key)
  takeUpdates(range(101, 150).reverse().map(event), true)
  await read([...deliveries(201, 299), delivery(300)].reverse(), '201', true)
  assert.deepEqual(
    shown.value.map(({ key }) => key),
    before,
  )
  assert.deepEqual(numbers(held.value), range(201, 300))
  await read([...deliveries(202, 301)], '202', true)
  assert.deepEqual(numbers(), range(1, 100))
  showHeld()
  assert.deepEqual(numbers(), range(202, 301))
  assert.deepEqual(held.value, [])
})

test('what is read while somebody reads the list changes the states of its rows in their places', async () => {
  await read(deliveries(1, 3))
  await read([delivery(4), delivery(3), delivery(2, 'delivered', 1), delivery(1)], undefined, true)
  assert.deepEqual(numbers(), [3, 2, 1])
  assert.equal(stateOf(2), 'delivered')
  takeUpdates([event(5)], false)
  assert.deepEqual(numbers(), [5, 4, 3, 2, 1])
})

test('what is told while the list is read is not lost', async () => {
  await read(deliveries(1, 2))
  const { promise, resolve } = Promise.withResolvers<object>()
  pages.push(promise)
  const reading = readRows(() => false)
  takeUpdates([event(3), delivered(2)], false)
  takeUpdates([event(4)], true)
  resolve(page(deliveries(1, 2)))
  await reading
  assert.deepEqual(numbers(), [4, 3, 2, 1])
  assert.equal(stateOf(2), 'delivered')
})

test('a delivery whose first word is an attempt stands where its event was accepted, as in the list', async () => {
  await read([delivery(9), delivery(5)])
  takeUpdates([delivered(7)], false)
  assert.deepEqual(numbers(), [9, 7, 5])
  await read([delivery(9), delivery(7, 'delivered', 1), delivery(5)])
  assert.deepEqual(numbers(), [9, 7, 5])
})

test('an attempt of which a process of an older build does not tell when its event was accepted stands at its own time', () => {
  takeUpdates([{ ...delivered(7), accepted_at: undefined } as never], false)
  assert.deepEqual(
    shown.value.map(({ at: shownAt }) => shownAt),
    [at(57)],
  )
})

test('a delivery stays delivered where the list is read before its attempt is committed', async () => {
  takeUpdates([event(1), delivered(1)], false)
  await read(deliveries(1, 1))
  assert.equal(stateOf(1), 'delivered')
  takeUpdates([event(1)], false)
  assert.equal(stateOf(1), 'delivered')
})

test('attempts of replays do not count: the feed does not tell them', async () => {
  const replayed = delivery(1, 'given_up', 3)
  for (const attempt of replayed.attempts.slice(1)) Object.assign(attempt, { n: 1, replay_job_id: '9' })
  await read([replayed])
  takeUpdates([{ ...delivered(1), n: 2 } as Update], false)
  assert.equal(stateOf(1), 'delivered')
})

test('once the data are replaced, what is read decides, and a reading that began before is dropped', async () => {
  takeUpdates([event(1), delivered(1), event(2)], false)
  const { promise, resolve } = Promise.withResolvers<object>()
  pages.push(promise)
  const former = readRows(() => false)
  outdate()
  await read([delivery(1, 'retrying')])
  resolve(page(deliveries(1, 2)))
  await former
  assert.deepEqual(numbers(), [1])
  assert.equal(stateOf(1), 'retrying')
})

test('older deliveries are read from where rows were cut off, so that none is missing between', async () => {
  await read(deliveries(1, 100), 'the end of the page')
  for (let first = 101; first < 501; first += 100)
    takeUpdates(
      range(first, first + 99)
        .reverse()
        .map(event),
      false,
    )
  assert.deepEqual(numbers(), range(251, 500))
  asked = []
  pages.push(page(deliveries(151, 250), '151'), page(deliveries(51, 150), '51'))
  await readOlder()
  await readOlder()
  assert.deepEqual(asked, [`?max_results=100&accepted_to=${at(251)}`, '?max_results=100&before=151'])
  assert.deepEqual(numbers(), range(51, 500))
  assert.equal(hasOlder.value, true)
})

test('an attempt of a delivery that is older than the list moves neither its end nor its rows', async () => {
  for (const isRead of [false, true]) {
    await read(deliveries(101, 200), '101')
    takeUpdates([delivered(50), event(201)], isRead)
    takeUpdates([delivered(51), delivered(150)], isRead)
    if (isRead) showHeld()
    assert.deepEqual(numbers(), range(101, 201))
    pages.push(page(deliveries(1, 100)))
    await readOlder()
    assert.deepEqual(numbers(), range(1, 201))
    outdate()
  }
})

test('an event that is accepted while the clock is behind the list is shown', async () => {
  await read(deliveries(101, 200), '101')
  takeUpdates([event(50), delivered(50)], false)
  assert.deepEqual(numbers(), [...range(101, 200), 50])
})

test('older deliveries of a moment in which more were accepted than a page has are read until one is new', async () => {
  await read([])
  const together = range(1, 300).map((n) => ({ ...event(n), at: at(300) }) as Update)
  takeUpdates(together.reverse(), false)
  assert.deepEqual(numbers(), range(51, 300))
  asked = []
  const list = deliveries(1, 300).map((one) => ({ ...one, accepted_at: at(300) }))
  pages.push(page(list.slice(0, 100), '201'), page(list.slice(100, 200), '101'), page(list.slice(200)))
  await readOlder()
  assert.deepEqual(asked, [`?max_results=100&accepted_to=${at(301)}`, '?max_results=100&before=201', '?max_results=100&before=101'])
  assert.deepEqual(numbers(), range(1, 300))
  assert.equal(hasOlder.value, false)
})

test('older deliveries are read from where rows that are held back were cut off', async () => {
  await read(deliveries(1, 10))
  for (let first = 11; first < 311; first += 100)
    takeUpdates(
      range(first, first + 99)
        .reverse()
        .map(event),
      true,
    )
  assert.deepEqual(numbers(), range(1, 10))
  showHeld()
  assert.deepEqual(numbers(), range(61, 310))
  asked = []
  pages.push(page(deliveries(1, 60)))
  await readOlder()
  assert.deepEqual(asked, [`?max_results=100&accepted_to=${at(61)}`])
  assert.deepEqual(numbers(), range(1, 310))
  assert.equal(hasOlder.value, false)
})
