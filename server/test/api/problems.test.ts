import assert from 'node:assert/strict'
import { test } from 'node:test'
import { areaOf } from '../../src/api/areas.ts'
import { codes } from '../../src/api/declare/codes.ts'
import { coded, Problem, type ProblemName, problemKinds, webhookReasons } from '../../src/api/declare/problem.ts'

const problemOptions = { problemBaseUrl: 'https://api.example.com/2/problems' }

/** The suffixes of §7, in its order. */
const suffixes = [
  'client-disconnected',
  'client-forbidden',
  'conflict',
  'disallowed-resource',
  'duplicate-rules',
  'invalid-request',
  'invalid-rules',
  'noncompliant-rules',
  'not-authorized-for-field',
  'not-authorized-for-resource',
  'operational-disconnect',
  'resource-not-found',
  'resource-unavailable',
  'rule-cap',
  'streaming-connection',
  'unsupported-authentication',
  'usage-capped',
]

test('the catalogue has the seventeen problem types of the specification, that of apps without permission, and the generic one', () => {
  const kinds = Object.values(problemKinds)
  assert.deepEqual([...new Set(kinds.flatMap(({ suffix }) => suffix ?? []))], [...suffixes, 'oauth1-permissions'])
  // Waiting helps against too many connections, and not where there is nothing to connect to.
  const statuses = kinds.filter(({ suffix }) => suffix === 'streaming-connection').map(({ status }) => status)
  assert.deepEqual(statuses, [429, 409])
  assert.deepEqual(
    [...webhookReasons],
    ['CrcValidationFailed', 'UrlValidationFailed', 'DuplicateUrlFailed', 'WebhookLimitExceeded', 'WebhookIdInvalid'],
  )
})

test('a problem is problem+json with its type, title, detail and status', () => {
  for (const [name, { suffix, status, title }] of Object.entries(problemKinds)) {
    const answer = areaOf('/2/webhooks').refuse(new Problem(name as ProblemName, { detail: 'why' }), problemOptions)
    assert.equal(answer.headers['content-type'], 'application/problem+json')
    const type = suffix === null ? 'about:blank' : `https://api.example.com/2/problems/${suffix}`
    assert.deepEqual(JSON.parse(String(answer.body)), { type, title, detail: 'why', status })
    assert.equal(answer.status, status)
  }
})

test('sign-in and /1.1/ report the same problems with numeric codes', () => {
  for (const name of Object.keys(problemKinds) as ProblemName[]) {
    const answer = areaOf('/1.1/account/verify_credentials.json').refuse(new Problem(name), problemOptions)
    const { errors } = JSON.parse(String(answer.body))
    assert.equal(errors[0].code, problemKinds[name].code)
    assert.ok(errors[0].message.length > 0)
  }
})

test('a numeric code has the same meaning on every host', () => {
  const answer = areaOf('/2/webhooks').refuse(coded(89), problemOptions)
  assert.deepEqual([answer.status, JSON.parse(String(answer.body))], [401, { errors: [{ code: 89, message: codes[89].message }] }])
})
