// Each mistake is made by a client that signs, and is named by the page that its answer leads to.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { HOUR_MS, MINUTE_MS } from '../../src/lib/time.ts'
import type { Answer } from '../stage/call.ts'
import { type CarelessCall, callCarelessly, type Ways } from '../stage/careless-client.ts'
import type { SigningCredentials } from '../stage/oauth-client.ts'
import { type Stage, setStage } from '../stage/postern.ts'
import { ada, signInSeed } from '../stage/sign-in.ts'

/** Secrets that must be encoded before they stand in a key. */
const app = { ...signInSeed.apps![0]!, consumer_key: 'key-of-careless', consumer_secret: 'se cret+of/the=careless&app' }
const other = { ...signInSeed.apps![1]!, consumer_key: 'key-of-other', consumer_secret: 'a secret of another app' }
const user = {
  consumer_key: app.consumer_key,
  consumer_secret: app.consumer_secret,
  oauth_token: '101-aTokenOfAdasThatIsLongEnoughToBeMasked01',
  oauth_token_secret: 'token secret of+ada',
}
const token = {
  consumer_key: app.consumer_key,
  user_id: ada.id,
  oauth_token: user.oauth_token,
  oauth_token_secret: user.oauth_token_secret,
}
const seed: SeedDocument = { apps: [app, other], users: [ada], tokens: [token] }

const { oauth_token: _, oauth_token_secret: __, ...appAlone } = user

const ME = '/2/users/me'
const POST = '/1.1/oauth/invalidate_token'
const FORM = { method: 'POST', path: POST, body: 'note=red+and+blue&B=2&a=1' }
const QUERY = `${ME}?note=red%20%26%20blue&B=2&a=1`

/** Whole text of a page, as a reader sees it. */
const textOf = (page: string) =>
  page
    .replace(/<\/?code>/g, '`')
    .replace(/<style>[\s\S]*?<\/style>|<[^>]*>/g, '')
    .replace(/&#39;/g, "'")
    .replace(/&#96;/g, '`')
    .replace(/&amp;/g, '&')

const heading = (page: string) => textOf(/<h1>([\s\S]*?)<\/h1>/.exec(page)?.[1] ?? '')

type Asked = Partial<Omit<CarelessCall, 'url'>> & { path?: string }
type Row = [mistake: string, says: RegExp, asked: Asked, ways: Partial<Ways>, credentials?: SigningCredentials]

const encode = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

const json = (value: unknown): Asked => ({ method: 'POST', path: POST, body: JSON.stringify(value), contentType: 'application/json' })

const written = (write: (base64: string) => string): Partial<Ways> => ({ write: (digest) => write(digest.toString('base64')) })

const rows: Row[] = [
  ['parameters unsorted', /^The parameters are unsorted/, { path: QUERY }, { sort: (pairs) => pairs }],
  [
    'unsorted, the query before the header',
    /^The parameters are unsorted/,
    { path: QUERY },
    { sort: (pairs) => pairs, pairs: (oauth, query) => [...query, ...oauth] },
  ],
  [
    'sorted by locale',
    /^The parameters were sorted by locale/,
    { path: QUERY },
    { sort: (pairs) => pairs.toSorted(([one], [other]) => one.localeCompare(other)) },
  ],
  ['encoded twice', /percent-encoded twice/, { path: QUERY }, { encode: (text) => encode(encode(text)) }],
  ['plus for spaces', /^Spaces were encoded as `\+`/, { path: QUERY }, { encode: (text) => encode(text).replaceAll('%20', '+') }],
  ['not encoded', /were not percent-encoded before/, { path: QUERY }, { encode: (text) => text }],
  [
    'characters that encodeURIComponent leaves',
    /^The characters ! ' \( \) \* were not encoded/,
    { path: `${ME}?note=wow!` },
    { encode: encodeURIComponent },
  ],
  [
    'percent-encoding in lower case',
    /written in lower case/,
    { path: `${ME}?note=a%2Fb` },
    { encode: (text) => encode(text).replace(/%../g, (code) => code.toLowerCase()) },
  ],
  [
    'a plus sign sent as it is',
    /^A plus sign was sent as `\+`/,
    { path: `${ME}?note=1+1` },
    { pairs: (oauth) => [...oauth, ['note', '1+1']] },
  ],
  [
    'https instead of http',
    /^The client signed a URL of https, but this server's public scheme is http/,
    {},
    { url: ({ host, pathname }) => `https://${host}${pathname}` },
  ],
  [
    'another host',
    /^The client signed a URL of another host: https:\/\/api\.x\.com/,
    {},
    { url: ({ pathname }) => `https://api.x.com${pathname}` },
  ],
  ...[
    'https://api.x.com',
    'http://api.x.com',
    'https://api.twitter.com',
    'http://localhost',
    'https://localhost:443',
    'https://127.0.0.1',
  ].map(
    (origin): Row => [
      `the host of ${origin}`,
      new RegExp(`^The client signed a URL of another host: ${origin.replaceAll('.', '\\.')}, and not http://127`),
      {},
      { url: ({ pathname }) => origin + pathname },
    ],
  ),
  [
    'the host without its port',
    /another host: http:\/\/127\.0\.0\.1, and/,
    {},
    { url: ({ hostname, pathname }) => `http://${hostname}${pathname}` },
  ],
  ['query not in the parameters', /^The parameters of the query were not signed/, { path: QUERY }, { pairs: (oauth) => oauth }],
  [
    'query left in the URL',
    /^The base string URL contains the query/,
    { path: QUERY },
    { url: ({ href }) => href, pairs: (oauth) => oauth },
  ],
  ['query in the URL and in the parameters', /^The base string URL contains the query/, { path: QUERY }, { url: ({ href }) => href }],
  ['form not in the parameters', /^The parameters of the form in the body were not signed/, FORM, { pairs: (oauth) => oauth }],
  [
    'members of a JSON body signed',
    /^The body was signed. Only a form is/,
    json({ a: 1, note: 'x' }),
    { pairs: (oauth) => [...oauth, ['a', '1'], ['note', 'x']] },
  ],
  ['whole JSON body signed', /^The body was signed. Only a form is/, json({ a: 1 }), { pairs: (oauth) => [...oauth, ['{"a":1}', '']] }],
  [
    'a form that does not say it is one',
    /^The body was signed. Only a form is/,
    { ...FORM, contentType: 'text/plain' },
    { pairs: (oauth) => [...oauth, ...new URLSearchParams(FORM.body)] },
  ],
  ['token secret missing', /^The token secret is missing from the key/, {}, { key: (secret) => `${encode(secret)}&` }],
  ['no & in the key', /^The `&` is missing from the key/, {}, { key: (secret, tokenSecret) => encode(secret) + encode(tokenSecret) }],
  [
    'no & in the key of an app alone',
    /^The `&` is missing from the key/,
    { method: 'POST', path: '/oauth/request_token', oauth: { oauth_callback: 'oob' } },
    { key: (secret) => encode(secret) },
    appAlone,
  ],
  [
    'secrets not encoded',
    /^The secrets in the key were not percent-encoded/,
    {},
    { key: (secret, tokenSecret) => `${secret}&${tokenSecret}` },
  ],
  [
    'secrets swapped',
    /^The secrets in the key are swapped/,
    {},
    { key: (secret, tokenSecret) => `${encode(tokenSecret)}&${encode(secret)}` },
  ],
  [
    'a line break behind a secret',
    /^A secret ends with a line break/,
    {},
    {},
    { ...user, oauth_token_secret: `${user.oauth_token_secret}\n` },
  ],
  ['the token as its secret', /^The token itself was used/, {}, {}, { ...user, oauth_token_secret: user.oauth_token }],
  [
    'method in lower case',
    /^The method was signed in lower case/,
    {},
    { base: (method, ...rest) => [method.toLowerCase(), ...rest].map(encode).join('&') },
  ],
  ...['POST', 'PUT', 'DELETE', 'PATCH', 'HEAD'].map(
    (method): Row => [
      `${method} signed and GET sent`,
      new RegExp(`^The client signed the method ${method} and sent GET`),
      {},
      { base: (_, ...rest) => [method, ...rest].map(encode).join('&') },
    ],
  ),
  [
    'GET signed and POST sent',
    /^The client signed the method GET and sent POST/,
    FORM,
    { base: (_, ...rest) => ['GET', ...rest].map(encode).join('&') },
  ],
  [
    'a trailing slash',
    /^The path that was signed is not the one that was sent: \/2\/users\/me\//,
    {},
    { url: ({ origin, pathname }) => `${origin}${pathname}/` },
  ],
  [
    'a path sent with a slash and signed without it',
    /^The path that was signed is not the one that was sent: \/2\/users\/me, and not \/2\/users\/me\//,
    { path: `${ME}/` },
    { url: ({ origin }) => origin + ME },
  ],
  [
    'a path signed with .json',
    /^The path that was signed is not the one that was sent: \/2\/users\/me\.json/,
    {},
    { url: ({ origin, pathname }) => `${origin}${pathname}.json` },
  ],
  ['HMAC-SHA256', /^The signature is HMAC-SHA256/, {}, { hash: 'sha256' }],
  ['hexadecimal', /The signature is hex/, {}, { write: (digest) => digest.toString('hex') }],
  ['hexadecimal in capitals', /The signature is hex/, {}, { write: (digest) => digest.toString('hex').toUpperCase() }],
  ['base64 of hexadecimal', /The signature is hex/, {}, { write: (digest) => btoa(digest.toString('hex')) }],
  [
    'a parameter without a value',
    /^A parameter without a value was not signed/,
    { path: `${ME}?note=&a=1` },
    { pairs: (oauth, query) => [...oauth, ...query.filter(([, value]) => value !== '')] },
  ],
  [
    'the consumer key as its secret',
    /^The consumer key was used as its secret/,
    { method: 'POST', path: '/oauth/request_token', oauth: { oauth_callback: 'oob' } },
    {},
    { ...appAlone, consumer_secret: app.consumer_key },
  ],
  [
    'a line break behind the consumer secret',
    /^A secret ends with a line break/,
    {},
    {},
    { ...user, consumer_secret: `${user.consumer_secret}\n` },
  ],
  ['no padding', /^The `=` at the end/, {}, written((base64) => base64.replace(/=+$/, ''))],
  ['signature encoded twice', /^The signature was percent-encoded twice/, {}, written(encode)],
  [
    'an empty token signed',
    /^The client signed an empty `oauth_token`/,
    { method: 'POST', path: '/oauth/request_token', oauth: { oauth_callback: 'oob' } },
    { pairs: (oauth) => [...oauth, ['oauth_token', '']] },
    appAlone,
  ],
  [
    'a parameter sent and not signed',
    /^This was sent, but was not signed: B\./,
    { path: QUERY },
    { pairs: (oauth, query) => [...oauth, ...query.filter(([name]) => name !== 'B')] },
  ],
  [
    'unsorted and without the token secret',
    /^The token secret is missing.*The parameters are unsorted/s,
    { path: QUERY },
    { sort: (pairs) => pairs, key: (secret) => `${encode(secret)}&` },
  ],
  [
    'another host and spaces as plus',
    /another host: https:\/\/api\.x\.com.*Spaces were encoded/s,
    { path: QUERY },
    { url: ({ pathname }) => `https://api.x.com${pathname}`, encode: (text) => encode(text).replaceAll('%20', '+') },
  ],
  [
    'another token secret',
    /^No known mistake.*the client's consumer secret or token secret differs/s,
    {},
    {},
    { ...user, oauth_token_secret: 'quite another' },
  ],
  [
    'another consumer secret',
    /^No known mistake.*the client's consumer secret differs/s,
    { method: 'POST', path: '/oauth/request_token', oauth: { oauth_callback: 'oob' } },
    {},
    { ...appAlone, consumer_secret: 'quite another' },
  ],
  ['unknown consumer key', /^No app has this oauth_consumer_key/, {}, {}, { ...user, consumer_key: 'nobody' }],
  ['a line break behind the consumer key', /^No app has.*It has white space/s, {}, {}, { ...user, consumer_key: `${user.consumer_key}\n` }],
  ['unknown token', /^There is no such oauth_token/, {}, {}, { ...user, oauth_token: '101-unknown' }],
  ['no access token', /^This does not look like an access token/, {}, {}, { ...user, oauth_token: 'ofAnotherShape' }],
  [
    "another app's token",
    /^The oauth_token is that of another app/,
    {},
    {},
    { ...user, consumer_key: other.consumer_key, consumer_secret: other.consumer_secret },
  ],
  ['a parameter missing', /^oauth_nonce is missing/, {}, { sent: ({ oauth_nonce: _, ...rest }) => rest }],
  ['another signature method', /^oauth_signature_method is PLAINTEXT/, { oauth: { oauth_signature_method: 'PLAINTEXT' } }, {}],
  ['another version', /^oauth_version is 2.0/, { oauth: { oauth_version: '2.0' } }, {}],
  ['a header that is none', /^The Authorization header must be/, {}, { header: () => 'OAuth oauth_consumer_key=unquoted' }],
]

suite('the explanation names the mistake', () => {
  let stage: Stage
  before(async () => {
    stage = await setStage({ seed })
  })
  after(() => stage[Symbol.asyncDispose]())

  const send = ({ path = ME, ...rest }: Asked, ways: Partial<Ways>, credentials: SigningCredentials = user) =>
    callCarelessly({ nowMs: stage.clock.now(), ...rest, url: stage.origins.base_url + path }, credentials, ways)

  const explained = async (answer: Answer) => {
    assert.ok([400, 401].includes(answer.status), `${answer.status} ${answer.text}`)
    const { status, text } = await fetch(answer.headers.get('x-postern-explain')!).then(async (page) => ({
      status: page.status,
      text: await page.text(),
    }))
    assert.equal(status, 200)
    return text
  }

  /** Its first sentence, and all behind it. */
  const said = (page: string) => `${heading(page)} ${textOf(page.split('</h1>')[1] ?? '')}`.replace(/\s+/g, ' ')

  test('a correctly signing client is never rejected for its signature', async () => {
    assert.equal((await send({}, {})).status, 200)
    assert.equal((await send({ path: QUERY }, {})).headers.get('x-postern-explain'), null)
    assert.equal((await send({ ...FORM, path: '/oauth/request_token', oauth: { oauth_callback: 'oob' } }, {}, appAlone)).status, 200)
  })

  for (const [mistake, says, asked, ways, credentials] of rows) {
    test(mistake, async () => assert.match(said(await explained(await send(asked, ways, credentials))), says))
  }

  const clocks: [offMs: number, says: RegExp][] = [
    [-12 * MINUTE_MS, /^The clock of the client is 12 minutes slow/],
    [20 * MINUTE_MS, /^The clock of the client is 20 minutes fast/],
    [2 * HOUR_MS, /^The clock of the client is 2 hours fast.*looks like a time zone/s],
    [6 * MINUTE_MS, /^The clock of the client is 6 minutes fast. oauth_timestamp must be within 5 minutes/],
    [89 * MINUTE_MS, /^The clock of the client is 89 minutes fast/],
    [14 * HOUR_MS, /^The clock of the client is 14 hours fast. That looks like a time zone/],
    [14.5 * HOUR_MS, /^The clock of the client is 1[45] hours fast. oauth_timestamp must be/],
    [-5.5 * HOUR_MS, /^The clock of the client is 6 hours slow. That looks like a time zone/],
    [-3 * 24 * HOUR_MS, /^The clock of the client is 3 days slow/],
    [-2 * 365.25 * 24 * HOUR_MS, /^The clock of the client is 2 years slow/],
  ]
  for (const [offMs, says] of clocks) {
    test(`a clock that is off by ${offMs / MINUTE_MS} minutes`, async () => {
      assert.match(said(await explained(await send({ nowMs: stage.clock.now() + offMs }, {}))), says)
    })
  }

  test('a reused nonce', async () => {
    const oauth = { oauth_nonce: randomUUID() }
    assert.equal((await send({ oauth }, {})).status, 200)
    assert.match(said(await explained(await send({ oauth }, {}))), /^The oauth_nonce was used before/)
  })

  test('a page lists at most 60 parameters, and says how many more there were', async () => {
    const pageOf = async (count: number) =>
      explained(
        await send(
          { path: `${ME}?${Array.from({ length: count }, (_, n) => `p${n}=1`).join('&')}` },
          {},
          { ...user, oauth_token_secret: 'x' },
        ),
      )
    const rowsIn = (page: string) => page.match(/<th scope="row">/g)?.length
    const most = await pageOf(53) // and seven of the protocol, the signature among them
    assert.equal(rowsIn(most), 60)
    assert.doesNotMatch(most, /And \d+ more/)
    const more = await pageOf(55)
    assert.equal(rowsIn(more), 60)
    assert.match(textOf(more), /And 2 more\./)
  })

  test('a value of more than 200 characters is cut', async () => {
    const shown = async (value: string) => explained(await send({ path: `${ME}?note=${value}` }, {}, { ...user, oauth_token_secret: 'x' }))
    const longest = 'n'.repeat(200)
    assert.match(await shown(longest), new RegExp(`<code>${longest}</code>`))
    assert.match(await shown(`${longest}n`), new RegExp(`<code>${longest}\\.\\.\\.</code>`))
  })

  test('a page shows the base string of the origin that was called, and where that of the client differs', async () => {
    const base = (path: string) => `GET&${encode(stage.origins.base_url + path)}&oauth_consumer_key`
    const unknown = textOf(await explained(await send({}, {}, { ...user, oauth_token_secret: 'x' })))
    assert.ok(unknown.includes(`The base string that the server built${base(ME)}`), unknown)
    const found = textOf(await explained(await send({}, { url: ({ origin, pathname }) => `${origin}${pathname}/` })))
    assert.ok(found.includes(`The base string that the server built${base(ME)}`), found)
    assert.ok(found.includes(`The base string that the client signed${base(`${ME}/`)}`), found)
  })

  const damages: [mistake: string, says: RegExp, damage: (base64: string) => string][] = [
    [
      'a plus sign in the signature that came as a space',
      /^The signature came with spaces in the place of `\+`/,
      (base64) => base64.replaceAll('+', ' '),
    ],
    ['a signature in the alphabet of URLs', /^The signature is base64url/, (base64) => base64.replaceAll('+', '-').replaceAll('/', '_')],
  ]
  for (const [mistake, says, damage] of damages) {
    test(mistake, async () => {
      const answers: Answer[] = []
      while (!answers.at(-1)?.headers.has('x-postern-explain')) {
        assert.ok(answers.length < 50, 'no signature of 50 was damaged')
        answers.push(await send({}, written(damage)))
      }
      assert.match(said(await explained(answers.at(-1)!)), says)
    })
  }

  test('the consumer secret from before a rotation', async () => {
    const former = 'a secret that will be rotated'
    const json = { apps: [{ ...other, id: '3', consumer_key: 'key-of-rotated', consumer_secret: former }] }
    assert.equal((await stage.operator('POST', '/operator/seed', json)).status, 200)
    const rotated = await stage.operator('PATCH', '/operator/apps/3', { rotate_secret: { overlap: '0s' } })
    assert.equal(rotated.status, 200, rotated.text)
    const asked = { method: 'POST', path: '/oauth/request_token', oauth: { oauth_callback: 'oob' } }
    const page = await explained(await send(asked, {}, { consumer_key: 'key-of-rotated', consumer_secret: former }))
    assert.match(said(page), /^This is the consumer secret from before the rotation/)
  })

  test('secrets that are words of the explanation leave it as it is', async () => {
    for (const consumer_secret of ['a', 'secret']) {
      const credentials = { consumer_key: `key-of-${consumer_secret}`, consumer_secret }
      const apps = [{ ...other, ...credentials, id: String(50 + consumer_secret.length) }]
      assert.equal((await stage.operator('POST', '/operator/seed', { apps })).status, 200)
      const asked = { method: 'POST', path: '/oauth/request_token', oauth: { oauth_callback: 'oob' } }
      const page = said(await explained(await send(asked, { hash: 'sha256' }, credentials)))
      assert.match(page, /^The signature is HMAC-SHA256\. It must be HMAC-SHA1, whatever else uses SHA-256\./)
      const unexplained = said(await explained(await send(asked, {}, { ...credentials, consumer_secret: 'another' })))
      assert.match(unexplained, /So the client's consumer secret differs from the server's/)
    }
  })

  test('a consumer secret that is valid until its overlap ends is no mistake', async () => {
    const former = 'a secret with an overlap'
    const credentials = { consumer_key: 'key-of-overlapping', consumer_secret: former }
    assert.equal((await stage.operator('POST', '/operator/seed', { apps: [{ ...other, ...credentials, id: '4' }] })).status, 200)
    assert.equal((await stage.operator('PATCH', '/operator/apps/4', { rotate_secret: { overlap: '1h' } })).status, 200)
    const asked = { method: 'POST', path: '/oauth/request_token', oauth: { oauth_callback: 'oob', oauth_nonce: randomUUID() } }
    assert.equal((await send(asked, {}, credentials)).status, 200)
    assert.match(said(await explained(await send(asked, {}, credentials))), /^The oauth_nonce was used before/)
    assert.equal((await stage.operator('PATCH', '/operator/apps/4', { suspended: true })).status, 200)
    const suspended = await send({ ...asked, oauth: { oauth_callback: 'oob' } }, {}, credentials)
    assert.match(said(await explained(suspended)), /^The app is suspended/)
  })
})
