import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { foldCase } from '../../src/lib/text.ts'

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
