import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { limitNameOf, rateLimitsOf, readRateLimits } from '../../src/access/rate-limits.ts'
import { allEndpoints } from '../../src/endpoints/index.ts'

const declared = {
  createWebhook: 450,
  listWebhooks: 450,
  validateWebhook: 450,
  deleteWebhook: 450,
  replayWebhook: 100,
  requestToken: 450,
  authorize: 900,
  decideApproval: 450,
  authenticate: 900,
  accessToken: 450,
  invalidateToken: 450,
  obtainBearerToken: 450,
  invalidateBearerToken: 450,
  usersMe: 75,
  verifyCredentials: 75,
  createSubscription: 500,
  listSubscriptions: 500,
  updateSubscription: 500,
  deleteSubscriptions: 500,
  deleteSubscription: 500,
  adsWrites: 450,
  adsCoreReads: 10_000,
  adsReads: 2000,
  adsTotals: 200,
  failedAppSecrets: 100,
  failedSignatures: 450,
  failedOperatorTokens: 100,
}

/** The declared limits, with the overrides of a file. */
async function withOverrides(overrides: object) {
  const folder = await mkdtemp(join(tmpdir(), 'postern-limits-'))
  const file = join(folder, 'limits.json')
  await writeFile(file, JSON.stringify(overrides))
  return readRateLimits(file, rateLimitsOf(allEndpoints)).finally(() => rm(folder, { recursive: true }))
}

suite('rate limits', () => {
  test('are those that the endpoints declare and those that the advertising hosts share', () => {
    assert.deepEqual(rateLimitsOf(allEndpoints), declared)
  })

  test('of an endpoint hold at its deprecated path too', () => {
    const replays = allEndpoints.filter((endpoint) => limitNameOf(endpoint) === 'replayWebhook').map(({ path }) => path)
    assert.deepEqual(replays, ['/2/webhooks/replay', '/2/account_activity/replay/webhooks/:webhook_id/subscriptions/all'])
  })

  test('in a file that is missing or not JSON name the setting and repeat nothing of the file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postern-limits-'))
    const file = join(folder, 'limits.json')
    const read = () => readRateLimits(file, rateLimitsOf(allEndpoints)).catch((error: Error) => error.message)
    try {
      assert.match(String(await read()), /^POSTERN_RATE_LIMITS must be on, off or a JSON file; .*ENOENT/)
      await writeFile(file, 'a secret by mistake')
      assert.equal(await read(), `POSTERN_RATE_LIMITS must be on, off or a JSON file; ${file} cannot be read: it is not JSON`)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test('can be overridden by name, and an unknown name is rejected', async () => {
    assert.deepEqual(await withOverrides({ listWebhooks: 3, adsReads: 0 }), { ...declared, listWebhooks: 3, adsReads: 0 })
    await assert.rejects(withOverrides({ listEverything: 3 }), /listEverything, which is not one of createWebhook, listWebhooks/)
    await assert.rejects(withOverrides({ listWebhooks: -1 }), /listWebhooks must be a whole number/)
  })

  test('count the reads of these resources per account', () => {
    const core = allEndpoints.filter((endpoint) => limitNameOf(endpoint) === 'adsCoreReads').map(({ name }) => name)
    assert.deepEqual(core, [
      'listFundingInstruments',
      'getFundingInstrument',
      'listCampaigns',
      'getCampaign',
      'listLineItems',
      'getLineItem',
      'listTargetingCriteria',
      'getTargetingCriterion',
      'listPromotedPosts',
      'getPromotedPost',
    ])
  })
})
