import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { foldCase, normalize, searchFor } from '../../src/lib/text.ts'
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

suite('normalization', () => {
  const [above, below] = ['\u0300', '\u0323']
  const halfWidth = '\uff9e'

  test('is that of Unicode for up to 30 marks in a row', () => {
    for (const text of ['Café ｶﾞ 한국어 กำ ﬁ', `a${above.repeat(29)}${below} a${halfWidth.repeat(30)}`, '\u1100\u1161\u11a8', above, ''])
      for (const form of ['NFC', 'NFD', 'NFKC'] as const) assert.equal(normalize(text, form), text.normalize(form), `${form} ${text}`)
  })

  test('sorts at most 30 marks in a row, so that a million of them end in time', () => {
    assert.equal(normalize(`a${above.repeat(30)}${below}e${above}`, 'NFD'), `a${above.repeat(30)}${below}e${above}`)
    assert.equal(normalize(`a${above.repeat(31)}${below}`, 'NFC'), `à${above.repeat(29)}${below}${above}`)
    const kana = `a${`${above.repeat(30)}${halfWidth}`.repeat(2)}`
    assert.equal(normalize(kana, 'NFKC'), `à${above.repeat(29)}\u3099${above.repeat(29)}\u3099${above}`)
    const zalgo = `a${above.repeat(500_000)}${below.repeat(500_000)}`
    assert.equal(normalize(zalgo, 'NFD').length, zalgo.length)
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
