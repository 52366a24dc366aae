import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAppLoad, mergeRows, REST, readRows, writeRows } from '../../src/metrics/app-load.ts'

const MINUTE_MS = 60_000

test('what is counted is in the minute of its time', () => {
  let now = 10 * MINUTE_MS
  const load = createAppLoad(() => now)
  load.called('1', 200)
  load.called('1', 429)
  now += MINUTE_MS
  load.attempted('2', true, 100, 12.5)
  const minutes = load.take().map(({ minute, rows }) => [minute, readRows(writeRows(rows))])
  assert.deepEqual(minutes, [
    [10, [['1', [2, 1, 0, 0, 0, 0, 0, 0]]]],
    [11, [['2', [0, 0, 0, 0, 1, 1, 100, 13]]]],
  ])
  assert.deepEqual(load.take(), [])
})

test('of fifty thousand apps in a minute the heaviest by each measure keep their counts, and nothing is lost of the sum', () => {
  const load = createAppLoad(() => 0)
  for (let n = 0; n < 50_000; n++) {
    load.called(`light ${n}`, 200)
    if (n % 100 === 0) load.called('many calls', 200)
    if (n % 200 === 0) load.published('many events', 2)
  }
  const { rows } = load.take()[0]!
  assert.ok(rows.size <= 513, `${rows.size} rows`)
  assert.equal(rows.get('many calls')![0], 500)
  assert.deepEqual([rows.get('many events')![2], rows.get('many events')![3]], [250, 500])
  assert.equal(
    [...rows.values()].reduce((sum, row) => sum + row[0]!, 0),
    50_500,
  )
  assert.ok(rows.get(REST)![0]! > 49_000)
})

test('what could not be saved is taken again, and minutes of an outage of a day are at most sixty', () => {
  let now = 0
  const load = createAppLoad(() => now)
  load.called('1', 200)
  load.putBack(load.take())
  assert.equal(load.take().length, 1)
  for (; now < 1440 * MINUTE_MS; now += MINUTE_MS) load.called('1', 200)
  assert.equal(load.take().length, 60)
})

test('parts are added up, and what another version counts differently is left out', () => {
  const one = JSON.stringify([['1', 1, 0, 2, 0, 0, 0, 0, 0]])
  const other = JSON.stringify([
    ['1', 2, 1, 0, 0, 0, 0, 0, 0],
    ['2', 1, 0, 0, 0, 0, 0, 0, 0],
    ['3', 1],
  ])
  assert.deepEqual(readRows(mergeRows([one, other, '{}'])), [
    ['1', [3, 1, 2, 0, 0, 0, 0, 0]],
    ['2', [1, 0, 0, 0, 0, 0, 0, 0]],
  ])
})
