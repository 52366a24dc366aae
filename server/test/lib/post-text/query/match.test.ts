import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { matcherOf, matches } from '../../../../src/lib/post-text/query/match.ts'
import { parseQuery } from '../../../../src/lib/post-text/query/parse.ts'
import { usernamesOf, withUserIds } from '../../../../src/lib/post-text/query/query.ts'
import { type SearchablePost, searchableText } from '../../../../src/lib/post-text/searchable-post.ts'

const ids = new Map([
  ['bob', '101'],
  ['eve', '102'],
])

const queryOf = (text: string) => {
  const result = parseQuery(text)
  assert.ok('query' in result, JSON.stringify(result))
  assert.ok(usernamesOf(result.query).every((name) => ids.has(name) || name === 'nobody'))
  return withUserIds(result.query, ids)
}

const post = (text: string, more: Partial<SearchablePost> = {}): SearchablePost => ({ ...searchableText(text), ...more })

const table = (subject: SearchablePost, found: string[], notFound: string[]) =>
  test(subject.text || 'a post without text', () => {
    const isMatch = matcherOf(subject)
    for (const query of found) assert.equal(isMatch(queryOf(query)), true, query)
    for (const query of notFound) assert.equal(isMatch(queryOf(query)), false, query)
  })

suite('a query finds a post by its text', () => {
  table(
    post('The old Lighthouse, lit again: “coca-cola” café!'),
    [
      'lighthouse',
      'LIGHTHOUSE OLD',
      '"old lighthouse"',
      '"lighthouse lit"',
      'coca-cola',
      '"coca cola"',
      'cafe',
      'CAFÉ',
      'nothing OR lit',
      'lit -house',
    ],
    [
      'light',
      'house',
      '"lighthouse old"',
      '"the lighthouse"',
      'cola-coca',
      'lit -cafe',
      'lit -"coca cola"',
      'old new',
      'old -(new OR again)',
    ],
  )
  table(
    post('東京タワーで猫を見た New東京'),
    ['東京', '猫', 'タワー', '"東京タワー"', '京タ', '見た -犬', 'new', 'new東京', '東京 猫'],
    ['京東', '東タ', '犬', '見猫', '猫た', '東京 -猫'],
  )
  table(post('東、京'), ['東', '京', '"東 京"'], ['東京'])
  table(post('ฉันรักแมว'), ['แมว', 'รัก'], ['มแว', 'หมา'])
  table(post('I ❤ cats 😀👍🏽'), ['❤️', '😀', '👍🏽', '"cats 😀"'], ['👍', '😡'])
})

suite('a query finds a post by what it names', () => {
  table(
    post('#Cats $TWTR @Bob at https://news.example.com/2026/cats-and-dogs?x=1 #café'),
    ['#cats', '#CATS', '$twtr', '@bob', '#cafe', 'cats', 'url:example.com', 'url:news.example.com', 'url:dogs', 'url:"cats and dogs"'],
    ['#cat', '#dogs', '$tw', '@bo', '@eve', 'url:other.com', 'url:ample.com', 'url:"dogs and cats"', 'url:example.org'],
  )
  table(
    post('https://news.example.com/2026/cats-and-dogs'),
    ['url:"https://example.com/2026/cats"', 'url:www.example.com', 'url:example', 'url:"example com"'],
    ['url:"https://example.com/cats/2026"', 'url:"2026.example.com"', 'url:com.2026'],
  )
  table(
    post('cats', {
      authorId: '101',
      inReplyToUserId: '102',
      lang: 'en',
      conversationId: '7',
      isReply: true,
      isAuthorVerified: true,
      mediaKinds: ['photo'],
      likes: 10,
      replies: 2,
      reposts: 3,
    }),
    [
      'from:bob',
      'from:@Bob',
      'from:101 to:eve',
      'cats to:102',
      'cats lang:en is:reply is:verified has:media has:images has:links',
      'conversation_id:7',
      'cats min_likes:10 min_replies:2 min_retweets:3',
      'cats -min_likes:11 -is:nullcast -is:retweet -is:quote -has:videos -has:geo',
      'cats -from:nobody',
    ],
    [
      'from:eve',
      'to:bob',
      'from:nobody',
      'cats lang:de',
      'conversation_id:8',
      'cats min_likes:11',
      'cats min_reposts:4',
      'cats has:hashtags',
      'cats is:repost',
      'cats -min_faves:10',
    ],
  )
  table(
    post('cats', { isRepost: true, isQuote: true, mediaKinds: ['video', 'animated_gif'], hasGeo: true }),
    ['cats is:retweet', 'cats is:repost is:quote has:videos has:geo has:media'],
    ['cats has:images', 'cats -is:quote', 'cats is:reply', 'cats min_likes:1'],
  )
  table(post('cats', { isNullcast: true }), ['cats'], ['cats -is:nullcast'])
})

test('matches reads one post for one query', () => {
  assert.equal(matches(queryOf('cats'), post('Cats')), true)
  assert.equal(matches(queryOf('dogs'), post('Cats')), false)
})
