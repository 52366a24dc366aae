import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { lastMidnightMs, wholeSeconds } from '../../src/lib/time.ts'

/** A zone, moments of one of its days, and when that day began there. */
const days: [what: string, timezone: string, moments: string[], began: string][] = [
  ['UTC', 'UTC', ['2026-03-01T00:00:00Z', '2026-03-01T23:59:59.999Z'], '2026-03-01T00:00:00Z'],
  ['a day of summer', 'America/Los_Angeles', ['2026-07-01T07:00:00Z', '2026-07-02T06:59:59Z'], '2026-07-01T07:00:00Z'],
  ['a day of winter', 'America/Los_Angeles', ['2026-01-01T08:00:00Z', '2026-01-02T07:59:59Z'], '2026-01-01T08:00:00Z'],
  ['clocks go forward at two', 'America/Los_Angeles', ['2026-03-08T09:59:59Z', '2026-03-09T06:59:59Z'], '2026-03-08T08:00:00Z'],
  ['clocks go back at two', 'America/Los_Angeles', ['2026-11-01T08:59:59Z', '2026-11-02T07:59:59Z'], '2026-11-01T07:00:00Z'],
  ['clocks go forward at one, UTC', 'Europe/Berlin', ['2026-03-28T23:00:00Z', '2026-03-29T21:59:59Z'], '2026-03-28T23:00:00Z'],
  ['half an hour', 'Asia/Kolkata', ['2026-02-28T18:30:00Z', '2026-03-01T18:29:59Z'], '2026-02-28T18:30:00Z'],
  ['half an hour before UTC', 'America/St_Johns', ['2026-01-01T03:30:00Z', '2026-01-02T03:29:59Z'], '2026-01-01T03:30:00Z'],
  ['three quarters', 'Asia/Kathmandu', ['2026-02-28T18:15:00Z', '2026-03-01T18:14:59Z'], '2026-02-28T18:15:00Z'],
  ['clocks go back by half an hour', 'Australia/Lord_Howe', ['2026-04-04T13:00:00Z', '2026-04-05T13:29:59Z'], '2026-04-04T13:00:00Z'],
  ['midnight is skipped, west', 'America/Sao_Paulo', ['2018-11-04T03:00:00Z', '2018-11-05T01:59:59Z'], '2018-11-04T03:00:00Z'],
  ['midnight is skipped, east', 'Asia/Beirut', ['2026-03-28T22:00:00Z', '2026-03-29T20:59:59Z'], '2026-03-28T22:00:00Z'],
  ['midnight comes twice, the first', 'America/Havana', ['2026-11-01T04:00:00Z', '2026-11-01T04:59:59Z'], '2026-11-01T04:00:00Z'],
  ['midnight comes twice, the second', 'America/Havana', ['2026-11-01T05:00:00Z', '2026-11-02T04:59:59Z'], '2026-11-01T05:00:00Z'],
  ['the hour before midnight comes twice', 'America/Sao_Paulo', ['2018-02-18T03:00:00Z', '2018-02-19T02:59:59Z'], '2018-02-18T03:00:00Z'],
  ['a day is skipped', 'Pacific/Apia', ['2011-12-30T10:00:00Z', '2011-12-31T09:59:59Z'], '2011-12-30T10:00:00Z'],
  ['an offset with seconds', 'Africa/Monrovia', ['1971-01-01T00:44:30Z', '1971-01-02T00:44:29Z'], '1971-01-01T00:44:30Z'],
]

suite('the last midnight', () => {
  for (const [what, timezone, moments, began] of days)
    test(`is the start of the day in its zone: ${what}`, () => {
      for (const moment of moments) assert.equal(wholeSeconds(lastMidnightMs(timezone, Date.parse(moment))), began, moment)
    })

  test('is at most a day before any time of a year, in zones whose clocks change', () => {
    const [from, hours] = [Date.parse('2026-01-01T00:30:00Z'), 365 * 24]
    for (const timezone of ['America/Havana', 'Asia/Beirut']) {
      for (let hour = 0; hour < hours; hour += 7) {
        const ms = from + hour * 3_600_000
        const agoMs = ms - lastMidnightMs(timezone, ms)
        assert.ok(agoMs >= 0 && agoMs < 25 * 3_600_000, `${timezone} ${wholeSeconds(ms)}`)
      }
    }
  })

  test('throws a RangeError for an unknown zone', () => {
    assert.throws(() => lastMidnightMs('Mars/Olympus', 0), RangeError)
  })
})
