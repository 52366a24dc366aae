import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createChallenger } from '../../src/delivery/challenge/challenger.ts'
import { createSender } from '../../src/delivery/send/sender.ts'
import { createClock } from '../../src/lib/clock.ts'
import { signature } from '../../src/lib/crypto.ts'
import { type ReceivedRequest, startCallback } from '../stage/callback-servers.ts'

const SECRET = 'the-consumer-secret-of-this-app'
const PREVIOUS = 'the-consumer-secret-before-it'
const HEADER = 'x-service-webhooks-signature'

interface Asked {
  token: string
  nonce: string
  query: string
  /** The whole request target. */
  target: string
  origin: string
}

const askedIn = ({ target, headers }: ReceivedRequest): Asked => {
  const { searchParams } = new URL(target, 'http://callback')
  const token = searchParams.get('crc_token')!
  const nonce = searchParams.get('nonce')!
  return { token, nonce, query: `crc_token=${token}&nonce=${nonce}`, target, origin: `http://${headers.host}` }
}

interface ChallengeOptions {
  path?: string
  secrets?: readonly [string, ...string[]]
  hideRestricted?: boolean
  allow?: readonly string[]
}

/** Challenges a real callback that answers so; tells the result and the request it saw. */
async function challenged(answer: (response: ServerResponse, asked: Asked) => void, options: ChallengeOptions = {}) {
  const { path = '/hook', secrets = [SECRET], hideRestricted = true, allow = ['127.0.0.0/8'] } = options
  await using callback = await startCallback((request, response) => answer(response, askedIn(request)))
  const clock = createClock()
  const sender = createSender({ clock, allow, refuse: () => [] })
  const challenger = createChallenger({ sender, clock, headerName: HEADER, hideRestricted })
  const result = await challenger.challenge({ url: callback.origin + path, secrets })
  await sender.close()
  const reason = result.passed ? 'passed' : result.reason
  for (const secret of secrets) {
    assert.ok(!reason.includes(secret), 'a reason holds a secret')
    for (const request of callback.requests) {
      const digest = createHmac('sha256', secret).update(askedIn(request).token).digest()
      for (const form of ['base64', 'hex', 'base64url'] as const)
        assert.ok(!reason.includes(digest.toString(form)), 'a reason holds the token')
    }
  }
  return { result, reason, requests: callback.requests }
}

const json = (response: ServerResponse, value: unknown) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))

const tokenAnswer = (make: (asked: Asked) => unknown) => (response: ServerResponse, asked: Asked) =>
  json(response, { response_token: make(asked) })

const hmac = (message: string | Buffer, key = SECRET, algorithm = 'sha256') => createHmac(algorithm, key).update(message)

describe('a callback passes', () => {
  test('if it signs the token with the consumer secret', async () => {
    const { result } = await challenged(tokenAnswer(({ token }) => signature(SECRET, token)))
    assert.deepEqual(result, { passed: true, secret: 0 })
  })

  test('if it signs with a previous secret that is still valid', async () => {
    const { result } = await challenged(
      tokenAnswer(({ token }) => signature(PREVIOUS, token)),
      { secrets: [SECRET, PREVIOUS] },
    )
    assert.deepEqual(result, { passed: true, secret: 1 })
  })

  test('with more members, another content type and a byte order mark', async () => {
    const { result } = await challenged((response, { token }) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end(`\ufeff{"ok":true,\n "response_token": "${signature(SECRET, token)}"}`),
    )
    assert.deepEqual(result, { passed: true, secret: 0 })
  })
})

describe('a challenge', () => {
  const pass = tokenAnswer(({ token }) => signature(SECRET, token))

  test('is a GET that accepts JSON and is signed over its query with the current secret', async () => {
    const { requests } = await challenged(pass, { secrets: [SECRET, PREVIOUS] })
    const [request] = requests
    const { query } = askedIn(request!)
    assert.equal(request!.method, 'GET')
    assert.equal(request!.headers.accept, 'application/json')
    assert.equal(request!.headers[HEADER], signature(SECRET, query))
  })

  test('keeps the query of the callback byte for byte', async () => {
    for (const path of ['/hook?team=a%20b&x=%2F+1', '/hook?', '/hook?flag&', '/?crc=1']) {
      const { result, requests } = await challenged(pass, { path })
      assert.deepEqual(result, { passed: true, secret: 0 }, path)
      const { query } = askedIn(requests[0]!)
      const joint = /[?&]$/.test(path) ? '' : '&'
      assert.equal(requests[0]!.target, `${path}${joint}${query}`)
    }
  })

  test('has a new token each time, in a format that every client can handle', async () => {
    const tokens = new Set<string>()
    for (let n = 0; n < 20; n++) {
      const { token, nonce } = askedIn((await challenged(pass)).requests[0]!)
      for (const one of [token, nonce]) {
        assert.match(one, /^[A-Za-z][A-Za-z0-9_-]{15,127}$/)
        tokens.add(one)
      }
    }
    assert.equal(tokens.size, 40)
  })
})

const FAILING: readonly [name: string, answer: (response: ServerResponse, asked: Asked) => void, reason: RegExp | string][] = [
  ['204', (response) => void response.writeHead(204).end(), /answered 204 \(No Content\) to the challenge: a challenge needs a body/],
  [
    'another 2xx',
    (response) => void response.writeHead(202).end('{}'),
    /answered 202 \(Accepted\) to the challenge: it must be exactly 200$/,
  ],
  ['401', (response) => void response.writeHead(401).end(), /answered 401 \(Unauthorized\).*without asking for credentials/],
  ['404', (response) => void response.writeHead(404).end(), /answered 404 \(Not Found\).*nothing answers GET at this path/],
  ['405', (response) => void response.writeHead(405).end(), /answered 405 .*the challenge is a GET, the events are POSTs/],
  [
    '403',
    (response) => void response.writeHead(403).end(),
    'the callback answered 403 (Forbidden) to the challenge: let our requests in; a firewall or CSRF protection may stand before the callback',
  ],
  [
    '406',
    (response) => void response.writeHead(406).end(),
    /answered 406 \(Not Acceptable\) to the challenge: we accept application\/json$/,
  ],
  ['429', (response) => void response.writeHead(429).end(), /answered 429 \(.*\) to the challenge: do not limit the rate of challenges$/],
  [
    '500',
    (response) => void response.writeHead(500).end('trace'),
    /answered 500 \(Internal Server Error\) to the challenge: it must answer 200/,
  ],
  ['an unknown status', (response) => void response.writeHead(599).end(), /answered 599 to the challenge/],
  [
    'a redirect',
    (response) => void response.writeHead(301, { location: 'https://example.com/new\t' }).end(),
    /answered 301 .* a redirect to "https:\/\/example\.com\/new.*": redirects are not followed/,
  ],
  [
    'a redirect to nowhere',
    (response) => void response.writeHead(302).end(),
    /answered 302 \(Found\) to the challenge, a redirect: redirects/,
  ],
  ['too long an answer', (response) => void response.end(' '.repeat(20_000)), /^the answer is longer than 16 KB/],
  ['an empty answer', (response) => void response.end(), /^the answer is empty: answer with /],
  ['gzip', (response) => void response.end(gzipSync('{}')), /^the answer is compressed with gzip/],
  [
    'HTML',
    (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(`<html>\u0007\u202e${'x'.repeat(500)}`),
    /^the answer is not JSON: it is "text\/html" and begins with "<html>\\u0007\\u202ex{1,80}…"$/,
  ],
  ['text without a type', (response) => void response.end('pong'), 'the answer is not JSON: it has no content type and begins with "pong"'],
  ['JSON in JSON', (response) => json(response, '{"response_token":"x"}'), /JSON inside a JSON string: it was encoded twice$/],
  ['an array', (response) => json(response, []), /^the answer is JSON but not an object/],
  ['null', (response) => json(response, null), /^the answer is JSON but not an object/],
  ['an empty object', (response) => json(response, {}), 'the answer has no member response_token: it is an empty object'],
  [
    'another member',
    (response) => json(response, { responseToken: 'x', b: 1, c: 1, d: 1, e: 1, f: 1 }),
    'the answer has no member response_token: it has "responseToken", "b", "c", "d", "e" and more',
  ],
  ['a number', tokenAnswer(() => 5), 'response_token is a number, not a string'],
  ['null as the token', tokenAnswer(() => null), 'response_token is null, not a string'],
  ['an array as the token', tokenAnswer(() => ['x']), 'response_token is an array, not a string'],
  ['an object as the token', tokenAnswer(() => ({ type: 'Buffer' })), 'response_token is an object, not a string'],
  ['an empty token', tokenAnswer(() => 'sha256='), /^response_token is empty/],
  ['the token itself', tokenAnswer(({ token }) => token), /^response_token is the crc_token itself, unsigned/],
  ['no digest', tokenAnswer(() => 'sha256=?!'), /^response_token is no digest/],
  ['no prefix', tokenAnswer(({ token }) => hmac(token).digest('base64')), 'response_token lacks the prefix sha256='],
  [
    'a prefix in capitals',
    tokenAnswer(({ token }) => `SHA256=${hmac(token).digest('base64')}`),
    'response_token begins with SHA256=, not with sha256=',
  ],
  ['a line break', tokenAnswer(({ token }) => `${signature(SECRET, token)}\n`), 'response_token has white space or a line break around it'],
  ['hex', tokenAnswer(({ token }) => `sha256=${hmac(token).digest('hex')}`), 'response_token is written in hex, not in base64'],
  [
    'hex without a prefix',
    tokenAnswer(({ token }) => hmac(token).digest('hex')),
    'response_token lacks the prefix sha256=, and is written in hex, not in base64',
  ],
  [
    'base64 of hex',
    tokenAnswer(({ token }) => `sha256=${btoa(hmac(token).digest('hex'))}`),
    'response_token is the base64 of hex text, not of the raw bytes of the digest',
  ],
  [
    'unpadded base64',
    tokenAnswer(({ token }) => signature(SECRET, token).replace(/=$/, '')),
    'response_token is base64 without its padding: keep the = at the end',
  ],
  [
    'another key',
    tokenAnswer(({ token }) => signature('other', token)),
    /^response_token is signed with another key: the key is the consumer secret/,
  ],
  [
    'another key in hex',
    tokenAnswer(({ token }) => `sha256=${hmac(token, 'other').digest('hex')}`),
    /^response_token is written in hex, not in base64, and is signed with another key/,
  ],
  [
    'sha1',
    tokenAnswer(({ token }) => `sha1=${hmac(token, SECRET, 'sha1').digest('base64')}`),
    /begins with sha1=, .* and is an HMAC-SHA1: use HMAC-SHA256$/,
  ],
  [
    'sha1 of another key',
    tokenAnswer(({ token }) => `sha256=${hmac(token, 'x', 'sha1').digest('hex')}`),
    /is as long as a SHA-1: use HMAC-SHA256$/,
  ],
  ['sha512', tokenAnswer(({ token }) => `sha256=${hmac(token, SECRET, 'sha512').digest('base64')}`), /is an HMAC-SHA512: use HMAC-SHA256$/],
  ['another length', tokenAnswer(() => `sha256=${'A'.repeat(32)}`), /holds 24 bytes, not the 32 of an HMAC-SHA256$/],
  [
    'too short for a digest',
    tokenAnswer(() => 'sha256=no'),
    /^response_token is no digest: it must be sha256= and the base64 of HMAC-SHA256/,
  ],
  ['exchanged arguments', tokenAnswer(({ token }) => signature(token, SECRET)), /has key and message exchanged/],
  [
    'a plain hash',
    tokenAnswer(({ token }) => `sha256=${createHash('sha256').update(token).digest('base64')}`),
    /is a plain SHA-256 of the token/,
  ],
  [
    'a plain hash with the secret',
    tokenAnswer(
      ({ token }) =>
        `sha256=${createHash('sha256')
          .update(SECRET + token)
          .digest('base64')}`,
    ),
    /is a plain SHA-256 of secret and token/,
  ],
  [
    'a secret with a line break',
    tokenAnswer(({ token }) => signature(`${SECRET}\n`, token)),
    /with the consumer secret and a line break: trim/,
  ],
  ['an OAuth 1.0a key', tokenAnswer(({ token }) => signature(`${SECRET}&`, token)), /with the consumer secret and "&"/],
]

/** Wrong messages, each signed with the right secret. */
const WRONGLY_SIGNED: readonly [name: string, message: (asked: Asked) => string | Buffer, reason: RegExp][] = [
  ['the query of the challenge', ({ query }) => query, /the whole query string/],
  ['the whole query', ({ target }) => target.slice(target.indexOf('?') + 1), /the whole query string/],
  ['the whole query with its mark', ({ target }) => target.slice(target.indexOf('?')), /the whole query string/],
  ['name and value', ({ token }) => `crc_token=${token}`, /the name and the value/],
  ['path and query', ({ target }) => target, /the path and the query/],
  ['the URL', ({ origin, target }) => origin + target, /the whole URL/],
  ['token and nonce', ({ token, nonce }) => token + nonce, /the token and the nonce/],
  ['the nonce', ({ nonce }) => nonce, /over the nonce/],
  ['token and line break', ({ token }) => `${token}\n`, /the token and a line break/],
  ['the token in quotes', ({ token }) => `"${token}"`, /the token in quotes/],
  ['a JSON object', ({ token }) => `{"crc_token":"${token}"}`, /a JSON object/],
  ['the token from base64', ({ token }) => Buffer.from(token, 'base64url'), /decoded from base64/],
  ['the token in base64', ({ token }) => btoa(token), /encoded in base64/],
  ['the token in lower case', ({ token }) => token.toLowerCase(), /lower case/],
  ['nothing', () => '', /an empty message/],
]

describe('a callback fails with an explanation if it answers', () => {
  for (const [name, answer, expected] of FAILING) {
    test(name, async () => {
      const { reason } = await challenged(answer)
      if (typeof expected === 'string') assert.equal(reason, expected)
      else assert.match(reason, expected)
    })
  }

  for (const [name, message, expected] of WRONGLY_SIGNED) {
    test(`a signature over ${name}`, async () => {
      const sign = (key: string) => tokenAnswer((asked) => signature(key, message(asked)))
      const { reason } = await challenged(sign(SECRET), { path: '/hook?own=1' })
      assert.match(reason, /^response_token is signed over .*: sign only the value of crc_token$/)
      assert.match(reason, expected)
      const previous = await challenged(sign(PREVIOUS), { path: '/hook?own=1', secrets: [SECRET, PREVIOUS] })
      assert.match(previous.reason, expected)
    })
  }

  test('base64url, if that differs from base64', async () => {
    const answer = tokenAnswer(({ token }) => `sha256=${hmac(token).digest('base64url')}`)
    for (let n = 0; n < 20; n++)
      assert.match((await challenged(answer)).reason, /^response_token is (written in base64url|base64 without its padding)/)
  })
})

describe('a reason', () => {
  test('does not repeat a secret or the expected token that a response contains', async () => {
    const shows: ((asked: Asked) => string)[] = [
      ({ token }) => signature(SECRET, token),
      () => `debug: secret=${SECRET}`,
      ({ token }) => `expected ${hmac(token).digest('hex')}`,
      () => `Stack trace: ${'x'.repeat(40)} ${SECRET.toUpperCase()}`,
    ]
    for (const show of shows) {
      const { reason } = await challenged((response, asked) => response.end(show(asked)))
      assert.match(reason, /^the answer is not JSON: .* text that is withheld here/)
    }
    const { reason } = await challenged((response) => response.writeHead(302, { location: `/?s=${SECRET}` }).end())
    assert.match(reason, /a redirect to text that is withheld here/)
    assert.match((await challenged((response) => json(response, { [SECRET]: 1 }))).reason, /it has text that is withheld here/)
  })

  test('names each way in which nothing answers', async () => {
    const { reason, requests } = await challenged((response) => void response.destroy())
    assert.equal(requests.length, 1, 'a callback that fails is asked once')
    assert.match(reason, /^the connection was closed by 127\.0\.0\.1:\d+ before an answer came$/)
    const refused = await challenged(() => {}, { allow: [], hideRestricted: false })
    assert.equal(refused.reason, '127.0.0.1 is a loopback address; callbacks reach only public addresses')
    assert.equal(refused.requests.length, 0)
  })
})

test('a challenge ends after three seconds', async () => {
  const clock = createClock()
  await using callback = await startCallback(() => {})
  const sender = createSender({ clock, allow: ['127.0.0.0/8'], refuse: () => [] })
  const challenging = createChallenger({ sender, clock, headerName: HEADER, hideRestricted: true }).challenge({
    url: callback.origin,
    secrets: [SECRET],
  })
  await callback.received(1)
  clock.advance(3000)
  const result = await challenging
  assert.ok(!result.passed)
  assert.match(result.reason, /^timed out after 3000 ms while waiting for the answer's headers/)
  await sender.close()
})
