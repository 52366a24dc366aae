import assert from 'node:assert/strict'
import { test } from 'node:test'
import { grantIdOf, isUserToken, newAccessToken, newCode, newGrantId, newRefreshToken } from '../../src/access/oauth2-token-format.ts'

const NOW_MS = 1_700_000_000_000

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
  assert.equal(grantIdOf(newRefreshToken(grantId, NOW_MS)), grantId)
  for (const token of [newAccessToken(NOW_MS), newCode(NOW_MS), '', 'x'.repeat(10_000)]) assert.equal(grantIdOf(token), undefined)
})
