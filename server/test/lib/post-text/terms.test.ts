import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { entitiesOf } from '../../../src/lib/post-text/entities.ts'
import { searchableText } from '../../../src/lib/post-text/searchable-post.ts'
import { termHash, termsOf } from '../../../src/lib/post-text/terms.ts'
import { wordsOf } from '../../../src/lib/post-text/words.ts'

const textsOf = (text: string) => wordsOf(text).map(({ text, isJoined }) => (isJoined ? `+${text}` : text))

suite('words', () => {
  test('are runs of letters, digits and marks, without case and accents of Latin letters', () => {
    for (const [text, words] of [
      ['The coca-cola, 2nd!', ['the', 'coca', 'cola', '2nd']],
      ["don't foo_bar", ['don', 't', 'foo', 'bar']],
      ['Straße CAFÉ cafe\u0301 ＣＡＴ ﬁn', ['strasse', 'cafe', 'cafe', 'cat', 'fin']],
      ['ὈΔΌΣ', ['ὀδόσ']],
      ['Ёлка йод', ['ёлка', 'йод']],
      ['हिन्दी العَرَبِيَّة', ['हिन्दी', 'العَرَبِيَّة']],
      ['한국어가 좋다', ['한국어가', '좋다']],
      ['  . ! — ', []],
    ] as const)
      assert.deepEqual(textsOf(text), words, text)
  })

  test('of scripts without spaces are single characters, joined to those before them', () => {
    assert.deepEqual(textsOf('東京タワー'), ['東', '+京', '+タ', '+ワ', '+ー'])
    assert.deepEqual(textsOf('東 京、都'), ['東', '京', '都'])
    assert.deepEqual(textsOf('New東京 x'), ['new', '東', '+京', 'x'])
    assert.deepEqual(textsOf('กินแมว'), ['กิ', '+น', '+แ', '+ม', '+ว'])
    assert.deepEqual(textsOf('ｶﾞス'), ['ガ', '+ス'])
  })

  test('of ASCII are the same beside a character that is none', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
        assert.deepEqual([...textsOf(text), 'é'.normalize('NFD')[0]], textsOf(`${text} é`))
      }),
    )
  })

  test('are emoji too, with or without a variation selector', () => {
    assert.deepEqual(textsOf('cats😀👍🏽❤️ ❤ 1️⃣ 1'), ['cats', '😀', '👍🏽', '❤', '❤', '1⃣', '1'])
  })
})

suite('index terms', () => {
  test('of a text are its words and entities, sorted, each once', () => {
    assert.deepEqual(termsOf(searchableText('Cats #Cats $TWTR @Bob cats')), [
      '#cats',
      '$twtr',
      '@bob',
      'has:cashtags',
      'has:hashtags',
      'has:mentions',
      'w:bob',
      'w:cats',
      'w:twtr',
    ])
  })

  test('of scripts without spaces are characters and pairs', () => {
    assert.deepEqual(termsOf(searchableText('東京都')), ['w:京', 'w:京都', 'w:東', 'w:東京', 'w:都'])
  })

  test('of a URL are its domains and tokens', () => {
    const { entities } = searchableText('https://www.Shop.example.co.uk/a-b')
    assert.deepEqual(termsOf({ text: '', entities }), [
      'has:links',
      'url:a',
      'url:b',
      'url:co',
      'url:co.uk',
      'url:example',
      'url:example.co.uk',
      'url:shop',
      'url:shop.example.co.uk',
      'url:uk',
      'url:www',
      'url:www.shop.example.co.uk',
    ])
  })

  test('say who wrote a post, to whom, in which language and what it is', () => {
    const post = {
      text: '',
      entities: entitiesOf(''),
      authorId: '101',
      isAuthorVerified: true,
      lang: 'zh-TW',
      mentionedIds: ['102', '103'],
      conversationId: '7',
      inReplyToUserId: '102',
      isReply: true,
      isQuote: true,
      isRepost: true,
      isNullcast: true,
      mediaKinds: ['photo', 'video'] as const,
      hasGeo: true,
    }
    assert.deepEqual(termsOf(post), [
      'conversation_id:7',
      'from:101',
      'has:geo',
      'has:images',
      'has:links',
      'has:media',
      'has:videos',
      'is:nullcast',
      'is:quote',
      'is:reply',
      'is:repost',
      'is:verified',
      'lang:zh-tw',
      'mention:102',
      'mention:103',
      'to:102',
    ])
    assert.deepEqual(termsOf({ text: '', entities: entitiesOf(''), mediaKinds: ['animated_gif'] }), ['has:links', 'has:media'])
    assert.deepEqual(termsOf({ text: '', entities: entitiesOf('') }), [])
  })

  test('of long URLs are few', () => {
    const long = `https://example.com/${Array.from({ length: 800 }, (_, place) => place + 1000).join('/')}`
    const terms = new Set(termsOf(searchableText(`Intro ${long} end`)))
    for (const term of ['w:intro', 'w:end', 'w:1015', 'url:example', 'url:1029']) assert.equal(terms.has(term), true, term)
    for (const term of ['w:1', 'w:1016', 'url:1030']) assert.equal(terms.has(term), false, term)
  })
})

test('the hash of a term is FNV-1a in 63 bits, for all time', () => {
  assert.equal(termHash(''), 0x4bf29ce484222325n)
  assert.equal(termHash('a'), 0x2f63dc4c8601ec8cn)
  assert.equal(termHash('foobar'), 0x05944171f73967e8n)
  assert.equal(termHash('w:東京'), 7337793609413128634n)
  assert.equal(termHash('from:101'), 8434579405074846679n)
  assert.ok(termHash('x'.repeat(5000)) >= 0n)
})
