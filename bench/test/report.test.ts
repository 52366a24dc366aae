import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rateOf } from '../src/measure.ts'
import { besideBaseline, formatTable } from '../src/report.ts'

/** Rounds of a second each, with so many operations. */
const rounds = (...counts: number[]) => rateOf(counts.map((count) => ({ count, elapsedMs: 1000, cpuMicros: 1_000_000 })))

const row = (counts: number[], minRatio?: number) => ({
  what: 'Reads/s',
  ...besideBaseline(rounds(...counts), rounds(1000, 1000, 1000), 'bare', minRatio),
})

const cells = (line: string) => line.split(' | ')

test('a ratio is that of the medians, with the lowest and the highest round', () => {
  const [, , line] = formatTable([row([600, 500, 800])]).split('\n')
  assert.deepEqual(cells(line!).slice(1, 4), ['600 (500–800)', '1,000 (1,000–1,000) bare', '0.60 (0.50–0.80)'])
})

test('a verdict is close if the rounds lie on both sides of the target', () => {
  const verdictOf = (counts: number[], minRatio?: number) =>
    formatTable([row(counts, minRatio)])
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
