import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerChallenge, ChallengeRefused, chooseSecret } from '../src/index.ts'
import { OTHER_SECRET, SECRET, signed } from './stage/signed.ts'

const query = 'crc_token=0123456789abcdef&nonce=fedcba9876543210'

test('a token that is no text is refused', () => {
  for (const crcToken of [undefined, null, 1234567890123456, ['abcdefghijklmnop'], { toString: () => 'abcdefghijklmnop' }]) {
    assert.throws(() => answerChallenge({ crcToken, secret: SECRET }), ChallengeRefused)
  }
})

test('a refusal is an error with a name, a status and a sentence that repeats nothing of the token', () => {
  assert.throws(
    () => answerChallenge({ crcToken: '{"secret text":1}', secret: SECRET }),
    (error: ChallengeRefused) =>
      error instanceof Error && error.name === 'ChallengeRefused' && error.status === 400 && !error.message.includes('secret text'),
  )
})

test('the query of a challenge chooses its secret with and without its question mark', () => {
  for (const text of [query, `?${query}`]) {
    assert.equal(chooseSecret({ header: signed(query, OTHER_SECRET), query: text, secrets: [SECRET, OTHER_SECRET] }), OTHER_SECRET)
  }
})

test("where the callback URL has parameters of its own, a signature over the whole query chooses as well as one over the challenge's part", () => {
  const whole = `team=7&${query}`
  for (const message of [whole, query]) {
    assert.equal(chooseSecret({ header: signed(message, OTHER_SECRET), query: whole, secrets: [SECRET, OTHER_SECRET] }), OTHER_SECRET)
  }
})

test('a signature header that is empty, a list or malformed is refused even with a single secret', () => {
  for (const header of ['', [signed(query)], 'sha256=', {}, 0]) {
    assert.throws(() => chooseSecret({ header, query, secrets: [SECRET] }), ChallengeRefused)
  }
})

test('an empty consumer secret is a TypeError', () => {
  assert.throws(() => answerChallenge({ crcToken: '0123456789abcdef', secret: '' }), TypeError)
  assert.throws(() => chooseSecret({ header: undefined, query, secrets: [''] }), TypeError)
})
