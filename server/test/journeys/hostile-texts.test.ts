import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Answer } from '../stage/call.ts'
import { cases } from '../stage/cases.ts'
import { type Carried, credentialPlaces, encodedPlaces, jsonPlaces } from '../stage/hostile/places.ts'
import { hostileTexts } from '../stage/hostile/texts.ts'
import { demoApp, OPERATOR_TOKEN, type Stage, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'

interface Side {
  stage: Stage
  token: string
}

let sides: [sqlite: Side, postgres: Side]
before(async () => {
  const environment = { POSTERN_RATE_LIMITS: 'off', POSTERN_CALLBACK_RESOLVER: '127.0.0.1:1' }
  const open = async (flavour: 'sqlite' | 'postgres') => {
    const stage = await setStage({ flavour, environment })
    return { stage, token: await stage.token() }
  }
  sides = [await open('sqlite'), await open('postgres')]
})
after(async () => {
  for (const { stage } of sides) await stage[Symbol.asyncDispose]()
})

/** What two databases may differ in: the origin, ids and times that were made here. */
const comparable = ({ status, headers, text }: Answer, { stage, token }: Side) => [
  status,
  headers.get('content-type'),
  text
    .replaceAll(stage.origins.base_url, '<origin>')
    .replaceAll(token, '<token>')
    .replace(/"\d{18,19}"/g, '"<id>"')
    .replace(/\b\d{18,19}\b/g, '<id>')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>'),
]

/** Asks both; their answers must be the same. Answers the one of SQLite. */
async function askBoth(what: string, carriedFor: (token: string) => Carried): Promise<Answer> {
  const answers = await Promise.all(
    sides.map(({ stage, token }) => {
      const { method, path, ...options } = carriedFor(token)
      return stage.api(method, path, options)
    }),
  )
  const [one, other] = answers.map((answer, place) => comparable(answer, sides[place]!))
  assert.deepEqual(one, other, what)
  assert.ok(answers[0]!.status < 500, `${what}: ${answers[0]!.text}`)
  return answers[0]!
}

const named = (place: string, text: string) => `${place}: ${JSON.stringify(text).slice(0, 80)}`

/** Short plain words are no trouble to anybody. */
const odd = hostileTexts.filter((text) => !/^[\w-]{1,7}$/.test(text))

/** The places for one text: in turn, or all in the slow lane. */
const placesFor = <P>(at: number, places: Record<string, P>) =>
  Object.entries(places).filter((_, place) => (at + place) % cases(2, 1) === 0)

test('with any text in any place, both databases give the same bytes', async () => {
  for (const [at, text] of odd.entries()) {
    for (const [place, carry] of placesFor(at, encodedPlaces))
      await askBoth(named(place, text), (token) => carry(encodeURIComponent(text), token))
    for (const [place, carry] of placesFor(at, jsonPlaces)) await askBoth(named(place, text), (token) => carry(JSON.stringify(text), token))
    for (const [place, carry] of placesFor(at, credentialPlaces)) await askBoth(named(place, text), (token) => carry(text, token))
  }
  const all = await askBoth('the list', (token) => ({ method: 'GET', path: '/2/activity/subscriptions', token }))
  assert.ok(all.body.meta.result_count > cases(8, 20))
})

test('U+0000 and broken percent-encoding are rejected everywhere with 400', async () => {
  for (const [place, carry] of Object.entries(encodedPlaces))
    for (const broken of ['%00', 'a%00b', '%', '%zz', '%ff', '%C0%80', '%ED%A0%80', '%F4%90%80%80'])
      assert.equal((await askBoth(named(place, broken), (token) => carry(broken, token))).status, 400, named(place, broken))
})

test('U+0000, lone surrogates, control characters and other broken escapes are rejected in every JSON string with 400', async () => {
  for (const [place, carry] of Object.entries(jsonPlaces))
    for (const broken of [
      '"\\u0000"',
      '"a\\u0000"',
      '"\\ud800"',
      '"\\udc00"',
      '"\\udc00\\ud800"',
      '"\\ud83dx"',
      '"\u0001"',
      '"\\x41"',
      '"',
    ])
      assert.equal((await askBoth(named(place, broken), (token) => carry(broken, token))).status, 400, named(place, broken))
})

test('repeated members and __proto__ are rejected at any depth of any body with 400', async () => {
  const bodies = ['"a":{"b":1,"b":1}', '"a":1,"\\u0061":2', '"__proto__":{}', '"a":[{"__proto__":null}]', '"\\u005f_proto__":1']
  for (const path of ['/2/webhooks', '/2/activity/subscriptions', '/2/webhooks/replay', '/operator/events', '/operator/seed'])
    for (const broken of bodies) {
      const headers = { 'content-type': 'application/json' }
      const answer = await askBoth(`${path} ${broken}`, (bearer) => ({
        method: 'POST',
        path,
        headers,
        body: `{${broken}}`,
        token: path.startsWith('/operator') ? OPERATOR_TOKEN : bearer,
      }))
      assert.equal(answer.status, 400, `${path} ${broken}`)
      assert.match(answer.body.errors[0].message, /repeats a member name|__proto__/)
    }
})

test('a credential with U+0000 is unknown', async () => {
  for (const text of ['\u0000', 'key-one-of-the-tests\u0000', '%00'])
    for (const [place, carry] of Object.entries(credentialPlaces)) {
      const { status } = await askBoth(named(place, text), (token) => carry(text, token))
      assert.equal(status, place.includes('API') ? 403 : 401, named(place, text))
    }
  // The other half cannot be decoded.
  for (const pair of ['%00:100%', '100%:%00'])
    for (const [path, status] of [
      ['/oauth2/token', 403],
      ['/2/oauth2/token', 401],
    ] as const) {
      const headers = { authorization: `Basic ${btoa(pair)}`, 'content-type': 'application/x-www-form-urlencoded' }
      const answer = await askBoth(pair, () => ({ method: 'POST', path, headers, body: 'grant_type=client_credentials' }))
      assert.equal(answer.status, status, `${path} ${pair}`)
    }
})

test('a text is stored and delivered unchanged: beyond the BMP, in either normalisation form, in any direction', async () => {
  const texts = hostileTexts.filter(
    (text) => text.trim() !== '' && !text.includes('\u0000') && text !== '__proto__' && [...text].length <= 150,
  )
  const payloads = texts.map((text) => ({ [text]: text, deep: [{ text }] }))
  for (const { stage, token } of sides) {
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const webhook_id = await stage.register(receiver.url, token)
    for (const [place, tag] of texts.entries()) {
      const json = { event_type: 'news.new', filter: { keyword: `word${place}` }, tag, webhook_id }
      const { status, body, text } = await stage.api('POST', '/2/activity/subscriptions', { token, json })
      assert.equal(status, 200, text)
      assert.deepEqual([body.data.subscription.tag, body.data.subscription.filter.keyword], [tag, `word${place}`])
    }
    await stage.subscribe(webhook_id, token)
    await stage.publish(...payloads)
    const events = await receiver.received(payloads.length)
    const seen = (values: unknown[]) => values.map((value) => JSON.stringify(value)).sort()
    assert.deepEqual(seen(events.map(({ data }) => data?.payload)), seen(payloads))
  }
})

test('a keyword is stored unchanged, or refused as no query with the place of what is wrong', async () => {
  const texts = hostileTexts.filter((text) => text.trim() !== '' && !text.includes('\u0000') && [...text].length <= 150)
  const [stored, refused]: [string[], string[]] = [[], []]
  for (const { stage, token } of sides) {
    for (const keyword of texts) {
      const json = { event_type: 'post.create', filter: { user_id: '777', keyword } }
      const { status, body, text } = await stage.api('POST', '/2/activity/subscriptions', { token, json })
      ;(status === 200 ? stored : refused).push(keyword)
      if (status === 200) assert.equal(body.data.subscription.filter.keyword, keyword)
      else {
        assert.match(body.type, /invalid-rules$/, text)
        assert.match(body.detail, /^filter\.keyword: .+ \(at position [0-9]+\)$/)
      }
    }
  }
  for (const keyword of ['0', '🐚', 'é', 'constructor', 'a,b,,c']) assert.ok(stored.includes(keyword), keyword)
  for (const keyword of ['%', '-1', '"; drop table apps; --']) assert.ok(refused.includes(keyword), keyword)
})
