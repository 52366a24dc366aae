import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Matchable, matcherOf } from '../../src/delivery/matching.ts'
import type { Candidate } from '../../src/storage/subscriptions.ts'

const candidate = (keyword: string): Candidate => ({
  subscription: {
    id: keyword,
    appId: 'app',
    webhookId: keyword,
    eventType: 'news.new',
    filter: { keyword },
    tag: null,
    createdAtMs: 0,
    updatedAtMs: 0,
  },
  webhook: { id: keyword, valid: true },
  streamedAtMs: null,
  appSuspended: false,
  isCounted: false,
  quotas: null,
  consent: null,
})

/** For each webhook the oldest candidate that an event matches. */
const matchedOf = (candidates: readonly Candidate[], event: Matchable) => matcherOf(candidates, 0)(event).webhooks

const text = 'The old Lighthouse is lit again, #news from @bob at https://news.example.com/2026'

const rows: [string, boolean][] = [
  ['lighthouse', true],
  ['LIT lighthouse', true],
  ['"old lighthouse"', true],
  ['"lighthouse old"', false],
  ['lighthouse dark', false],
  ['dark OR lit', true],
  ['old -lit', false],
  ['old -(dark OR unlit)', true],
  ['#news @bob', true],
  ['url:example.com', true],
  ['has:links old', true],
  // A keyword matches whole words: part of a word was enough before keywords were queries.
  ['light', false],
  ['house', false],
]

test('a keyword filter matches the text of an event as a search query does', () => {
  const matched = matchedOf(
    rows.map(([keyword]) => candidate(keyword)),
    { eventType: 'news.new', userId: '9', text },
  )
  assert.deepEqual(
    matched.map(({ webhook }) => webhook?.id),
    rows.filter(([, matches]) => matches).map(([keyword]) => keyword),
  )
})

test('an event without a text matches no keyword', () => {
  const candidates = [candidate('old'), candidate('old -lit')]
  assert.deepEqual(matchedOf(candidates, { eventType: 'news.new', userId: '9' }), [])
})

test('a stored keyword that is not a query matches as part of the text, without case, as it did when it was stored', () => {
  const keywords = ['"THE', 'bio:x', ':', '&', 'from:bob', '#1', 'again,']
  const matched = matchedOf(keywords.map(candidate), { eventType: 'news.new', userId: '9', text: `${text} bio:X "the #12` })
  assert.deepEqual(
    matched.map(({ webhook }) => webhook?.id),
    ['"THE', 'bio:x', ':', '#1', 'again,'],
  )
})

test('the oldest subscription of a webhook counts, whatever its keyword', () => {
  const [one, other] = [candidate('lit'), candidate('old')]
  other.webhook = one.webhook
  assert.deepEqual(matchedOf([one, other], { eventType: 'news.new', userId: '9', text }), [one])
})

test('thousands of keywords beyond the cache still match', () => {
  const many = Array.from({ length: 5000 }, (_, place) => candidate(`word${place}`))
  const matchesOf = matcherOf(many, 0)
  for (const place of [0, 2500, 4999])
    assert.deepEqual(
      matchesOf({ eventType: 'news.new', userId: '9', text: `a word${place} here` }).webhooks.map(({ webhook }) => webhook?.id),
      [`word${place}`],
    )
})
