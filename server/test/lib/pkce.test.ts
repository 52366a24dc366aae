import assert from 'node:assert/strict'
import { test } from 'node:test'
import { challengeMethodOf, isChallenge, isVerifierOf } from '../../src/lib/pkce.ts'

/** RFC 7636, appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

test('the example of RFC 7636, appendix B, is accepted, and nothing else is', () => {
  assert.equal(isVerifierOf(CHALLENGE, 'S256', VERIFIER), true)
  assert.equal(isVerifierOf(VERIFIER, 'plain', VERIFIER), true)
  assert.equal(isVerifierOf(CHALLENGE, 'plain', VERIFIER), false)
  assert.equal(isVerifierOf(CHALLENGE, 'S256', CHALLENGE), false)
  for (const wrong of ['', VERIFIER.slice(1), `${VERIFIER}a`, VERIFIER.toLowerCase(), `${VERIFIER}=`])
    assert.equal(isVerifierOf(CHALLENGE, 'S256', wrong), false, wrong)
})

test('a challenge has 43 to 128 unreserved characters (RFC 7636, section 4.2)', () => {
  for (const length of [43, 128]) assert.equal(isChallenge('~'.repeat(length)), true)
  for (const text of ['a'.repeat(42), 'a'.repeat(129), `${'a'.repeat(43)}+`, `${'a'.repeat(43)}\n`]) assert.equal(isChallenge(text), false)
})

test('the method is S256 in either case, or plain', () => {
  assert.deepEqual(['S256', 's256', 'plain', 'PLAIN', 'S512', ''].map(challengeMethodOf), [
    'S256',
    'S256',
    'plain',
    undefined,
    undefined,
    undefined,
  ])
})
