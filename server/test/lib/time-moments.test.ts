import assert from 'node:assert/strict'
import { test } from 'node:test'
import { iso } from '../../src/api/declare/words.ts'

test('moments are written in UTC with milliseconds, three digits each, from whole milliseconds', () => {
  const written = [0, 7, 42, 999.9, Date.parse('2026-12-31T23:59:59.999Z'), Date.parse('9999-12-31T23:59:59.000Z')].map(iso)
  assert.deepEqual(written, [
    '1970-01-01T00:00:00.000Z',
    '1970-01-01T00:00:00.007Z',
    '1970-01-01T00:00:00.042Z',
    '1970-01-01T00:00:00.999Z',
    '2026-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59.000Z',
  ])
})

test('moments before 1970 and after the year 9999 are written too, and what is no moment throws', () => {
  assert.deepEqual([-1, 253_402_300_800_000].map(iso), ['1969-12-31T23:59:59.999Z', '+010000-01-01T00:00:00.000Z'])
  for (const ms of [8_640_000_000_000_001, Number.NaN]) assert.throws(() => iso(ms), RangeError)
})
