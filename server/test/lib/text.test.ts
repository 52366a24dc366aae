import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { foldCase, searchFor } from '../../src/lib/text.ts'
import { createRandom } from '../stage/random.ts'

suite('case folding', () => {
  test('texts that differ only in case fold to the same text', () => {
    for (const [one, other] of [
      ['Zoo', 'zOO'],
      ['Straße', 'STRASSE'],
      ['ὀδός', 'ὈΔΌΣ'],
      ['ΣΣ', 'σς'],
      ['ÉCOLE', 'école'],
      ['ǅ', 'ǆ'],
      ['𐐀', '𐐨'],
    ] as const)
      assert.equal(foldCase(one), foldCase(other), one)
  })

  test('texts that differ in more than case do not, and folding is idempotent', () => {
    assert.notEqual(foldCase('a'), foldCase('ä'))
    assert.equal(foldCase('\u{1F600}\uFFFD'), '\u{1F600}\uFFFD')
    for (const text of ['Straße', 'ὈΔΌΣ', 'ŉ', 'ﬃ', 'K']) assert.equal(foldCase(foldCase(text)), foldCase(text))
  })

  test('a prefix of a text folds to a prefix of its folded text', () => {
    for (const [text, beginning] of [
      ['ὈΔΌΣ ΜΟΥ', 'ὈΔΌΣ'],
      ['Straße', 'STRASS'],
      ['σς', 'Σ'],
    ] as const)
      assert.ok(foldCase(text).startsWith(foldCase(beginning)), text)
  })
})

suite('the search for a text in others', () => {
  test('finds what is in them, and nothing else', () => {
    const random = createRandom(7)
    const textOf = (most: number) => Array.from({ length: Math.floor(random() * (most + 1)) }, () => (random() < 0.7 ? 'a' : 'b')).join('')
    for (let round = 0; round < 5000; round++) {
      const [text, part] = [textOf(12), textOf(5)]
      assert.equal(searchFor(part)(text), text.includes(part), `"${part}" in "${text}"`)
    }
    assert.equal(searchFor('\u{1F600}')('a\u{1F601}\u{1F600}'), true)
  })

  test('reads each character once, however often the text begins anew', () => {
    const text = 'a'.repeat(1000)
    let reads = 0
    const counted = {
      length: text.length,
      charCodeAt(place: number) {
        reads += 1
        return text.charCodeAt(place)
      },
    }
    assert.equal(searchFor(`${'a'.repeat(250)}b${'a'.repeat(250)}`)(counted), false)
    assert.equal(reads, text.length)
  })
})
