import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Alternative, alternativesOf } from '../../../../src/lib/post-text/query/alternatives.ts'
import { matches } from '../../../../src/lib/post-text/query/match.ts'
import { parseQuery } from '../../../../src/lib/post-text/query/parse.ts'
import { withUserIds } from '../../../../src/lib/post-text/query/query.ts'
import { type SearchablePost, searchableText } from '../../../../src/lib/post-text/searchable-post.ts'
import { termsOf } from '../../../../src/lib/post-text/terms.ts'
import { cases } from '../../../stage/cases.ts'

const pieces = [
  'cat',
  'Cat',
  'café',
  'dog',
  '東',
  '京',
  '東京',
  '猫',
  'แมว',
  '😀',
  '❤️',
  '#cat',
  '@bob',
  '$twtr',
  'a.com/cat',
  'http://cat.a.com/dog',
]
const text = fc
  .array(fc.tuple(fc.constantFrom(...pieces), fc.constantFrom('', ' ', ', ')), { maxLength: 7 })
  .map((parts) => parts.flat().join(''))

const posts: fc.Arbitrary<SearchablePost> = fc
  .record({
    text,
    authorId: fc.constantFrom('101', '102', undefined),
    inReplyToUserId: fc.constantFrom('101', '102', undefined),
    lang: fc.constantFrom('en', 'de', undefined),
    conversationId: fc.constantFrom('7', '8', undefined),
    isReply: fc.boolean(),
    isQuote: fc.boolean(),
    isNullcast: fc.boolean(),
    mediaKinds: fc.subarray(['photo', 'video', 'animated_gif'] as const),
    likes: fc.nat({ max: 3 }),
    replies: fc.nat({ max: 3 }),
  })
  .map(({ text, ...more }) => ({ ...searchableText(text), ...more }))

const conditions = [
  ...[
    'cat',
    'CAFE',
    'dog',
    '東',
    '京',
    '東京',
    '京東',
    '東京猫',
    '猫',
    'แมว',
    'มว',
    '😀',
    '❤',
    '"cat dog"',
    '"東京 cat"',
    'cat東京',
    'cat-cat',
  ],
  ...[
    '#cat',
    '@bob',
    '$twtr',
    'from:bob',
    'from:102',
    'to:bob',
    'from:nobody',
    'url:a.com',
    'url:cat.a.com',
    'url:a',
    'url:"a.com/dog"',
    'url:"a com"',
  ],
  ...[
    'has:media',
    'has:videos',
    'has:links',
    'has:hashtags',
    'is:reply',
    'is:quote',
    'lang:en',
    'conversation_id:7',
    'min_likes:2',
    'min_replies:1',
  ],
]

const { query: queries } = fc.letrec<{ query: string; part: string }>((tie) => ({
  query: fc
    .array(fc.array(tie('part'), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 })
    .map((any) => any.map((all) => all.join(' ')).join(' OR ')),
  part: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    { arbitrary: fc.tuple(fc.constantFrom('', '', '-'), fc.constantFrom(...conditions)).map((parts) => parts.join('')), weight: 4 },
    { arbitrary: fc.tuple(fc.constantFrom('', '-'), tie('query')).map(([sign, query]) => `${sign}(${query})`), weight: 1 },
  ),
}))

/** Whether an index scan for the alternative finds the post. */
const isFound = ({ all, none, atLeast }: Alternative, post: SearchablePost): boolean => {
  const terms = new Set(termsOf(post))
  const counts = Object.entries(atLeast) as ['likes' | 'replies' | 'reposts', number][]
  return (
    all.every((term) => terms.has(term)) &&
    none.every((term) => !terms.has(term)) &&
    counts.every(([count, value]) => (post[count] ?? 0) >= value)
  )
}

const ids = new Map([['bob', '101']])

test('an index scan of the alternatives finds every post that matches, and without a check no other', () => {
  let compared = 0
  fc.assert(
    fc.property(queries, fc.array(posts, { minLength: 1, maxLength: 4 }), (source, some) => {
      const result = parseQuery(`cat (${source}) OR ${source}`)
      const alone = 'query' in result ? result : parseQuery(`(cat OR dog OR 東) (${source})`)
      if (!('query' in alone)) return
      const query = withUserIds(alone.query, ids)
      const alternatives = alternativesOf(query)
      assert.ok(alternatives.length <= 32)
      for (const { all } of alternatives)
        assert.ok(
          all.some((term) => !/^(?:has|is|lang):/.test(term)),
          'a scan would be of nearly all posts',
        )
      for (const post of some) {
        const found = alternatives.filter((alternative) => isFound(alternative, post))
        const viaIndex = found.some(({ needsCheck }) => !needsCheck || matches(query, post))
        assert.equal(viaIndex, matches(query, post), JSON.stringify({ source, text: post.text }))
        compared += 1
      }
    }),
    { numRuns: cases(400, 3000) },
  )
  assert.ok(compared > 100, `${compared} compared`)
})

/** The query as its source says it, evaluated without the parser's tree: only words, brackets, negation, OR. */
test('AND binds more than OR, and negation more than both', () => {
  const words = ['a', 'b', 'c'] as const
  const texts = [[], ['a'], ['b'], ['c'], ['a', 'b'], ['a', 'c'], ['b', 'c'], ['a', 'b', 'c']]
  const rows: [string, (has: (word: (typeof words)[number]) => boolean) => boolean][] = [
    ['a b OR c', (has) => (has('a') && has('b')) || has('c')],
    ['a OR b c', (has) => has('a') || (has('b') && has('c'))],
    ['a (b OR c)', (has) => has('a') && (has('b') || has('c'))],
    ['a -b OR c', (has) => (has('a') && !has('b')) || has('c')],
    ['a -(b OR c)', (has) => has('a') && !has('b') && !has('c')],
    ['a -(b c)', (has) => has('a') && !(has('b') && has('c'))],
    ['(a OR b) -c', (has) => (has('a') || has('b')) && !has('c')],
  ]
  for (const [source, expected] of rows)
    for (const present of texts) {
      const result = parseQuery(source)
      assert.ok('query' in result)
      const isMatch = matches(withUserIds(result.query, ids), searchableText(present.join(' ')))
      assert.equal(
        isMatch,
        expected((word) => present.includes(word)),
        `${source} in ${present.join(' ')}`,
      )
    }
})
