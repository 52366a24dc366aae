import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeMs } from '../../src/cli/read-values.ts'

const iso = (text: string) => new Date(timeMs('--from', text, Date.UTC(2026, 2, 1, 12))).toISOString()

test('a time without a zone is in UTC, wherever this machine is', () => {
  const { TZ } = process.env
  process.env.TZ = 'America/New_York'
  try {
    assert.equal(new Date(2026, 2, 1).getUTCHours(), 5)
    for (const text of ['2026-03-01', '2026-03-01T00:00', '2026-03-01 00:00', '2026-03-01 00:00:00.000', '2026-03-01T00:00Z'])
      assert.equal(iso(text), '2026-03-01T00:00:00.000Z', text)
    for (const text of ['2026-03-01T12:00+02:00', '2026-03-01 12:00+0200', '2026-03-01 10:00Z'])
      assert.equal(iso(text), '2026-03-01T10:00:00.000Z', text)
    assert.equal(iso('90m'), '2026-03-01T10:30:00.000Z')
  } finally {
    if (TZ === undefined) delete process.env.TZ
    else process.env.TZ = TZ
  }
})

test('what is no time is refused with the option and the forms, a number without a unit for one', () => {
  for (const text of [
    '90',
    '2026',
    '2026-03',
    '2026-02-30',
    '2026-13-01',
    '2026-03-01T25:00',
    '2026-03-01T12',
    'March 1, 2026',
    '1.5h',
    '',
  ])
    assert.throws(() => iso(text), {
      message: `--from is a time in UTC such as 2026-03-01T12:00Z or 2026-03-01, or how long ago such as 90m, and not ${text}.`,
      exitCode: 2,
    })
  assert.throws(() => timeMs('<time>', '90m'), { message: '<time> is a time in UTC such as 2026-03-01T12:00Z or 2026-03-01, and not 90m.' })
})
