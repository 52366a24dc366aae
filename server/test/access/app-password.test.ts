import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appPassword } from '../../src/access/app-password.ts'
import { Problem } from '../../src/api/declare/problem.ts'
import type { RawRequest } from '../../src/api/declare/raw-request.ts'
import type { App } from '../../src/storage/apps.ts'

const NOW_MS = 1_800_000_000_000
const app = {
  id: '1',
  consumerKey: 'the key',
  consumerSecret: 'the/secret',
  secretVersion: 3,
  suspended: false,
  previousConsumerSecret: 'the former',
  previousSecretUntilMs: NOW_MS + 1000,
} as App

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

/** What an `Authorization` header comes to: the version of the secret, or the code of the refusal; and which keys were looked up. */
async function authenticate(authorization: string | undefined, more: Partial<App> = {}) {
  const asked: string[] = []
  const request = { headers: { authorization } } as unknown as RawRequest
  const services = {
    apps: {
      byConsumerKey: async (key: string) => {
        asked.push(key)
        return key === app.consumerKey ? { ...app, ...more } : undefined
      },
    },
    now: () => NOW_MS,
    originOf: () => ({ address: '192.0.2.1' }),
    reportRefused() {},
    failedAttempts: { assertOpen() {}, succeeded() {}, refusal: async (_: unknown, problem: Problem) => problem },
  }
  try {
    const caller = await appPassword.authenticate(request, services as never, { scopes: [] })
    return { version: caller.secretVersion, rateKey: caller.rateKey, asked }
  } catch (error) {
    assert.ok(error instanceof Problem, String(error))
    return { code: error.code, asked }
  }
}

test('an app is authenticated by its key and its secret, encoded or not, in whatever case the scheme is written', async () => {
  for (const text of ['the key:the/secret', 'the%20key:the%2Fsecret'])
    for (const header of [basic(text), basic(text).replace('Basic', 'bAsIc'), basic(text).replace(' ', '   ')]) {
      const { version, rateKey } = await authenticate(header)
      assert.deepEqual([version, rateKey], [3, 'app:1'], header)
    }
})

test('the previous secret counts until it ends, as the version before', async () => {
  assert.equal((await authenticate(basic('the key:the former'))).version, 2)
  assert.equal((await authenticate(basic('the key:the former'), { previousSecretUntilMs: NOW_MS })).code, 99)
  assert.equal((await authenticate(basic('the key:the former'), { previousConsumerSecret: null, previousSecretUntilMs: null })).code, 99)
})

test('everything else is refused with code 99', async () => {
  for (const text of ['the key:wrong', 'another:the/secret', 'the key:', ':the/secret'])
    assert.equal((await authenticate(basic(text))).code, 99, text)
  assert.equal((await authenticate(basic('the key:the/secret'), { suspended: true })).code, 99)
})

test('what is no name and password, or holds U+0000, is refused without a question to the database', async () => {
  for (const header of [undefined, '', 'Bearer x', basic('the key'), basic('the key\u0000:x'), basic('the key:x\u0000'), basic('a%00:x')])
    assert.deepEqual(await authenticate(header), { code: 99, asked: [] }, String(header))
  assert.deepEqual((await authenticate(basic(':secret'))).asked, [''], 'an empty name is one that no app has')
})
