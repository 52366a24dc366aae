import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { type ParseOptions, parseQuery } from '../../../../src/lib/post-text/query/parse.ts'
import { type ParsedQuery, usernamesOf, withUserIds } from '../../../../src/lib/post-text/query/query.ts'
import { cases } from '../../../stage/cases.ts'

/** A query as nested text, shorter than its tree. */
function show(query: ParsedQuery): string {
  switch (query.kind) {
    case 'all':
      return `(${query.of.map(show).join(' & ')})`
    case 'any':
      return `(${query.of.map(show).join(' | ')})`
    case 'not':
      return `!${show(query.of)}`
    case 'words':
      return query.words.map(({ text }) => text).join('_')
    case 'term':
      return query.term
    case 'url':
      return `url<${query.domain ?? ''}>${query.words.map(({ text }) => text).join('_')}`
    case 'atLeast':
      return `${query.count}>=${query.value}`
    case 'user':
      return `${query.role}<${query.username}>`
    case 'nothing':
      return 'nothing'
  }
}

const parsed = (text: string, options?: ParseOptions) => {
  const result = parseQuery(text, options)
  return 'query' in result ? show(result.query) : result.error
}

suite('queries that are understood', () => {
  for (const [query, expected] of [
    ['Cats', 'cats'],
    ['grumpy cats', '(grumpy & cats)'],
    ['"Twitter API" OR #v2', '(twitter_api | #v2)'],
    ['grumpy cat OR #meme has:images', '((grumpy & cat) | (#meme & has:images))'],
    ['(grumpy cat) OR (#meme has:images)', '((grumpy & cat) | (#meme & has:images))'],
    ['skiing -(snow OR day)', '(skiing & !(snow | day))'],
    ['cat -"black dog" -#dogs', '(cat & !black_dog & !#dogs)'],
    ['coca-cola', 'coca_cola'],
    ['"coca-cola!"', 'coca_cola'],
    ['12:30', '12_30'],
    ['猫カフェ', '猫_カ_フ_ェ'],
    ['😃 OR 😡', '(😃 | 😡)'],
    ['from:Bob -to:@eve', '(from<bob> & !to<eve>)'],
    ['FROM:101', 'from:101'],
    ['@Bob $TWTR ＃Café', '(@bob & $twtr & #cafe)'],
    ['conversation_id:1334987486343299072 lang:EN', '(conversation_id:1334987486343299072 & lang:en)'],
    ['cat is:retweet', '(cat & is:repost)'],
    ['cat is:repost -is:nullcast', '(cat & is:repost & !is:nullcast)'],
    ['cat min_likes:10 min_replies:2 min_reposts:0', '(cat & likes>=10 & replies>=2 & reposts>=0)'],
    ['cat min_faves:10 min_retweets:3', '(cat & likes>=10 & reposts>=3)'],
    ['url:"https://www.example.com/a/b"', 'url<example.com>a_b'],
    ['url:vaccine', 'url<>vaccine'],
    ['cat has:media has:geo has:cashtags', '(cat & has:media & has:geo & has:cashtags)'],
    ['salt and pepper or more', '(salt & and & pepper & or & more)'],
    ['"OR" "AND" or', '(or & and & or)'],
    ['cats"big dogs"', '(cats & big_dogs)'],
    ['cats(dogs)', '(cats & dogs)'],
    ['cat -(-dog)', '(cat & !!dog)'],
  ] as const)
    test(query, () => assert.equal(parsed(query), expected))
})

const SUPPORTED = 'from:, to:, url:, conversation_id:, has:, is:, lang:, min_likes:, min_faves:, min_replies:, min_reposts:, min_retweets:'
const beside =
  'put a word, a phrase, #, $, @, from:, to:, url: or conversation_id: beside it that is not negated, in every alternative of OR'
const HAS = 'media, images, videos, links, hashtags, mentions, cashtags, geo'

suite('queries that are refused, with a sentence and the place', () => {
  for (const [query, position, message] of [
    ['', 1, 'the query is empty'],
    ['  ', 1, 'the query is empty'],
    ['cat bio:engineer', 5, `'bio:' is not a supported operator. Supported are ${SUPPORTED}; put other text in quotes`],
    ['https://example.com', 1, `'https:' is not a supported operator. Supported are ${SUPPORTED}; put other text in quotes`],
    ['cat constructor:x', 5, `'constructor:' is not a supported operator. Supported are ${SUPPORTED}; put other text in quotes`],
    ['(cat dog', 1, 'this bracket is not closed'],
    ['cat (', 5, 'this bracket is not closed'],
    ['cat (OR dog)', 6, 'OR needs something to look for on both sides'],
    ['cat (dog OR', 10, 'OR needs something to look for on both sides'],
    ['cat) dog', 4, 'this bracket closes nothing'],
    ['cat ()', 5, 'there is nothing between the brackets'],
    ['😀 "cat dog', 3, 'this quote is not closed'],
    ['cat ""', 5, "'' has no letter, digit or emoji to look for"],
    ['salt & pepper', 6, "'&' has no letter, digit or emoji to look for"],
    ['cat OR', 5, 'OR needs something to look for on both sides'],
    ['OR cat', 1, 'OR needs something to look for on both sides'],
    ['cat OR OR dog', 8, 'OR needs something to look for on both sides'],
    ['cat AND dog', 5, 'AND is what a space means: leave it out, or put it in quotes to look for the word'],
    ['cat --dog', 5, '- must stand directly before a word, a phrase, an operator or a group'],
    ['cat - dog', 5, "'-' has no letter, digit or emoji to look for"],
    ['#1', 1, "'#1' is not a hashtag: put it in quotes to look for its words"],
    ['$5', 1, "'$5' is not a cashtag: put it in quotes to look for its words"],
    ['@bob!', 1, "'@bob!' is not a username: put it in quotes to look for its words"],
    ['from: bob', 1, 'from: must be followed directly by a value'],
    ['from:b!b', 1, 'from: must be followed by a username or a user id'],
    ['cat has:legs', 5, `has: must be one of ${HAS}`],
    ['cat is:toString', 5, 'is: must be one of reply, quote, repost, retweet, verified, nullcast'],
    ['cat lang:english', 5, 'lang: must be followed by a language tag like en'],
    ['cat min_likes:-1', 5, 'min_likes: must be followed by a whole number'],
    ['conversation_id:x', 1, 'conversation_id: must be followed by the id of a post'],
    ['url:"//"', 1, 'url: must be followed by a domain, a URL or a word of a URL'],
    ['has:media', 1, `'has:media' cannot stand alone: ${beside}`],
    ['cat OR has:links', 8, `'has:links' cannot stand alone: ${beside}`],
    ['-(lang:en dog)', 3, `'lang:en' cannot stand alone: ${beside}`],
    ['-cat', 2, `'cat' cannot stand alone: ${beside}`],
    ['min_likes:5 (dog OR lang:en)', 1, `'min_likes:5' cannot stand alone: ${beside}`],
    ['cat is:nullcast', 5, 'is:nullcast can only be used negated, as -is:nullcast'],
    ['a'.repeat(513), 1, 'a query may have 512 characters at most; this has 513'],
    [`cat ${'('.repeat(17)}dog${')'.repeat(17)}`, 21, 'brackets may be nested 16 deep at most'],
    ['a '.repeat(51), 1, 'a query may have 50 conditions at most; this has 51'],
    [`${'(a OR b) '.repeat(6)}`, 1, 'the query is too complex: written out without brackets it has more than 32 alternatives of OR'],
  ] as const)
    test(query.slice(0, 40) || 'nothing', () => assert.deepEqual(parsed(query), { message, position }))
})

test('the limits themselves are allowed', () => {
  assert.equal(parsed('a'.repeat(512)), 'a'.repeat(512))
  assert.equal(parsed('😀'.repeat(512)), Array(512).fill('😀').join('_'))
  assert.equal(parsed(`cat ${'('.repeat(16)}dog${')'.repeat(16)}`), '(cat & dog)')
  assert.equal(typeof parsed('a '.repeat(50)), 'string')
  assert.equal(typeof parsed('(a OR b) '.repeat(5)), 'string')
  assert.equal(parsed('a'.repeat(20), { longest: 20 }), 'a'.repeat(20))
  assert.deepEqual(parsed('a'.repeat(21), { longest: 20 }), { message: 'a query may have 20 characters at most; this has 21', position: 1 })
})

test('where only the text is known, operators that need more are refused by name', () => {
  assert.equal(
    parsed('cats #dogs @bob url:example.com has:links -has:mentions', { isOfText: true }),
    '(cats & #dogs & @bob & url<example.com> & has:links & !has:mentions)',
  )
  for (const operator of ['from:bob', 'to:101', 'lang:en', 'is:reply', 'has:media', 'has:geo', 'conversation_id:1', 'min_likes:1'])
    assert.deepEqual(parsed(`cats ${operator}`, { isOfText: true }), {
      message: `${operator} needs more than the text, and cannot be used here`,
      position: 6,
    })
  assert.deepEqual(parsed('bio:x', { isOfText: true }), {
    message: "'bio:' is not a supported operator. Supported are url:, has:; put other text in quotes",
    position: 1,
  })
})

test('usernames are listed once and replaced by ids', () => {
  const result = parseQuery('(from:Bob OR to:bob) -from:eve from:101')
  assert.ok('query' in result)
  assert.deepEqual(usernamesOf(result.query), ['bob', 'eve'])
  assert.equal(show(withUserIds(result.query, new Map([['bob', '7']]))), '((from:7 | to:7) & !nothing & from:101)')
})

test('no text makes the parser throw, and an error names a place within the query', () => {
  const unit = fc.constantFrom(
    '(',
    ')',
    '"',
    '-',
    ' ',
    'OR',
    ' OR ',
    'AND',
    'a',
    'cat',
    '#',
    '@',
    '$',
    ':',
    'from:',
    'has:',
    'media',
    'url:',
    '1',
    '😀',
    '日',
    '\ud83d',
  )
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit, maxLength: 40 }), fc.string({ unit: 'binary' })), fc.boolean(), (text, isOfText) => {
      const result = parseQuery(text, { isOfText })
      if ('query' in result) return
      assert.ok(result.error.position >= 1 && result.error.position <= [...text].length + 1, text)
      assert.ok(result.error.message.length > 10)
    }),
    { numRuns: cases(300, 2000) },
  )
})
