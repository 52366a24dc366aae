import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRefreshTokens, isUserToken, newAccessToken, newCode, newGrantId } from '../../src/access/oauth2-token-format.ts'
import { createMac } from '../../src/lib/crypto.ts'

const NOW_MS = 1_700_000_000_000

const [OLD, FRESH] = ['o'.repeat(32), 'f'.repeat(32)]
const refreshTokens = createRefreshTokens(createMac([OLD]))
const newRefreshToken = refreshTokens.create

const decoded = (token: string) => Buffer.from(token, 'base64url').toString()

test('tokens and codes are the base64url of what public practice has in them', () => {
  assert.match(decoded(newAccessToken(NOW_MS)), /^[\w-]{43}:1700000000000:1:1:at:1$/)
  assert.match(decoded(newRefreshToken(newGrantId(), NOW_MS)), /^[\w-]{43}:1700000000000:1:1:rt:1$/)
  assert.match(decoded(newCode(NOW_MS)), /^[\w-]{43}:1700000000000:1:1:ac:1$/)
  assert.equal(new Set(Array.from({ length: 100 }, () => newAccessToken(NOW_MS))).size, 100)
})

test('an access token is told from every other token by its form', () => {
  assert.equal(isUserToken(newAccessToken(NOW_MS)), true)
  const others = [
    newRefreshToken(newGrantId(), NOW_MS),
    newCode(NOW_MS),
    `AAAAAAAAAAAAAAAAAAAAA${'a'.repeat(86)}`,
    '',
    'x',
    '%'.repeat(300),
  ]
  for (const token of others) assert.equal(isUserToken(token), false, token)
})

test('a refresh token names its grant, and nothing else names one', () => {
  const grantId = newGrantId()
  assert.deepEqual(refreshTokens.read(newRefreshToken(grantId, NOW_MS)), { grantId, wasIssued: true })
  for (const token of [newAccessToken(NOW_MS), newCode(NOW_MS), '', 'x'.repeat(10_000)]) assert.equal(refreshTokens.read(token), undefined)
})

test('only a token that was issued counts as one: not another text that names its grant', () => {
  const grantId = newGrantId()
  const token = newRefreshToken(grantId, NOW_MS)
  const text = decoded(token)
  const forged = [
    `${grantId}${'A'.repeat(21)}:1:1:1:rt:1`,
    `${grantId}${'A'.repeat(21)}${text.slice(43)}`,
    text.replace(':1700000000000:', ':1700000000001:'),
    `${text.slice(0, 42)}${text[42] === 'A' ? 'B' : 'A'}${text.slice(43)}`,
    `${newGrantId()}${text.slice(22)}`,
  ]
  for (const each of forged) assert.equal(refreshTokens.read(Buffer.from(each).toString('base64url'))?.wasIssued, false, each)
})

test('a token is itself only to the character: a line break, padding or quotes make another text of it', () => {
  const refresh = newRefreshToken(newGrantId(), NOW_MS)
  const access = newAccessToken(NOW_MS)
  for (const spoil of [
    (it: string) => `${it}\n`,
    (it: string) => `${it}=`,
    (it: string) => `"${it}"`,
    (it: string) => ` ${it}`,
    (it: string) => `${it}.`,
  ]) {
    assert.equal(refreshTokens.read(spoil(refresh)), undefined)
    assert.equal(isUserToken(spoil(access)), false)
  }
})

test('a token of a former secret counts while the secret is kept', () => {
  const token = newRefreshToken(newGrantId(), NOW_MS)
  assert.equal(createRefreshTokens(createMac([FRESH, OLD])).read(token)?.wasIssued, true)
  assert.equal(createRefreshTokens(createMac([FRESH])).read(token)?.wasIssued, false)
  assert.equal(refreshTokens.read(createRefreshTokens(createMac([FRESH, OLD])).create(newGrantId(), NOW_MS))?.wasIssued, false)
})
