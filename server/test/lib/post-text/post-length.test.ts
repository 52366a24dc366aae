import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasInvalidCharacters } from '../../../src/lib/post-text/characters.ts'
import { displayTextRange, isTooLong, weightedLength } from '../../../src/lib/post-text/post-length.ts'

test('Latin and its neighbours weigh 1, everything else 2, an emoji 2 whatever it is made of', () => {
  for (const [text, weight] of [
    ['', 0],
    ['hello', 5],
    ['Привет', 6],
    ['cafe\u0301', 4],
    ['日本', 4],
    ['한국', 4],
    ['ー', 2],
    ['“…”', 4],
    ['😀', 2],
    ['👨‍👩‍👧', 2],
    ['🇺🇸', 2],
    ['👍🏽', 2],
    ['❤️', 2],
    ['❤', 2],
    ['#️⃣', 2],
    ['#⃣', 2],
    ['©', 1],
    ['🧑‍🚀', 2],
    ['🏴󠁧󠁢󠁥󠁮󠁧󠁿', 2],
    ['\ud83d', 2],
  ] as const)
    assert.equal(weightedLength(text), weight, JSON.stringify(text))
})

test('a URL weighs 23, however long it is', () => {
  assert.equal(weightedLength('https://example.com/a/very/long/path/that/goes/on?and=on'), 23)
  assert.equal(weightedLength('a.co'), 23)
  assert.equal(weightedLength('日 a.co 😀'), 29)
})

test('280 fits and 281 does not', () => {
  assert.equal(isTooLong('a'.repeat(280)), false)
  assert.equal(isTooLong('a'.repeat(281)), true)
  assert.equal(isTooLong('日'.repeat(140)), false)
  assert.equal(isTooLong(`${'日'.repeat(140)}a`), true)
  assert.equal(isTooLong('日'.repeat(4), 8), false)
  assert.equal(isTooLong('日'.repeat(5), 8), true)
})

test('no post may contain a non-character or a byte order mark', () => {
  for (const character of ['\ufffe', '\ufeff', '\uffff']) assert.equal(hasInvalidCharacters(`a${character}`), true)
  assert.equal(hasInvalidCharacters('a\u202eb\ufffd'), false)
})

test('clients hide the leading mentions of a reply and the URLs of media at the end', () => {
  const text = '@bob @eve 😀 look at this https://t.co/a https://t.co/b'
  assert.deepEqual(displayTextRange(text), [0, 54])
  assert.deepEqual(displayTextRange(text, { isReply: true }), [10, 54])
  assert.deepEqual(displayTextRange(text, { isReply: true, hiddenUrls: ['https://t.co/b'] }), [10, 39])
  assert.deepEqual(displayTextRange(text, { hiddenUrls: ['https://t.co/b', 'https://t.co/a'] }), [0, 24])
  assert.deepEqual(displayTextRange(text, { hiddenUrls: ['https://t.co/c', ''] }), [0, 54])
  assert.deepEqual(displayTextRange('@bob https://t.co/a', { isReply: true, hiddenUrls: ['https://t.co/a'] }), [5, 5])
  assert.deepEqual(displayTextRange('hi @bob', { isReply: true }), [0, 7])
})
