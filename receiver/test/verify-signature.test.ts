import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifySignature } from '../src/index.ts'
import { OTHER_SECRET, SECRET, signed } from './stage/signed.ts'

const body = '{"data":{}}'

test('a body signed with any one of several secrets is accepted', () => {
  const secrets = [SECRET, OTHER_SECRET]
  for (const secret of secrets) assert.equal(verifySignature({ header: signed(body, secret), body, secrets }), true)
  assert.equal(verifySignature({ header: signed(body, 'a third'), body, secrets }), false)
})

test('a header that is not a string, or a list of valid ones, is false', () => {
  for (const header of [undefined, null, 7, {}, [], [signed(body)], Buffer.from(signed(body))]) {
    assert.equal(verifySignature({ header, body, secrets: [SECRET] }), false)
  }
})

test('a header of as many characters as a signature, but more bytes, is false', () => {
  assert.equal(verifySignature({ header: `sha256=${'é'.repeat(43)}=`, body, secrets: [SECRET] }), false)
})

test('a body that was parsed, or is absent, is false', () => {
  for (const parsed of [JSON.parse(body), undefined, null, 7, [...Buffer.from(body)]]) {
    assert.equal(verifySignature({ header: signed(body), body: parsed, secrets: [SECRET] }), false)
  }
})

test('bytes inside a larger buffer are verified alone', () => {
  const larger = Buffer.from(`xx${body}yy`)
  assert.equal(verifySignature({ header: signed(body), body: larger.subarray(2, -2), secrets: [SECRET] }), true)
})

test('secrets that would let anybody sign throw a TypeError', () => {
  const unusable = [[], [''], [SECRET, ''], SECRET, undefined, [undefined]] as string[][]
  for (const secrets of unusable) {
    assert.throws(() => verifySignature({ header: signed(body), body, secrets }), TypeError)
  }
})
