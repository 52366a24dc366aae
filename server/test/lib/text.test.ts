import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { foldCase } from '../../src/lib/text.ts'

suite('folding of case', () => {
  test('texts that differ in case alone fold to the same', () => {
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

  test('texts that differ in more do not, and folding twice is folding once', () => {
    assert.notEqual(foldCase('a'), foldCase('ä'))
    assert.equal(foldCase('\u{1F600}\uFFFD'), '\u{1F600}\uFFFD')
    for (const text of ['Straße', 'ὈΔΌΣ', 'ŉ', 'ﬃ', 'K']) assert.equal(foldCase(foldCase(text)), foldCase(text))
  })

  test('the beginning of a text folds to the beginning of its fold', () => {
    for (const [text, beginning] of [
      ['ὈΔΌΣ ΜΟΥ', 'ὈΔΌΣ'],
      ['Straße', 'STRASS'],
      ['σς', 'Σ'],
    ] as const)
      assert.ok(foldCase(text).startsWith(foldCase(beginning)), text)
  })
})
