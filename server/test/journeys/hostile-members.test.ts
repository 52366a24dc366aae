import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Endpoint } from '../../src/api/declare/endpoint.ts'
import { text } from '../../src/api/declare/words.ts'
import { adsPolicy } from '../../src/api/read/ads-policy.ts'
import { readOperation } from '../../src/api/read/operation.ts'
import { ACCOUNT, adsSeed } from '../stage/ads.ts'
import { cases } from '../stage/cases.ts'
import { sendJson } from '../stage/creatives.ts'
import { credentialsAt } from '../stage/hostile/credentials.ts'
import { objectMembers } from '../stage/hostile/texts.ts'
import { endpoints, type RequestParts, validRequest } from '../stage/hostile/valid-requests.ts'
import { demoApp, OPERATOR_TOKEN, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { sendSigned, signedInSeed } from '../stage/signed-calls.ts'

const REPLACED = '"<here>"'

/** JSON texts, each with one value of this one replaced: the whole, and each text and number inside. */
const broken = (json: string): string[] => [
  REPLACED,
  ...[...json.matchAll(/"[^"]*"(?!\s*:)|\b\d+\b(?=[,\]}])/g)].map(
    ({ 0: found, index }) => json.slice(0, index) + REPLACED + json.slice(index + found.length),
  ),
]

/** Objects with the members of every object, alone and in a list. */
const hostile = [...objectMembers, '[{"toString":1}]', '[{"length":1}]']

/** Those for one of several places: every other one, and in the slow lane all. */
const hostileAt = (place: number) => hostile.filter((_, at) => (at + place) % cases(2, 1) === 0)

/** They change who may call, or what the other calls are about. */
const ENDING = new Set(['reset', 'invalidateToken', 'invalidateBearerToken', 'updateApp'])

/** Bodies of an endpoint, each with one value replaced: of every member that is declared, and of what stands inside. */
function* brokenBodies(endpoint: Endpoint, { members = [] }: RequestParts): Generator<string> {
  const names = new Set([...members.map(([name]) => name), ...Object.keys(endpoint.params)])
  for (const name of [...names].filter((one) => !endpoint.pathNames.includes(one))) {
    const own = members.find(([member]) => member === name)?.[1] ?? ''
    const rest = members.filter(([member]) => member !== name).map(([member, json]) => `${JSON.stringify(member)}:${json}`)
    for (const [place, json] of broken(own).entries())
      for (const value of hostileAt(place)) yield `{${[...rest, `${JSON.stringify(name)}:${json.replace(REPLACED, () => value)}`].join()}}`
  }
}

test('no member of a JSON body makes a 5xx when it is an object with the members of every object', async () => {
  await using stage = await setStage({ environment: { POSTERN_RATE_LIMITS: 'off', POSTERN_CALLBACK_RESOLVER: '127.0.0.1:1' } })
  const { base_url } = stage.origins
  const credentials = await credentialsAt(base_url, demoApp, OPERATOR_TOKEN)
  let asked = 0
  for (const endpoint of endpoints.filter(({ place, name }) => place === 'body' && !ENDING.has(name)))
    for (const body of brokenBodies(endpoint, validRequest(endpoint, credentials))) {
      const { method, path, headers } = validRequest(endpoint, credentials)
      const sent = headers.filter(([name]) => name !== 'Host')
      const response = await fetch(base_url + path, { method, headers: sent, body })
      const says = await response.text()
      assert.ok(response.status < 500, `${method} ${path} ${body}: ${response.status} ${says}`)
      asked += 1
    }
  assert.ok(asked > 1000, `${asked} were asked`)
})

/** Bodies of the advertising host, each with a place for any value. */
const adsBodies: Record<string, (value: unknown) => unknown> = {
  [`/12/accounts/${ACCOUNT}/cards`]: (value) => ({ name: 'a', components: value }),
  [`/12/accounts/${ACCOUNT}/cards?of=component`]: (value) => ({ name: 'a', components: [value, { type: value }] }),
  [`/12/accounts/${ACCOUNT}/cards?of=member`]: (value) => ({ name: 'a', components: [{ type: 'MEDIA', media_key: value }] }),
  [`/12/accounts/${ACCOUNT}/cards?of=slide`]: (value) => ({ name: value, slides: [[value], value] }),
  [`/12/batch/accounts/${ACCOUNT}/campaigns`]: (value) => [{ operation_type: value, params: value }],
  [`/12/batch/accounts/${ACCOUNT}/campaigns?of=name`]: (value) => [
    { operation_type: 'Create', params: { name: value, funding_instrument_id: value } },
  ],
  [`/12/batch/accounts/${ACCOUNT}/line_items`]: (value) => [
    { operation_type: 'Create', params: { tweet_ids: value, post_ids: value, name: value } },
  ],
  [`/12/batch/accounts/${ACCOUNT}/targeting_criteria`]: (value) => [{ operation_type: 'Create', params: { targeting_value: value } }],
}

test('no member of a body of the advertising host makes a 5xx when it is an object with the members of every object', async () => {
  await using stage = await setStage({ seed: adsSeed, environment: { POSTERN_RATE_LIMITS: 'off' } })
  for (const [path, bodyOf] of Object.entries(adsBodies))
    for (const value of hostile) {
      const answer = await sendJson(stage, 'POST', path, bodyOf(JSON.parse(value)))
      assert.ok(answer.status >= 400 && answer.status < 500, `${path} ${value}: ${answer.status} ${answer.text}`)
    }
})

test('two spellings of a parameter in an operation are refused whatever their values are', () => {
  const word = { name: 'post_id', word: text(), isUnsettable: false }
  const declared = new Map([
    ['post_id', word],
    ['tweet_id', word],
  ])
  for (const value of hostile) {
    const { errors } = readOperation({ post_id: JSON.parse(value), tweet_id: JSON.parse(value) }, declared, adsPolicy)
    assert.deepEqual(
      errors.map(({ code, message }) => [code, message]),
      [['EXCLUSIVE_PARAMETERS', 'post_id and tweet_id are one parameter']],
    )
  }
})

test('an owner of an upload that is an object is refused by the rule of its parameter', async () => {
  await using stage = await setStage({ seed: signedInSeed })
  for (const object of objectMembers.filter((text) => !text.includes('__proto__'))) {
    const body = `{"media":"aGk=","additional_owners":[${object}]}`
    const headers = { 'content-type': 'application/json' }
    const answer = await sendSigned(stage, { method: 'POST', path: '/2/media/upload', sent: { headers, body } })
    assert.equal(answer.status, 400, answer.text)
    assert.equal(answer.body.errors[0].message, 'additional_owners: must be at most 100 ids of users')
  }
})

test('an event that names its app by an object is accepted, goes to no app, and the answer says what the member must be', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const token = await stage.token()
  const webhook_id = await stage.register(receiver.url, token)
  const json = { event_type: 'oauth.revoke', filter: { user_id: '101' }, webhook_id }
  assert.equal((await stage.api('POST', '/2/activity/subscriptions', { token, json })).status, 200)
  const event = { event_type: 'oauth.revoke', user_id: '101', payload: { app_id: { toString: 1 } } }
  const answer = await stage.operator('POST', '/operator/events', event)
  assert.equal(answer.status, 202, answer.text)
  assert.match(answer.text, /payload\.app_id names, and that is \{\\"toString\\":1\}, not 1/)
})
