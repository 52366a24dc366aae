import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Alternative, alternativesOf } from '../../../../src/lib/post-text/query/alternatives.ts'
import { parseQuery } from '../../../../src/lib/post-text/query/parse.ts'
import { withUserIds } from '../../../../src/lib/post-text/query/query.ts'

const exactly = (all: string[], none: string[] = [], atLeast: Alternative['atLeast'] = {}): Alternative => ({
  all,
  none,
  atLeast,
  needsCheck: false,
})
const checked = (...parts: Parameters<typeof exactly>): Alternative => ({ ...exactly(...parts), needsCheck: true })

const rows: [string, Alternative[]][] = [
  ['Cats', [exactly(['w:cats'])]],
  ['grumpy cats cats', [exactly(['w:cats', 'w:grumpy'])]],
  ['cats OR #dogs', [exactly(['w:cats']), exactly(['#dogs'])]],
  ['(cats OR dogs) has:media -lang:de', [exactly(['has:media', 'w:cats'], ['lang:de']), exactly(['has:media', 'w:dogs'], ['lang:de'])]],
  ['a -(b OR c)', [exactly(['w:a'], ['w:b', 'w:c'])]],
  ['a -(b c)', [exactly(['w:a'], ['w:b']), exactly(['w:a'], ['w:c'])]],
  ['a -(-b OR c)', [exactly(['w:a', 'w:b'], ['w:c'])]],
  ['"black cat"', [checked(['w:black', 'w:cat'])]],
  ['a -"black cat"', [checked(['w:a'])]],
  ['猫', [exactly(['w:猫'])]],
  ['東京', [exactly(['w:東京'])]],
  ['a -東京', [exactly(['w:a'], ['w:東京'])]],
  ['東京都', [checked(['w:京都', 'w:東京'])]],
  ['new東京x', [checked(['w:new', 'w:x', 'w:東京'])]],
  ['url:example.com', [exactly(['url:example.com'])]],
  ['url:"example.com/a"', [checked(['url:a', 'url:example.com'])]],
  ['url:vaccine', [exactly(['url:vaccine'])]],
  ['from:bob', [exactly(['from:101'])]],
  ['from:nobody', []],
  ['cats OR from:nobody', [exactly(['w:cats'])]],
  ['cats -from:nobody', [exactly(['w:cats'])]],
  ['cats min_likes:5 min_likes:7 min_replies:1', [exactly(['w:cats'], [], { likes: 7, replies: 1 })]],
  ['cats -min_likes:5', [checked(['w:cats'])]],
  ['cats -cats', []],
  ['cats is:retweet -is:nullcast', [exactly(['is:repost', 'w:cats'], ['is:nullcast'])]],
]

for (const [text, expected] of rows)
  test(`alternatives of ${text}`, () => {
    const result = parseQuery(text)
    assert.ok('query' in result)
    assert.deepEqual(alternativesOf(withUserIds(result.query, new Map([['bob', '101']]))), expected)
  })
