import assert from 'node:assert/strict'
import { test } from 'node:test'
import { besideBaseline } from '../src/beside-baseline.ts'
import { rateOf } from '../src/interleave.ts'
import { formatTables } from '../src/report.ts'

/** Rounds of a second each, with so many operations. */
const rounds = (...counts: number[]) => rateOf(counts.map((count) => ({ count, elapsedMs: 1000, cpuMicros: 1_000_000 })))

const row = (counts: number[], minRatio?: number) => ({
  what: 'Reads/s',
  ...besideBaseline(rounds(...counts), rounds(1000, 1000, 1000), 'bare', minRatio),
})

const cells = (line: string) => line.split(' | ')

test('a ratio is that of the medians, with the lowest and the highest round', () => {
  const [, , line] = formatTables([row([600, 500, 800])]).split('\n')
  assert.deepEqual(cells(line!).slice(1, 4), ['600 (500–800)', '1,000 (1,000–1,000) bare', '0.60 (0.50–0.80)'])
})

test('a verdict is close if the rounds lie on both sides of the target', () => {
  const verdictOf = (counts: number[], minRatio?: number) =>
    formatTables([row(counts, minRatio)])
      .split('\n')[2]!
      .split('|')
      .at(-2)!
      .trim()
  assert.equal(verdictOf([600, 500, 800], 0.5), 'met')
  assert.equal(verdictOf([600, 500, 800], 0.6), 'met, close')
  assert.equal(verdictOf([600, 500, 800], 0.7), '**missed**, close')
  assert.equal(verdictOf([600, 500, 800], 0.9), '**missed**')
  assert.equal(verdictOf([600, 500, 800]), '')
})

test('what is simulated stands in a table of its own', () => {
  const simulated = { what: 'On 8 cores', measured: '2', baseline: '1 without', ratio: 2, target: '–', isSimulated: true }
  const [measured, title, other, ...more] = formatTables([simulated, row([500, 500, 500])]).split('\n\n')
  assert.deepEqual([title, more], ['Simulated from the figures above, not measured:', []])
  assert.ok(!measured!.includes('On 8 cores'))
  assert.equal(other!.split('\n')[2], '| On 8 cores | 2 | 1 without | 2.00 |')
})
