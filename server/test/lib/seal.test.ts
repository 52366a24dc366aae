import assert from 'node:assert/strict'
import { test } from 'node:test'
import { constantTimeMatcher, equalInConstantTime } from '../../src/lib/crypto.ts'
import { hashPassword, isPasswordHash } from '../../src/lib/password.ts'
import { createSeal } from '../../src/lib/seal.ts'

const [old, fresh] = ['o'.repeat(32), 'f'.repeat(32)]

test('a sealed value can be decrypted, does not contain the plain text, and differs each time', () => {
  const { seal, open } = createSeal([old])
  const [one, other] = [seal('tokens', 'a secret'), seal('tokens', 'a secret')]
  assert.equal(open('tokens', one), 'a secret')
  assert.notEqual(one, other)
  assert.ok(!Buffer.from(one, 'base64').toString('latin1').includes('a secret'))
})

test('the first secret encrypts and every secret decrypts', () => {
  const sealed = createSeal([old]).seal('tokens', 'x')
  assert.equal(createSeal([fresh, old]).open('tokens', sealed), 'x')
  assert.throws(() => createSeal([old]).open('tokens', createSeal([fresh, old]).seal('tokens', 'x')), /POSTERN_SECRET/)
})

test('a sealed value that was changed, or moved to another purpose, cannot be decrypted', () => {
  const { seal, open } = createSeal([old])
  const sealed = Buffer.from(seal('tokens', 'x'), 'base64')
  assert.throws(() => open('secrets', sealed.toString('base64')))
  sealed[sealed.length - 1]! ^= 1
  assert.throws(() => open('tokens', sealed.toString('base64')))
})

test('texts are compared whatever their lengths', () => {
  assert.ok(equalInConstantTime('same', 'same'))
  for (const other of ['', 'Same', 'same ', 'sam']) assert.ok(!equalInConstantTime('same', other))
  const matches = constantTimeMatcher('same')
  assert.ok(matches('same'))
  for (const other of ['', 'Same', 'same ', 'sam']) assert.ok(!matches(other))
})

test('a password becomes an argon2id hash in PHC format, a different one each time', async () => {
  const [one, other] = await Promise.all([hashPassword('a password'), hashPassword('a password')])
  assert.ok(isPasswordHash(one) && isPasswordHash(other) && one !== other)
  assert.ok(!isPasswordHash('a password'))
})
