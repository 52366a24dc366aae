import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { exactNumber } from '../../src/lib/numbers.ts'

test('JSON has an integer digit by digit, however large, as a number', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 19n }), (number) => {
      assert.equal(JSON.stringify({ id: exactNumber(String(number)) }), `{"id":${number}}`)
    }),
  )
})

test('a text that is not a number is rejected, so that nothing else gets into a response', () => {
  for (const text of ['', '1,"admin":true', '{}', '[]', '01', '1 ', ' 1', 'NaN', '1}']) assert.throws(() => exactNumber(text), SyntaxError)
})
