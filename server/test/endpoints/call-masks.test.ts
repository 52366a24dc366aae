import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { RawAnswer, RawRequest } from '../../src/api/declare/raw-request.ts'
import { maskOf } from '../../src/development/explain/explain-refusals.ts'
import { callView } from '../../src/development/requests/call-view.ts'
import { createLedger } from '../../src/development/requests/ledger.ts'
import { cases } from '../stage/cases.ts'

/** The names under which clients of this interface send and get secrets. */
const NAMES = [
  ...['oauth_token', 'oauth_token_secret', 'oauth_verifier', 'oauth_signature', 'access_token', 'refresh_token', 'bearer_token', 'token'],
  ...['consumer_secret', 'client_secret', 'oauth2_client_secret', 'password', 'session[password]', 'code_verifier', 'code_challenge'],
  ...['authenticity_token', 'client_assertion', 'proof', 'api_key', 'consumer_key', 'key', 'tokens'],
]

/** Texts that cannot be in a record by chance. */
const secret = fc.stringMatching(/^[A-Za-z0-9+/=%&"\\ ~-]{12,40}$/).map((text) => `zq${text}qz`)
const name = fc.constantFrom(...NAMES)

/** Every text of a value; of a text that is JSON also those in it. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn)
  if (typeof value !== 'string') return []
  try {
    const inner: unknown = JSON.parse(value)
    return typeof inner === 'object' ? [value, ...textsIn(inner)] : [value]
  } catch {
    return [value]
  }
}

const viewOf = (request: Partial<RawRequest>, answer: Partial<RawAnswer>) => {
  const ledger = createLedger(
    () => 0,
    () => new Set(),
  )
  ledger.record(
    { method: 'POST', target: '/2/users', query: '', pathParams: {}, headers: {}, body: null, remoteAddress: '', ...request },
    { status: 400, headers: {}, body: '', ...answer },
    1,
  )
  return textsIn(callView(ledger.last(1)[0]!)).join('\n')
}

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'

const assertHidden = (shown: string, value: string) => {
  const spellings = [
    value,
    encodeURIComponent(value),
    new URLSearchParams({ a: value }).toString().slice(2),
    JSON.stringify(value).slice(1, -1),
  ]
  for (const one of spellings) assert.ok(!shown.includes(one), `${one} is in ${shown}`)
}

test('a secret is hidden in query, form, JSON and redirects, and wherever else the same call has it', () => {
  fc.assert(
    fc.property(name, secret, (key, value) => {
      const pair = new URLSearchParams({ [key]: value }).toString()
      const problem = JSON.stringify({ detail: `no such value: ${value}`, errors: [{ message: `$.x: ${value}` }] })
      const answered = { body: problem, headers: { 'content-type': JSON_TYPE } }
      assertHidden(viewOf({ target: `/2/users?a=b&${pair}` }, answered), value)
      assertHidden(viewOf({ headers: { 'content-type': FORM }, body: Buffer.from(`a=b&${pair}`) }, answered), value)
      const json = Buffer.from(JSON.stringify({ a: [{ [key]: value }] }))
      assertHidden(viewOf({ headers: { 'content-type': JSON_TYPE }, body: json }, answered), value)
      assertHidden(viewOf({}, { headers: { location: `https://client.test/cb?state=1&${pair}` } }), value)
      assertHidden(viewOf({}, { headers: { 'content-type': JSON_TYPE }, body: JSON.stringify({ data: { [key]: value } }) }), value)
      assertHidden(viewOf({}, { headers: { 'content-type': 'text/html;charset=utf-8' }, body: pair }), value)
    }),
    { numRuns: cases(80, 300) },
  )
})

test('a secret is hidden in JSON that is sent as a form or in a query, whole or broken', () => {
  fc.assert(
    fc.property(name, secret, (key, value) => {
      const json = JSON.stringify({ grant_type: 'a=b&c', [key]: value, text: 'hello' })
      const echo = { body: JSON.stringify({ detail: `no such value: ${value}` }), headers: { 'content-type': JSON_TYPE } }
      const sent = (body: string) => viewOf({ headers: { 'content-type': FORM }, body: Buffer.from(body) }, echo)
      for (const body of [json, json.slice(0, -10), encodeURIComponent(json), `[${json}]`, `payload=${encodeURIComponent(json)}`])
        assertHidden(sent(body), value)
      assertHidden(viewOf({ target: `/2/users?${json}` }, {}), value)
      assertHidden(viewOf({ target: `/2/users?${encodeURIComponent(json)}` }, echo), value)
    }),
    { numRuns: cases(60, 200) },
  )
})

test('JSON that is sent as a form is shown as JSON, without its secrets', () => {
  const shown = viewOf(
    { headers: { 'content-type': FORM }, body: Buffer.from('{"grant_type":"refresh_token","refresh_token":"RT-98765"}') },
    {},
  )
  assert.ok(shown.includes('{"grant_type":"refresh_token","refresh_token":"***"}'), shown)
})

test('every text below a secret name is hidden, in lists, in objects, in JSON within a text and in the query of a URL', () => {
  fc.assert(
    fc.property(name, secret, (key, value) => {
      const url = `https://callback.test/hook?a=b&${new URLSearchParams({ [key]: value })}`
      const bodies = [{ [key]: [value] }, { [key]: { value: [{ deep: value }] } }, { payload: JSON.stringify({ [key]: value }) }, { url }]
      for (const body of bodies) {
        const text = JSON.stringify(body)
        assertHidden(viewOf({ headers: { 'content-type': JSON_TYPE }, body: Buffer.from(text) }, {}), value)
        assertHidden(viewOf({}, { headers: { 'content-type': JSON_TYPE }, body: text }), value)
      }
      const form = new URLSearchParams({ url }).toString()
      assertHidden(viewOf({ headers: { 'content-type': FORM }, body: Buffer.from(form) }, {}), value)
      assertHidden(viewOf({ headers: { 'x-api-key': value.replaceAll('"', '') } }, {}), value.replaceAll('"', ''))
    }),
    { numRuns: cases(60, 200) },
  )
})

test('of a call with more than 200 secrets no body is shown', () => {
  const view = (count: number) => {
    const members = Array.from({ length: count }, (_, place) => [`token_${place}`, `value-number-${place}`])
    const body = Buffer.from(JSON.stringify(Object.fromEntries(members)))
    const answered = { body: JSON.stringify({ detail: `no value-number-${count - 1}` }), headers: { 'content-type': JSON_TYPE } }
    return viewOf({ headers: { 'content-type': JSON_TYPE }, body }, answered)
  }
  assert.ok(view(200).includes('"token_199":"***"'))
  assert.ok(view(200).includes('{"detail":"no ***"}'))
  assert.ok(!view(201).includes('token_0') && !view(201).includes('value-number') && !view(201).includes('detail'))
})

test('an explanation masks by the same names, however deep, whatever the form', () => {
  const request = { method: 'POST', target: '/2/users', query: '', pathParams: {}, headers: {}, body: null, remoteAddress: '' }
  fc.assert(
    fc.property(name, secret, (key, value) => {
      const shown = (sent: Partial<RawRequest>) => maskOf({ ...request, ...sent })(`There is no ${value}.`)
      for (const body of [
        { [key]: value },
        { [key]: [value] },
        { a: [{ [key]: { value } }] },
        { payload: JSON.stringify({ [key]: value }) },
      ])
        assert.equal(shown({ body: Buffer.from(JSON.stringify(body)) }), 'There is no ....')
      assert.equal(shown({ body: Buffer.from(new URLSearchParams({ [key]: value }).toString()) }), 'There is no ....')
      assert.equal(shown({ query: new URLSearchParams({ [key]: value }).toString() }), 'There is no ....')
    }),
    { numRuns: cases(40, 100) },
  )
})

test('credentials are hidden in headers of every scheme', () => {
  fc.assert(
    fc.property(secret, (value) => {
      const plain = value.replaceAll('"', '')
      const echo = { body: JSON.stringify({ detail: plain }), headers: { 'content-type': JSON_TYPE } }
      assertHidden(viewOf({ headers: { authorization: `Bearer ${plain}` } }, echo), plain)
      assertHidden(viewOf({ headers: { authorization: plain } }, echo), plain)
      const basic = Buffer.from(`key:${plain}`).toString('base64')
      const shown = viewOf({ headers: { authorization: `Basic ${basic}` } }, echo)
      assertHidden(shown, plain)
      assert.ok(!shown.includes(basic))
      const oauth = `OAuth oauth_consumer_key="key", oauth_token="${encodeURIComponent(plain)}"`
      assertHidden(viewOf({ headers: { authorization: oauth } }, echo), plain)
      assertHidden(viewOf({ headers: { cookie: `session=${plain}` } }, { headers: { 'set-cookie': `session=${plain}; HttpOnly` } }), plain)
    }),
    { numRuns: cases(80, 300) },
  )
})

test('what is no secret stays readable', () => {
  const shown = viewOf(
    {
      target: '/2/users?pagination_token=abcdefgh&max_results=5&text=%5Bhello%5D',
      headers: { 'content-type': JSON_TYPE },
      body: Buffer.from('{"text":"hello","n":12345678901234567890,"media_key":"3_1","url":"http://a.test/?b=c"}'),
    },
    {
      body: '{"errors":[{"code":32,"message":"Could not authenticate you."}],"meta":{"next_token":"ijklmnop"}}',
      headers: { 'content-type': JSON_TYPE },
    },
  )
  for (const part of ['text=%5Bhello%5D', '"media_key":"3_1"', 'http://a.test/?b=c'])
    assert.ok(shown.includes(part), `${part} is not in ${shown}`)
  for (const part of ['pagination_token=abcdefgh', '12345678901234567890', '"code":32', 'ijklmnop', 'Could not authenticate you.'])
    assert.ok(shown.includes(part), `${part} is not in ${shown}`)
})

test('a long header of one word is masked in a time that grows with its length alone', () => {
  const authorization = `OAuth ${'a'.repeat(400_000)}`
  const request = { method: 'GET', target: '/', query: '', pathParams: {}, headers: { authorization }, body: null, remoteAddress: '' }
  const before = process.cpuUsage()
  assert.equal(maskOf(request)(`said ${'a'.repeat(400_000)}`), 'said ...')
  const { user } = process.cpuUsage(before)
  assert.ok(user < 2_000_000, `${user} µs`)
})
