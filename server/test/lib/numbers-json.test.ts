import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { isLong, readExactJson, wholeNumber, writeExactJson } from '../../src/lib/numbers.ts'

const wholes = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n })
const around53 = fc.bigInt({ min: 2n ** 53n - 9n, max: 2n ** 53n + 9n })

suite('integers beyond 2^53', () => {
  test('are written and parsed exactly in JSON, whatever is around them', () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        wholes.map(String).map(wholeNumber),
        around53.map(String).map(wholeNumber),
        fc.string(),
        fc.constantFrom('": 9007199254740993,', '[9007199254740993', null, true, 1.5, 1e300),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.string({ minLength: 1 }), tie('value'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }))
    fc.assert(
      fc.property(value, (said) => {
        const text = writeExactJson(said)
        assert.deepEqual(readExactJson(text), said)
        assert.equal(writeExactJson(readExactJson(` ${text} `)), text)
      }),
    )
  })

  test('compare correctly, and equal integers are the same value', () => {
    fc.assert(
      fc.property(fc.oneof(wholes, around53), fc.oneof(wholes, around53), (a, b) => {
        const [one, other] = [wholeNumber(String(a)), wholeNumber(String(b))]
        assert.deepEqual([one < other, one > other, one === other], [a < b, a > b, a === b])
        assert.equal(typeof one === 'number', a >= -(2n ** 53n) + 1n && a <= 2n ** 53n - 1n)
      }),
    )
  })

  test('are longs only up to 64 bits, and never rounded', () => {
    for (const one of [0, -5, 2 ** 53 - 1, 2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n)]) assert.ok(isLong(one), String(one))
    for (const none of [2 ** 53, 1.5, Number.NaN, 2n ** 63n, -(2n ** 63n) - 1n, '5', null]) assert.ok(!isLong(none), String(none))
  })

  test('are parsed as usual if they are not written in plain digits', () => {
    assert.deepEqual(readExactJson('[9007199254740993, 9007199254740993.0, 1e17, 9007199254740993e0]'), [
      9007199254740993n,
      9007199254740992,
      1e17,
      9007199254740992,
    ])
    assert.throws(() => readExactJson('[9007199254740993,]'), SyntaxError)
    assert.throws(() => writeExactJson(Object.assign([], { toJSON: () => assert.fail('on purpose') })), /on purpose/)
  })
})
