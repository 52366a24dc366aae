import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wordsOf } from '../../src/lib/post-text/words.ts'

const tokens: [text: string, tokens: string[]][] = [
  ['a \u{1f44d} b', ['a', '\u{1f44d}', 'b']],
  ['with a skin tone \u{1f44d}\u{1f3fd}', ['with', 'a', 'skin', 'tone', '\u{1f44d}\u{1f3fd}']],
  ['a flag \u{1f1e9}\u{1f1ea}', ['a', 'flag', '\u{1f1e9}\u{1f1ea}']],
  ['a keycap 1\ufe0f\u20e3', ['a', 'keycap', '1\u20e3']],
  ['a heart \u2764\ufe0f and \u2764', ['a', 'heart', '\u2764', 'and', '\u2764']],
  ['a family \u{1f469}\u200d\u{1f469}\u200d\u{1f467}', ['a', 'family', '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}']],
  ['no emoji: caf\u00e9 1 # *', ['no', 'emoji', 'cafe', '1']],
]

for (const [text, expected] of tokens)
  test(`every kind of emoji is a token, whatever else the text has: ${JSON.stringify(text)}`, () => {
    assert.deepEqual(
      wordsOf(text).map((word) => word.text),
      expected,
    )
  })
