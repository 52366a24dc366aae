import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomAlphanumeric, randomDigits, randomUrlText } from '../../src/lib/crypto.ts'

const SAMPLE = 50_000

/**
 * Pearson's chi-squared of how often each character stands in a text, over its degrees of freedom: near 1 when all are as likely. By
 * chance it is beyond the bounds of these tests less than once in a million runs; bytes modulo 62 have 5.
 */
function unevenness(text: string, alphabetSize: number) {
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  assert.equal(counts.size, alphabetSize)
  const expected = text.length / alphabetSize
  return [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0) / (alphabetSize - 1)
}

test('letters and digits have the requested length and alphabet, and are uniformly distributed', () => {
  for (const length of [0, 1, 40]) assert.match(randomAlphanumeric(length), new RegExp(`^[A-Za-z0-9]{${length}}$`))
  assert.ok(unevenness(randomAlphanumeric(SAMPLE), 62) < 4)
})

test('digits have the requested length, with leading zeros, and are uniformly distributed at each place', () => {
  const pins = Array.from({ length: 10_000 }, () => randomDigits(7))
  for (const pin of pins) assert.match(pin, /^\d{7}$/)
  for (let place = 0; place < 7; place += 1) assert.ok(unevenness(pins.map((pin) => pin[place]).join(''), 10) < 6, `place ${place}`)
  assert.ok(new Set(pins).size > 9950)
})

test('URL texts have the requested number of random bytes, and need no encoding', () => {
  for (const bytes of [16, 24, 32]) {
    const text = randomUrlText(bytes)
    assert.match(text, /^[\w-]+$/)
    assert.equal(Buffer.from(text, 'base64url').length, bytes)
  }
})

test('texts never repeat', () => {
  const make = [() => randomAlphanumeric(40), () => randomUrlText(24)]
  for (const one of make) assert.equal(new Set(Array.from({ length: 10_000 }, one)).size, 10_000)
})
