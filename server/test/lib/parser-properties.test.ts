import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ID_EPOCH_MS, momentOf, publicId, sequenceAt, sequenceOf } from '../../src/lib/ids.ts'
import { cutText } from '../../src/lib/text.ts'
import { formatDuration, parseDuration } from '../../src/lib/time.ts'

test('a formatted duration is parsed back', () => {
  fc.assert(fc.property(fc.nat({ max: 999_999_999_999 }), (ms) => assert.equal(parseDuration(formatDuration(ms)), ms)))
  const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
  fc.assert(
    fc.property(fc.nat(), fc.constantFrom(...Object.entries(units)), (count, [unit, ms]) =>
      assert.equal(parseDuration(`${count}${unit}`), count * ms),
    ),
  )
})

test('any other text is not a duration, and none is negative or infinite', () => {
  const near = fc.string({ unit: fc.constantFrom('0', '9', '.', 'm', 's', 'h', 'd', '-', 'e', ' '), maxLength: 16 })
  fc.assert(
    fc.property(fc.oneof(near, fc.string()), (text) => {
      const ms = parseDuration(text)
      if (ms === undefined) return assert.doesNotMatch(text, /^\d{1,12}(ms|s|m|h|d)$/)
      assert.ok(Number.isInteger(ms) && ms >= 0, text)
    }),
  )
})

const sequences = fc.nat({ max: Number.MAX_SAFE_INTEGER })

test('a public id decodes to its sequence number, with any suffix, and keeps its order', () => {
  fc.assert(
    fc.property(sequences, sequences, fc.nat({ max: 1023 }), (one, other, suffix) => {
      const [id, otherId] = [publicId(one, suffix), publicId(other, suffix)]
      assert.match(id, /^[0-9]{1,19}$/)
      assert.equal(sequenceOf(id), one)
      assert.equal(BigInt(id) < BigInt(otherId), one < other)
    }),
  )
})

test('any other text has no sequence number, or one within the safe integers', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 25 })
  fc.assert(
    fc.property(fc.oneof(digits, fc.string()), (text) => {
      const sequence = sequenceOf(text)
      if (sequence !== undefined) assert.ok(/^[0-9]{1,19}$/.test(text) && Number.isSafeInteger(sequence), text)
    }),
  )
})

test('a range of time is a range of sequence numbers', () => {
  const moments = fc.nat({ max: 2 ** 41 - 1 }).map((ms) => ID_EPOCH_MS + ms)
  fc.assert(fc.property(moments, (ms) => assert.equal(momentOf(sequenceAt(ms)), ms)))
})

test('a cut text is a prefix of the text and does not end with half a character', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', 'é', '🐚') })
  fc.assert(
    fc.property(texts, fc.nat({ max: 20 }), (text, most) => {
      const cut = cutText(text, most)
      assert.ok(text.startsWith(cut) && cut.isWellFormed() && cut.length <= most && cut.length >= Math.min(text.length, most - 1))
    }),
  )
})
