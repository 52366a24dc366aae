import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { beginBaseString, encodeInPieces, normalize, sign, signingKey } from '../../src/access/oauth1/base-string.ts'
import { readSigned, Unreadable } from '../../src/access/oauth1/read-signed.ts'
import type { RawRequest } from '../../src/api/declare/raw-request.ts'
import { cases } from '../stage/cases.ts'
import { headerOf, oauthParameters, type ToSign } from '../stage/oauth-client.ts'

const FORM = 'application/x-www-form-urlencoded'

interface Sent {
  method?: string
  target: string
  authorization?: string
  body?: string
  contentType?: string
}

const request = ({ method = 'GET', target, authorization, body, contentType = FORM }: Sent): RawRequest => ({
  method,
  target,
  query: target.split('?').slice(1).join('?'),
  pathParams: {},
  remoteAddress: '127.0.0.1',
  headers: { ...(authorization !== undefined && { authorization }), ...(body !== undefined && { 'content-type': contentType }) },
  body: body === undefined ? null : Buffer.from(body),
})

/** What work results in, and how often it let others pass. */
function finish<Result>(work: Generator<undefined, Result>) {
  for (let pauses = 0; ; pauses += 1) {
    const { done, value } = work.next()
    if (done) return { value, pauses }
  }
}

/** The base string of a request to an origin, in its two parts. */
function baseOf(origin: string, sent: Sent): [beginning: string, end: string] {
  const { method, path, parameters } = readSigned(request(sent))
  return [beginBaseString(method, origin + path), finish(encodeInPieces(finish(normalize(parameters)).value)).value]
}

const signatureOf = (origin: string, sent: Sent, consumerSecret: string, tokenSecret: string) =>
  finish(sign(signingKey(consumerSecret, tokenSecret), ...baseOf(origin, sent))).value

/** The parameters of a request in the order in which they are signed. */
const normalized = (sent: Sent) => finish(normalize(readSigned(request(sent)).parameters)).value
const ofQuery = (query: string) => normalized({ target: `/?${query}` })
const ofHeader = (authorization: string) => normalized({ target: '/', authorization })

suite('worked examples', () => {
  test('the base string of RFC 5849, section 3.4.1.1, and its signature according to erratum 2550', () => {
    const sent = {
      method: 'POST',
      target: '/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b',
      authorization:
        'OAuth realm="Example", oauth_consumer_key="9djdj82h48djs9d2", oauth_token="kkk9d7dh3k39sjv7", oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131201", oauth_nonce="7d8f3e4a", oauth_signature="bYT5CMsGcbgUdFHObYMEfcx6bsw%3D"',
      body: 'c2&a3=2+q',
    }
    assert.equal(
      baseOf('http://example.com', sent).join(''),
      'POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7',
    )
    assert.equal(signatureOf('http://example.com', sent, 'j49sk3j29djd', 'dh893hdasih9'), 'r6/TJjbCOr97/+UU0NsvSne7s5g=')
  })

  /** RFC 5849, section 1.2: each request carries its own signature. */
  const printer: [step: string, origin: string, sent: Sent, tokenSecret: string][] = [
    [
      'the temporary credentials',
      'https://photos.example.net',
      {
        method: 'POST',
        target: '/initiate',
        authorization:
          'OAuth realm="Photos", oauth_consumer_key="dpf43f3p2l4k3l03", oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131200", oauth_nonce="wIjqoS", oauth_callback="http%3A%2F%2Fprinter.example.com%2Fready", oauth_signature="74KNZJeDHnMBp0EMJ9ZHt%2FXKycU%3D"',
      },
      '',
    ],
    [
      'the token credentials',
      'https://photos.example.net',
      {
        method: 'POST',
        target: '/token',
        authorization:
          'OAuth realm="Photos", oauth_consumer_key="dpf43f3p2l4k3l03", oauth_token="hh5s93j4hdidpola", oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131201", oauth_nonce="walatlh", oauth_verifier="hfdp7dh39dks9884", oauth_signature="gKgrFCywp7rO0OXSjdot%2FIHF7IU%3D"',
      },
      'hdhd0244k9j7ao03',
    ],
    [
      'the photo',
      'http://photos.example.net',
      {
        target: '/photos?file=vacation.jpg&size=original',
        authorization:
          'OAuth realm="Photos", oauth_consumer_key="dpf43f3p2l4k3l03", oauth_token="nnch734d00sl2jdk", oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131202", oauth_nonce="chapoH", oauth_signature="MdpQcU8iPSUjWoN%2FUDMsK2sui9I%3D"',
      },
      'pfkkdhi9sl3r4s00',
    ],
  ]
  for (const [step, origin, sent, tokenSecret] of printer)
    test(`RFC 5849, section 1.2: ${step}`, () => {
      const { oauth } = readSigned(request(sent))
      assert.equal(signatureOf(origin, sent, 'kd94hf93k423kf44', tokenSecret), oauth.get('oauth_signature'))
    })

  for (const [origin, signature] of [
    ['https://api.x.com', 'Ls93hJiZbQ3akF3HF3x1Bz8/zU4='],
    ['https://api.twitter.com', 'hCtSmYh+iHYCEqBWrE7C7hYmtUk='],
  ] as const)
    test(`the public example of signing, for ${origin}`, () => {
      const sent = {
        method: 'POST',
        target: '/1.1/statuses/update.json?include_entities=true',
        authorization:
          'OAuth oauth_consumer_key="xvz1evFS4wEEPTGEFPHBog", oauth_nonce="kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg", oauth_signature_method="HMAC-SHA1", oauth_timestamp="1318622958", oauth_token="370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb", oauth_version="1.0"',
        body: 'status=Hello%20Ladies%20%2b%20Gentlemen%2c%20a%20signed%20OAuth%20request%21',
      }
      const secrets = ['kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw', 'LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE'] as const
      assert.equal(signatureOf(origin, sent, ...secrets), signature)
    })
})

suite('the signed parameters', () => {
  test('are all parameters, encoded and then sorted by name and value', () => {
    assert.equal(ofQuery('b=2&a=10&a=9&B=1&a=&%C3%A9=1&a%2B=1&a0=1'), '%C3%A9=1&B=1&a=&a=10&a=9&a%2B=1&a0=1&b=2')
  })

  test('include a repeated name twice, in query and form', () => {
    assert.equal(normalized({ method: 'POST', target: '/?a=1&a=1', body: 'a=1&a=0' }), 'a=0&a=1&a=1&a=1')
  })

  test('include an empty value, no value and an empty name; empty places between & are ignored', () => {
    assert.equal(ofQuery('a=&b&=c&&d==&'), '=c&a=&b=&d=%3D')
  })

  test('decode a plus as a space in query and form and as a plus in the header', () => {
    assert.equal(ofQuery('a=b+c'), ofQuery('a=b%20c'))
    assert.equal(ofQuery('a=b%2Bc'), 'a=b%2Bc')
    assert.equal(normalized({ method: 'POST', target: '/', body: 'a=b+c' }), 'a=b%20c')
    assert.equal(ofHeader('OAuth oauth_nonce="b+c"'), 'oauth_nonce=b%2Bc')
  })

  test('are encoded as UTF-8 with upper-case escapes, including every reserved character', () => {
    assert.equal(ofQuery('a=%e2%98%83%f0%9f%90%9a'), 'a=%E2%98%83%F0%9F%90%9A')
    assert.equal(ofQuery("a=!*'();:@$,/?[]~-._"), 'a=%21%2A%27%28%29%3B%3A%40%24%2C%2F%3F%5B%5D~-._')
    assert.equal(ofQuery('%61=%7E'), 'a=~')
    assert.throws(() => ofQuery('a=%ff'), Unreadable)
    assert.throws(() => ofQuery('a=%'), Unreadable)
    assert.throws(() => ofHeader('OAuth oauth_nonce="%C3"'), Unreadable)
  })

  test('come from header, query and form in the same way', () => {
    const inAll = { method: 'POST', target: '/?b=2', authorization: 'OAuth a="1"', body: 'c=3' }
    assert.equal(normalized(inAll), 'a=1&b=2&c=3')
    assert.equal(ofQuery('a=1&b=2&c=3'), normalized(inAll))
    assert.deepEqual(
      readSigned(request(inAll)).parameters.map(({ from }) => from),
      ['header', 'query', 'form'],
    )
  })

  test('include a repeated protocol parameter once if the values are equal; different values are rejected', () => {
    const authorization = 'OAuth oauth_nonce="n"'
    const sent = { method: 'POST', target: '/?oauth_nonce=n', authorization, body: 'oauth_nonce=n&oauth_nonce=n' }
    assert.equal(normalized(sent), 'oauth_nonce=n')
    for (const other of [{ target: '/?oauth_nonce=N' }, { body: 'oauth_nonce=' }, { authorization: `${authorization}, oauth_nonce="m"` }])
      assert.throws(() => normalized({ ...sent, ...other }), Unreadable)
    assert.throws(() => normalized({ target: '/?oauth_signature=b', authorization: 'OAuth oauth_signature="a"' }), Unreadable)
  })

  test('exclude the signature itself wherever it is; a body hash is a parameter like others', () => {
    assert.equal(normalized({ target: '/?oauth_signature=s&a=1' }), 'a=1')
    assert.equal(normalized({ method: 'POST', target: '/', body: 'oauth_signature=s&a=1' }), 'a=1')
    assert.equal(
      ofHeader('OAuth oauth_body_hash="2jmj7l5rSw0yVb%2FvlWAYkK%2FYBwk%3D"'),
      'oauth_body_hash=2jmj7l5rSw0yVb%2FvlWAYkK%2FYBwk%3D',
    )
  })

  test('exclude the realm of the header, with or without a comma; one in the query is included', () => {
    assert.equal(ofHeader('OAuth realm="Photos, and = more",a="1"'), 'a=1')
    assert.equal(ofHeader('OAuth realm="",a="1"'), 'a=1')
    assert.equal(ofQuery('realm=Photos'), 'realm=Photos')
  })

  test('include a form with any charset and case; JSON, multipart and untyped bodies are excluded', () => {
    const ofBody = (contentType: string) => normalized({ method: 'POST', target: '/', body: 'a=1', contentType })
    for (const type of [FORM, `${FORM};charset=UTF-8`, `${FORM.toUpperCase()} ; charset=utf-8`]) assert.equal(ofBody(type), 'a=1')
    for (const type of ['application/json', 'multipart/form-data; boundary=a', 'text/plain', '', `${FORM}x`]) assert.equal(ofBody(type), '')
  })

  test('the path is signed as it was sent', () => {
    const paths = ['/a%2fb', '/a%2Fb', '/A//b/../c', '/a;b=c', '/']
    assert.deepEqual(
      paths.map((target) => readSigned(request({ target })).path),
      paths,
    )
    assert.equal(readSigned(request({ target: 'http://other.example/a?b=c' })).path, '/a')
  })
})

suite('the Authorization header', () => {
  test('is parsed with its scheme in any case, with any spaces, in any order and with empty places', () => {
    const spellings = ['OAuth a="1",b="2"', 'oauth b="2", a="1"', 'OAUTH  a = "1" ,\tb="2",', 'OAuth ,,a="1",,b="2",,']
    for (const spelling of spellings) assert.equal(ofHeader(spelling), 'a=1&b=2', spelling)
    for (const empty of ['OAuth', 'OAuth ', 'OAuth ,', `OAuth ${','.repeat(10_000)}`]) assert.equal(ofHeader(empty), '', empty.slice(0, 20))
  })

  test('is rejected if its values are not quoted', () => {
    const pieces = ['a=1', 'a="1', 'a=1"', 'a', '"a"', "a='1'", 'a="1" b="2"', '="1"', 'a="1""', '"', 'a b="1"']
    for (const piece of pieces) assert.throws(() => ofHeader(`OAuth ${piece}`), Unreadable, piece)
  })

  test('is not OAuth with another scheme', () => {
    for (const header of ['Bearer a="1"', 'OAuth2 a="1"', 'OAutha="1"', 'a="1"']) assert.equal(ofHeader(header), '')
  })

  test('is parsed in a time linear in its length, whatever it contains', () => {
    const long = ['"', ',"', '="', ' ', '\t="', 'a="",'].map((piece) => `OAuth ${piece.repeat(8000)}`)
    for (const header of long) {
      const before = process.cpuUsage()
      try {
        ofHeader(header)
      } catch (error) {
        assert.ok(error instanceof Unreadable)
      }
      const { user } = process.cpuUsage(before)
      assert.ok(user < 200_000, `${JSON.stringify(header.slice(0, 12))}… took ${user} µs`)
    }
  })
})

const texts = fc.string({
  unit: fc.oneof(fc.constantFrom(...' +&=%"\',;~!*()/?#é😀'), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 })),
  maxLength: 8,
})
const names = texts.filter((name) => !name.startsWith('oauth_'))
const lists = fc.array(fc.tuple(names, texts), { maxLength: 5 })
const paths = fc
  .array(texts.map(encodeURIComponent), { maxLength: 3 })
  .map((segments) => `/p${segments.map((each) => `/a${each}`).join('')}`)

/** Two spellings of a list of parameters; clients use either. */
const spelled = (list: [string, string][], isPlus: boolean) =>
  isPlus ? new URLSearchParams(list).toString() : list.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')

const ORIGIN = 'https://api.example'
const app = { consumer_key: 'key & é', consumer_secret: 'secret + 100 %', oauth_token: '1-a', oauth_token_secret: 'token/secret=' }

interface Made {
  method: string
  path: string
  query: [string, string][]
  form: [string, string][]
  extra: string
  isPlus: boolean
  inHeader: boolean
}

const requests: fc.Arbitrary<Made> = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
  path: paths,
  query: lists,
  form: lists.map((list) => [...new Map(list)]),
  extra: texts,
  isPlus: fc.boolean(),
  inHeader: fc.boolean(),
})

const clients = ({ method, path, query, form, extra, isPlus }: Made): ToSign => ({
  method,
  ...app,
  form: Object.fromEntries(form),
  oauth: { oauth_callback: extra },
  url: `${ORIGIN}${path}?${spelled(query, isPlus)}`,
})

/** What is sent, with parameters of the protocol in the header or in the query. */
const sentWith = ({ method, path, query, form, isPlus, inHeader }: Made, oauth: Record<string, string>): Sent => ({
  method,
  target: `${path}?${spelled(inHeader ? query : [...query, ...Object.entries(oauth)], isPlus)}`,
  body: spelled(form, isPlus),
  ...(inHeader && { authorization: headerOf(oauth) }),
})

function isAccepted(sent: Sent) {
  const { oauth } = readSigned(request(sent))
  return signatureOf(ORIGIN, sent, app.consumer_secret, app.oauth_token_secret) === oauth.get('oauth_signature')
}

/** The same request but for one character. */
function changed(made: Made, what: 'name' | 'value' | 'method' | 'path', at: number): Made {
  if (what === 'method') return { ...made, method: made.method === 'GET' ? 'GEU' : 'GET' }
  if (what === 'path') return { ...made, path: `${made.path}x` }
  const place = at % 2 === 0 ? 'query' : 'form'
  const [name, value] = made[place][0] ?? ['', '']
  const first: [string, string] = what === 'name' ? [`${name}x`, value] : [name, `${value}x`]
  return { ...made, [place]: [first, ...made[place].slice(1)] }
}

test('any correct signature is accepted, and rejected once one character of a name, a value, the method or the path is changed', () => {
  const changes = fc.constantFrom('name', 'value', 'method', 'path') as fc.Arbitrary<'name' | 'value' | 'method' | 'path'>
  fc.assert(
    fc.property(requests, changes, fc.nat(), (made, what, at) => {
      const oauth = oauthParameters(clients(made))
      assert.equal(isAccepted(sentWith(made, oauth)), true)
      assert.equal(isAccepted(sentWith(changed(made, what, at), oauth)), false, what)
    }),
    { numRuns: cases(80, 400) },
  )
})

/** Texts whose characters of two code units stand on both sides of every place where a long text may be cut. */
const longTexts = ["*(!')".repeat(40_000), '🐚'.repeat(100_000), `x${'🐚'.repeat(100_000)}`, 'é '.repeat(100_000), 'x'.repeat(200_000)]

const formOf = (value: string): Made => ({
  method: 'POST',
  path: '/p',
  query: [],
  form: [
    ['b', value],
    ['a', 'a'],
  ],
  extra: '',
  isPlus: true,
  inHeader: true,
})

test('a correct signature of long texts is accepted, and rejected once their last character is changed', () => {
  for (const text of longTexts) {
    const oauth = oauthParameters(clients(formOf(text)))
    assert.equal(isAccepted(sentWith(formOf(text), oauth)), true, text.slice(0, 6))
    assert.equal(isAccepted(sentWith(formOf(`${text.slice(0, -2)}yz`), oauth)), false, text.slice(0, 6))
  }
})

test('others may pass after every 64 K characters that are encoded or hashed, and not at all in a short request', () => {
  const value = '*'.repeat(5 * 64 * 1024)
  const { value: line, pauses } = finish(normalize([{ name: 'a', value }]))
  assert.equal(line.length, 2 + 3 * value.length)
  assert.ok(pauses >= 5, `${pauses}`)
  const encoded = finish(encodeInPieces(line))
  assert.ok(encoded.pauses >= 15, `${encoded.pauses}`)
  assert.ok(finish(sign('key', 'POST&a&', encoded.value)).pauses >= 25)
  const many = Array.from({ length: 320 }, (_, n) => ({ name: `a${n}`, value: '*'.repeat(1024) }))
  assert.ok(finish(normalize(many)).pauses >= 5)
  const short = finish(normalize([{ name: 'a', value: '*'.repeat(4096) }]))
  assert.equal(short.pauses + finish(encodeInPieces(short.value)).pauses + finish(sign('key', 'POST&a&', short.value)).pauses, 0)
})
