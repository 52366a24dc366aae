import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitsLong } from '../../src/lib/numbers.ts'

test('digits fit a signed 64-bit integer up to 9223372036854775807, leading zeros aside', () => {
  for (const digits of ['0', '9', '999999999999999999', '1000000000000000000', '9223372036854775807', '0009223372036854775807'])
    assert.equal(fitsLong(digits), true, digits)
  for (const digits of ['9223372036854775808', '9999999999999999999', '10000000000000000000', '0009223372036854775808'])
    assert.equal(fitsLong(digits), false, digits)
})
