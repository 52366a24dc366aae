import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertNotRevoked } from '../../src/access/revoked-token.ts'
import { Problem } from '../../src/api/declare/problem.ts'
import type { RawRequest } from '../../src/api/declare/raw-request.ts'

const services = (more: object = {}) => ({
  apps: { byConsumerKey: async (key: string) => (key === 'known' ? { id: '1' } : undefined) },
  userTokens: {
    find: async (token: string) => (token === 'held' ? { token: { appId: '1' }, user: { disabled: false }, ...more } : undefined),
  },
  now: () => 1_800_000_000_000,
  originOf: () => ({ origins: ['http://a.example'], address: '192.0.2.1' }),
  refused: () => undefined,
  failedAttempts: { assertOpen() {}, succeeded() {}, refusal: async (_: unknown, problem: Problem) => problem },
})

/** The code with which a call with these parameters of OAuth is refused; undefined if it is left to the endpoint. */
async function refusalOf(parameters: Record<string, string> | undefined, more: object = {}): Promise<unknown> {
  const header = Object.entries(parameters ?? {}).map(([name, value]) => `${name}="${value}"`)
  const request = {
    method: 'GET',
    target: '/2/webhooks',
    query: '',
    pathParams: {},
    body: null,
    remoteAddress: '192.0.2.1',
    headers: parameters ? { authorization: `OAuth ${header.join(', ')}` } : { authorization: 'Bearer x' },
  } as RawRequest
  try {
    await assertNotRevoked(request, services(more) as never)
    return undefined
  } catch (error) {
    assert.ok(error instanceof Problem, String(error))
    return error.code
  }
}

test('a token of a user that was revoked, is of another app or of a disabled user is refused with code 89, whoever asks', async () => {
  assert.equal(await refusalOf({ oauth_consumer_key: 'known', oauth_token: 'revoked' }), 89)
  assert.equal(await refusalOf({ oauth_consumer_key: 'unknown', oauth_token: 'revoked' }), 89)
  assert.equal(await refusalOf({ oauth_consumer_key: 'known', oauth_token: 'held' }, { token: { appId: '2' } }), 89)
  assert.equal(await refusalOf({ oauth_consumer_key: 'known', oauth_token: 'held' }, { user: { disabled: true } }), 89)
})

test('a token that holds, a key without a token and a token without a key are left to the endpoint', async () => {
  for (const parameters of [
    { oauth_consumer_key: 'known', oauth_token: 'held' },
    { oauth_consumer_key: 'known' },
    { oauth_consumer_key: 'known', oauth_token: '' },
    { oauth_token: 'revoked' },
    undefined,
  ] as (Record<string, string> | undefined)[])
    assert.equal(await refusalOf(parameters), undefined, JSON.stringify(parameters))
})
