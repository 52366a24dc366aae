import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { type Pair, setPair } from '../stage/pair.ts'
import { demoApp, type Stage } from '../stage/postern.ts'

const ROUNDS = 5

const invalidate = async (stage: Stage, token: string): Promise<number> => {
  const authorization = `Basic ${Buffer.from(`${demoApp.consumer_key}:${demoApp.consumer_secret}`).toString('base64')}`
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
  return (await stage.api('POST', '/oauth2/invalidate_token', { headers, body: `access_token=${token}` })).status
}

/** What each server says to a token. */
const statuses = ({ one, other }: Pair, token: string) =>
  Promise.all([one, other].map(async (stage) => (await stage.api('GET', '/2/webhooks', { token })).status))

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: concurrent token requests get the same token`, async () => {
    await using pair = await setPair({ flavour })
    for (let round = 0; round < ROUNDS; round += 1) {
      const tokens = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? pair.one : pair.other).token()))
      const [token = '', ...others] = new Set(tokens)
      assert.deepEqual(others, [])
      assert.equal(await invalidate(pair.other, token), 200)
    }
  })

  test(`${flavour}: concurrently with an invalidation only the old token and one new one are returned, and one is valid`, async () => {
    await using pair = await setPair({ flavour })
    const { one, other } = pair
    for (let round = 0; round < ROUNDS; round += 1) {
      const old = await one.token()
      const [told, tokens] = await Promise.all([
        Promise.all([invalidate(one, old), invalidate(other, old), invalidate(one, old)]),
        Promise.all(Array.from({ length: 8 }, (_, n) => (n % 2 ? one : other).token())),
      ])
      assert.deepEqual(told.sort(), [200, 403, 403])
      const fresh = await other.token()
      assert.notEqual(fresh, old)
      assert.ok(tokens.every((token) => token === old || token === fresh))
      assert.deepEqual(await statuses(pair, old), [401, 401])
      assert.deepEqual(await statuses(pair, fresh), [200, 200])
    }
  })

  test(`${flavour}: an invalidated token is rejected everywhere once the response has been sent`, async () => {
    await using pair = await setPair({ flavour })
    for (let round = 0; round < ROUNDS; round += 1) {
      const token = await pair.one.token()
      assert.deepEqual(await statuses(pair, token), [200, 200])
      assert.equal(await invalidate(round % 2 ? pair.one : pair.other, token), 200)
      assert.deepEqual(await statuses(pair, token), [401, 401])
    }
  })
}
