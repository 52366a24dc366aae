import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { wholeSeconds } from '../../src/lib/time.ts'

suite('whole seconds', () => {
  test('are formatted in UTC, without fractions of a second', () => {
    assert.equal(wholeSeconds(0), '1970-01-01T00:00:00Z')
    assert.equal(wholeSeconds(Date.parse('2026-12-31T23:59:59.999Z')), '2026-12-31T23:59:59Z')
    assert.equal(wholeSeconds(Date.parse('2026-03-01T01:30:00+02:00')), '2026-02-28T23:30:00Z')
  })

  test('have their own dates for days far apart, in any order', () => {
    const days = Array.from({ length: 1000 }, (_, n) => ((n * 64) % 4096) + (n % 3))
    for (const day of days)
      assert.equal(wholeSeconds(day * 86_400_000 + 86_399_999), `${new Date(day * 86_400_000).toISOString().slice(0, 10)}T23:59:59Z`)
  })

  test('are parsed back to the same second', () => {
    const ms = Date.parse('2028-02-29T12:00:01Z')
    assert.equal(Date.parse(wholeSeconds(ms + 1)), ms)
  })
})
