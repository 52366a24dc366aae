import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { signature } from '../../src/lib/crypto.ts'

interface Vectors {
  signatures: { name: string; secret: string; body?: string; body_base64?: string; header: string; valid: boolean }[]
  challenges: { name: string; secret: string; crc_token: string; response_token?: string }[]
  challenge_headers: { name: string; signed?: string; header: string | null; chosen?: string }[]
}

const vectors: Vectors = JSON.parse(readFileSync(new URL('../../../docs/webhook-vectors.json', import.meta.url), 'utf8'))

for (const { name, secret, body, body_base64, header, valid } of vectors.signatures)
  test(`a delivery would ${valid ? 'carry this signature' : 'not carry this header'}: ${name}`, () => {
    const bytes = body === undefined ? Buffer.from(body_base64!, 'base64') : Buffer.from(body)
    assert.equal(signature(secret, bytes) === header, valid)
  })

for (const { name, secret, crc_token, response_token } of vectors.challenges.filter(({ response_token }) => response_token))
  test(`a challenge expects this answer: ${name}`, () => assert.equal(signature(secret, crc_token), response_token))

for (const { name, signed, header, chosen } of vectors.challenge_headers.filter(({ signed, chosen }) => signed && chosen))
  test(`a challenge would carry this header: ${name}`, () => assert.equal(header === null || signature(chosen!, signed!) === header, true))
