import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { entitiesOf } from '../../../src/lib/post-text/entities.ts'

const urlsIn = (text: string) => entitiesOf(text).urls.map(({ url }) => url)
const tagsIn = (text: string) => entitiesOf(text).hashtags.map(({ tag }) => tag)
const mentionsIn = (text: string) => entitiesOf(text).mentions.map(({ username }) => username)
const cashtagsIn = (text: string) => entitiesOf(text).cashtags.map(({ tag }) => tag)

const table = (title: string, read: (text: string) => string[], rows: [string, string[]][]) =>
  test(title, () => {
    for (const [text, expected] of rows) assert.deepEqual(read(text), expected, text)
  })

suite('entities of a text', () => {
  test('offsets count code points, and the end is exclusive', () => {
    assert.deepEqual(entitiesOf('😀 #cats $TWTR @bob 👨‍👩‍👧 see www.example.com/a?b=1.'), {
      hashtags: [{ start: 2, end: 7, tag: 'cats' }],
      cashtags: [{ start: 8, end: 13, tag: 'TWTR' }],
      mentions: [{ start: 14, end: 18, username: 'bob' }],
      urls: [
        {
          start: 29,
          end: 50,
          url: 'www.example.com/a?b=1',
          expanded_url: 'http://www.example.com/a?b=1',
          display_url: 'example.com/a?b=1',
        },
      ],
    })
  })

  test('the first code point beyond the BMP counts as one', () => {
    assert.deepEqual(entitiesOf('\u{10000}\uffee #a').hashtags, [{ start: 3, end: 5, tag: 'a' }])
  })

  table('URLs with a scheme', urlsIn, [
    ['http://example.com', ['http://example.com']],
    ['See HTTPS://Example.COM/Path.', ['HTTPS://Example.COM/Path']],
    ['(http://example.com/a_(b)_c), ok', ['http://example.com/a_(b)_c']],
    ['http://example.com/a) b', ['http://example.com/a']],
    ['日本語http://example.com/日本', ['http://example.com/']],
    ['http://example.comで', ['http://example.com']],
    ['http://例え.テスト/ http://例.中国', ['http://例.中国']],
    ['http://example.com:8080/x?y=1#z', ['http://example.com:8080/x?y=1#z']],
    ['http://example.com?x=1!', ['http://example.com?x=1']],
    ['http://xn--fsq.xn--fiqs8s/', ['http://xn--fsq.xn--fiqs8s/']],
    ['http://a.com,http://b.com', ['http://a.com', 'http://b.com']],
    ['http://sub_domain.example.com', ['http://sub_domain.example.com']],
    ['http://foo_bar.com', []],
    ['http://-a.com', []],
    ['http://localhost/x http://1.2.3.4/ http://nowhere.invalidtld', []],
    ['http://user:password@example.com', []],
    ['xhttp://example.com @http://example.com', []],
    ['https://t.co/abc123/more', ['https://t.co/abc123']],
    [`https://t.co/${'a'.repeat(41)}`, []],
    [`http://${'a'.repeat(63)}.com`, [`http://${'a'.repeat(63)}.com`]],
    [`http://${'a'.repeat(64)}.com`, []],
    ['http://example.com@bob http://example.com+1 http://example.com1 http://example.com-x', []],
    ['http://example.org.com@bob', ['http://example.org']],
    [`http://example.com/${'a'.repeat(4077)}`, [`http://example.com/${'a'.repeat(4077)}`]],
    [`http://example.com/${'a'.repeat(4078)}`, []],
    [`http://example.com/${'http://example.com/'.repeat(215)} http://b.com`, ['http://b.com']],
    [`http://example.com/${'a'.repeat(4078)},b.com/x b.com`, ['b.com']],
    [`https://t.co/abc123/${'a'.repeat(4096)}`, ['https://t.co/abc123']],
  ])

  table('URLs without a scheme', urlsIn, [
    ['example.com', ['example.com']],
    ['see www.example.co.uk/path?q=1.', ['www.example.co.uk/path?q=1']],
    ['example.com?x=1 example.com:80 example.com:80/x', ['example.com', 'example.com', 'example.com:80/x']],
    ['日本語example.comです', ['example.com']],
    ['a.com,b.org;c.net', ['a.com', 'b.org', 'c.net']],
    ['foo@bar.com .example.com -example.com /example.com #example.com $example.com', []],
    ['node.js v1.2 hello.Worlds! e.g. 3.5', []],
    [`example.com/,${'example.com/,'.repeat(315)} b.com`, ['b.com']],
  ])

  test('a text is read a few times, however many URLs begin in it', (t) => {
    const { exec } = RegExp.prototype
    let read = 0
    // `test` calls it too.
    t.mock.method(RegExp.prototype, 'exec', function (this: RegExp, text: string) {
      const from = this.lastIndex
      const found = exec.call(this, text)
      if (this.sticky && found) read += this.lastIndex - from
      return found
    })
    for (const start of ['http://a.co/', 'a.co/,', 'http://t.co/a/', `http://t.co/${'a'.repeat(41)}?`, 'http://a.co?', 'http://a.co:80/'])
      for (const run of [start.repeat(2500), `${start.repeat(Math.floor(4090 / start.length))} `.repeat(8)]) {
        read = 0
        entitiesOf(run)
        assert.ok(read <= 3 * run.length, `${read} of ${run.length} for ${start}`)
      }
  })

  table('hashtags', tagsIn, [
    ['#cats #Cats2 #_a #日本語 #한국어 #हिन्दी ＃全角 #é_f', ['cats', 'Cats2', '_a', '日本語', '한국어', 'हिन्दी', '全角', 'é_f']],
    ['#1 #123 # #_', []],
    ['a#cats &#cats #a#b', []],
    ['##cats (#dogs) "#birds",#fish。#池', ['cats', 'dogs', 'birds', 'fish', '池']],
    ['#️⃣ #⃣', []],
    ['❤️#love', ['love']],
    ['#http://example.com', []],
    ['http://example.com/#path', []],
  ])

  table('mentions', mentionsIn, [
    ['@bob, hi @Alice_1! ＠full', ['bob', 'Alice_1', 'full']],
    ['RT @bob: RT@eve rt:@mallory', ['bob', 'eve', 'mallory']],
    ['a@bob _@bob !@bob #@bob @bob@eve', []],
    ['.@bob "@eve" (@mal)', ['bob', 'eve', 'mal']],
    ['@日本 @abc日本 @abcé', ['abc']],
    ['@bob/list and @eve', ['eve']],
    ['@123456789012345 @1234567890123456', ['123456789012345']],
    ['@http://example.com', []],
  ])

  table('cashtags', cashtagsIn, [
    ['$TWTR $a.b $BRK_A, $abcdef!', ['TWTR', 'a.b', 'BRK_A', 'abcdef']],
    ['$5 $abcdefg x$TWTR ($TWTR) $TWTR日', []],
  ])

  test('of two that overlap, the first counts', () => {
    assert.deepEqual(entitiesOf('example.com/@bob/#cats'), {
      hashtags: [],
      cashtags: [],
      mentions: [],
      urls: [
        {
          start: 0,
          end: 22,
          url: 'example.com/@bob/#cats',
          expanded_url: 'http://example.com/@bob/#cats',
          display_url: 'example.com/@bob/#cats',
        },
      ],
    })
  })

  test('a display URL shows the host and 15 characters after it', () => {
    const shownOf = (text: string) => entitiesOf(text).urls[0]?.display_url
    assert.equal(shownOf('https://blog.example.com/2011/05/twitter-for-mac-update.html'), 'blog.example.com/2011/05/twitte…')
    assert.equal(shownOf('https://www.example.com/'), 'example.com')
    assert.equal(shownOf('http://example.com/12345678901234'), 'example.com/12345678901234')
  })
})

test('an entity is the piece of the text at its place', () => {
  const unit = fc.constantFrom(...'ab .#@$/:é日😀'.split(''), '😀', 'http://', '.com', 'x.com/', '#a', '@b', '$c', ' ')
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit, maxLength: 40 }), fc.string({ unit: 'binary' })), (text) => {
      const characters = [...text]
      const piece = ({ start, end }: { start: number; end: number }) => characters.slice(start, end).join('')
      const { hashtags, cashtags, mentions, urls } = entitiesOf(text)
      for (const one of hashtags) assert.match(piece(one), new RegExp(`^[#＃]${one.tag}$`))
      for (const one of cashtags) assert.equal(piece(one), `$${one.tag}`)
      for (const one of mentions) assert.match(piece(one), new RegExp(`^[@＠]${one.username}$`))
      for (const one of urls) assert.equal(piece(one), one.url)
      const places = [...hashtags, ...cashtags, ...mentions, ...urls].sort((one, other) => one.start - other.start)
      for (const [place, { start }] of places.entries()) assert.ok(place === 0 || places[place - 1]!.end <= start)
    }),
  )
})
