import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { answerChallenge, ChallengeError, findChallengeSecret, verifySignature } from '../src/index.ts'

interface Vectors {
  signatures: { name: string; secret: string; body?: string; body_base64?: string; header: string; valid: boolean }[]
  challenges: { name: string; secret: string; crc_token: string; response_token?: string }[]
  challenge_headers: { name: string; query: string; secrets: string[]; header: string | null; chosen?: string }[]
}

const vectors: Vectors = JSON.parse(readFileSync(new URL('../../docs/webhook-vectors.json', import.meta.url), 'utf8'))

for (const { name, secret, body, body_base64, header, valid } of vectors.signatures) {
  test(`a signature is ${valid ? 'accepted' : 'rejected'}: ${name}`, () => {
    const bytes = body === undefined ? Buffer.from(body_base64!, 'base64') : Buffer.from(body)
    assert.equal(verifySignature({ header, body: bytes, secrets: [secret] }), valid)
    assert.equal(verifySignature({ header, body: new Uint8Array(bytes), secrets: [secret] }), valid)
    if (body !== undefined) assert.equal(verifySignature({ header, body, secrets: [secret] }), valid)
  })
}

for (const { name, secret, crc_token, response_token } of vectors.challenges) {
  test(`a challenge token is ${response_token ? 'answered' : 'rejected'}: ${name}`, () => {
    const answer = () => answerChallenge({ crcToken: crc_token, secret })
    if (response_token) assert.deepEqual(answer(), { response_token })
    else assert.throws(answer, ChallengeError)
  })
}

for (const { name, query, secrets, header, chosen } of vectors.challenge_headers) {
  test(`the header of a challenge selects ${chosen ? 'a secret' : 'none'}: ${name}`, () => {
    const find = () => findChallengeSecret({ header, query, secrets })
    if (chosen) assert.equal(find(), chosen)
    else assert.throws(find, ChallengeError)
  })
}
