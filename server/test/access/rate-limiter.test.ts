import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allEndpoints } from '../../scripts/all-endpoints.ts'
import { createRateLimiter, rateLimitsWith } from '../../src/access/rate-limits.ts'
import type { Caller } from '../../src/api/declare/auth.ts'
import { Problem } from '../../src/api/declare/problem.ts'
import { createClock } from '../../src/lib/clock.ts'

const MINUTE_MS = 60_000
const LIMITS = { listWebhooks: 3, obtainBearerToken: 1, adsWrites: 1, adsCoreReads: 1, adsReads: 1, adsTotals: 1 }
const endpointOf = (name: string) => allEndpoints.find((endpoint) => endpoint.name === name)!

/** Counts calls with windows in memory; tells the windows, and who was limited. */
function stageLimiter() {
  const counts = new Map<string, number>()
  const lengths = new Map<string, number>()
  const limited: string[] = []
  const clock = createClock()
  const windows = {
    async hit(key: string, windowMs: number, nowMs: number) {
      counts.set(key, (counts.get(key) ?? 0) + 1)
      lengths.set(key, windowMs)
      return { count: counts.get(key)!, resetAtMs: nowMs + windowMs }
    },
  }
  const count = createRateLimiter(rateLimitsWith(LIMITS), windows, clock, (name) => limited.push(name))
  const call = async (name: string, caller: Partial<Caller> = {}, query = '') => {
    const request = { method: 'GET', target: '/', query, pathParams: {}, headers: {}, body: null, remoteAddress: '' }
    try {
      return await count(endpointOf(name), { rateKey: 'app:1', ...caller } as Caller, request)
    } catch (error) {
      assert.ok(error instanceof Problem, String(error))
      return { refused: error.code ?? error.kind, ...error.headers } as Record<string, unknown>
    }
  }
  return { call, lengths, limited }
}

test('the last call of a limit is served, and the next is refused and reported', async () => {
  const { call, limited } = stageLimiter()
  for (const remaining of ['2', '1', '0']) {
    const headers = await call('listWebhooks')
    assert.deepEqual([headers['x-rate-limit-limit'], headers['x-rate-limit-remaining']], ['3', remaining])
  }
  assert.deepEqual(limited, [])
  const refusal = (await call('listWebhooks')) as Record<string, unknown>
  assert.deepEqual([refusal.refused, refusal['x-rate-limit-remaining'], refusal['retry-after']], ['too-many-requests', '0', '900'])
  assert.deepEqual(limited, ['listWebhooks'])
})

test('a caller is limited by themself, and an endpoint without a limit is not counted', async () => {
  const { call, lengths } = stageLimiter()
  for (let calls = 0; calls < 4; calls += 1) await call('listWebhooks')
  assert.equal((await call('listWebhooks', { rateKey: 'app:2' }))['x-rate-limit-remaining'], '2')
  assert.deepEqual(await call('listApps'), {})
  assert.deepEqual([...lengths.keys()], ['listWebhooks:app:1', 'listWebhooks:app:2'])
})

test('too many bearer tokens are refused with code 99', async () => {
  const { call } = stageLimiter()
  await call('obtainBearerToken')
  assert.equal(((await call('obtainBearerToken')) as Record<string, unknown>).refused, 99)
})

test('writes of advertising share a minute, core reads have 15 minutes for each account, totals their own', async () => {
  const { call, lengths } = stageLimiter()
  const user = { rateKey: 'user:1', accountKey: 'account:a' }
  await call('createCampaign', user)
  assert.equal(((await call('updateLineItem', user)) as Record<string, unknown>).refused, 'too-many-requests')
  const core = await call('listCampaigns', user)
  assert.deepEqual([core['x-account-rate-limit-limit'], core['x-rate-limit-limit']], ['1', '1'])
  assert.equal((await call('listAccounts', { rateKey: 'user:1' }))['x-account-rate-limit-limit'], undefined)
  await call('listLineItems', { rateKey: 'user:2', accountKey: 'account:a' })
  await call('listLineItems', { rateKey: 'user:2' }, 'with_total_count=true')
  assert.deepEqual(Object.fromEntries(lengths), {
    'adsWrites:user:1': MINUTE_MS,
    'listCampaigns:account:a': 15 * MINUTE_MS,
    'listAccounts:user:1': 15 * MINUTE_MS,
    'listLineItems:account:a': 15 * MINUTE_MS,
    'totals:listLineItems:user:2': 15 * MINUTE_MS,
  })
})
