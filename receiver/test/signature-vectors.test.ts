import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import * as fetchOnly from '../src/fetch.ts'
import * as node from '../src/index.ts'

interface Vectors {
  signatures: { name: string; secret: string; body?: string; body_base64?: string; header: string; valid: boolean }[]
  challenges: { name: string; secret: string; crc_token: string; response_token?: string }[]
  challenge_headers: { name: string; query: string; secrets: string[]; header: string | null; chosen?: string }[]
}

const vectors: Vectors = JSON.parse(readFileSync(new URL('../../docs/webhook-vectors.json', import.meta.url), 'utf8'))

/** Both entries of the package: Node's crypto answers at once, WebCrypto with a promise. */
for (const [entry, functions] of Object.entries({ node, fetch: fetchOnly })) {
  const { answerChallenge, ChallengeError, findChallengeSecret, verifySignature } = functions

  for (const { name, secret, body, body_base64, header, valid } of vectors.signatures) {
    test(`${entry}: a signature is ${valid ? 'accepted' : 'rejected'}: ${name}`, async () => {
      const bytes = body === undefined ? Buffer.from(body_base64!, 'base64') : Buffer.from(body)
      assert.equal(await verifySignature({ header, body: bytes, secrets: [secret] }), valid)
      assert.equal(await verifySignature({ header, body: new Uint8Array(bytes), secrets: [secret] }), valid)
      if (body !== undefined) assert.equal(await verifySignature({ header, body, secrets: [secret] }), valid)
    })
  }

  for (const { name, secret, crc_token, response_token } of vectors.challenges) {
    test(`${entry}: a challenge token is ${response_token ? 'answered' : 'rejected'}: ${name}`, async () => {
      const answer = async () => answerChallenge({ crcToken: crc_token, secret })
      if (response_token) assert.deepEqual(await answer(), { response_token })
      else await assert.rejects(answer, ChallengeError)
    })
  }

  for (const { name, query, secrets, header, chosen } of vectors.challenge_headers) {
    test(`${entry}: the header of a challenge selects ${chosen ? 'a secret' : 'none'}: ${name}`, async () => {
      const find = async () => findChallengeSecret({ header, query, secrets })
      if (chosen) assert.equal(await find(), chosen)
      else await assert.rejects(find, ChallengeError)
    })
  }
}
