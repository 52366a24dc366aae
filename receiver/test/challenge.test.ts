import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerChallenge, ChallengeError, findChallengeSecret } from '../src/index.ts'
import { OTHER_SECRET, SECRET, signed } from './stage/signed.ts'

const query = 'crc_token=0123456789abcdef&nonce=fedcba9876543210'

test('a token that is not a string is rejected', () => {
  for (const crcToken of [undefined, null, 1234567890123456, ['abcdefghijklmnop'], { toString: () => 'abcdefghijklmnop' }]) {
    assert.throws(() => answerChallenge({ crcToken, secret: SECRET }), ChallengeError)
  }
})

test('a ChallengeError has a name, a status and a message without the token', () => {
  assert.throws(
    () => answerChallenge({ crcToken: '{"secret text":1}', secret: SECRET }),
    (error: ChallengeError) =>
      error instanceof Error && error.name === 'ChallengeError' && error.status === 400 && !error.message.includes('secret text'),
  )
})

test('the secret is found from the query with and without its question mark', () => {
  for (const text of [query, `?${query}`]) {
    assert.equal(findChallengeSecret({ header: signed(query, OTHER_SECRET), query: text, secrets: [SECRET, OTHER_SECRET] }), OTHER_SECRET)
  }
})

test("where the callback URL has parameters of its own, a signature over the whole query works, and so does one over the challenge's part", () => {
  const whole = `team=7&${query}`
  for (const message of [whole, query]) {
    assert.equal(
      findChallengeSecret({ header: signed(message, OTHER_SECRET), query: whole, secrets: [SECRET, OTHER_SECRET] }),
      OTHER_SECRET,
    )
  }
})

test('an empty, repeated or malformed signature header is rejected even with a single secret', () => {
  for (const header of ['', [signed(query)], 'sha256=', {}, 0]) {
    assert.throws(() => findChallengeSecret({ header, query, secrets: [SECRET] }), ChallengeError)
  }
})

test('an empty consumer secret is a TypeError', () => {
  assert.throws(() => answerChallenge({ crcToken: '0123456789abcdef', secret: '' }), TypeError)
  assert.throws(() => findChallengeSecret({ header: undefined, query, secrets: [''] }), TypeError)
})
