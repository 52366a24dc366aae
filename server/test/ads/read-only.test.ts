import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { ACCOUNT, adsCaller, adsSeed, mistakesOf } from '../stage/ads.ts'
import { call } from '../stage/call.ts'
import { authorization } from '../stage/oauth-client.ts'
import { setStage } from '../stage/postern.ts'
import { adas } from '../stage/signed-calls.ts'

const OWN = `/12/accounts/${ACCOUNT}`

const seeds: Record<string, SeedDocument> = {
  'an app': { ...adsSeed, apps: adsSeed.apps?.map((app) => ({ ...app, permissions: 'read' })) },
  'an access token': { ...adsSeed, tokens: adsSeed.tokens?.map((token) => ({ ...token, permissions: 'read' })) },
}

for (const [who, seed] of Object.entries(seeds))
  test(`${who} that may only read gets and heads what is there, and changes nothing`, async () => {
    await using stage = await setStage({ seed })
    const ads = adsCaller(stage)
    const url = stage.publicOrigins.ads_base_url + OWN
    for (const method of ['GET', 'HEAD']) {
      const headers = { authorization: authorization({ ...adas, method, url, nowMs: stage.clock.now() }) }
      assert.equal((await call(stage.origins.ads_base_url + OWN, method, { headers })).status, 200, method)
    }
    for (const [method, path, params] of [
      ['PUT', OWN, { name: 'Other' }],
      ['POST', `${OWN}/campaigns`, { name: 'x', funding_instrument_id: 'lygyi' }],
      ['DELETE', `${OWN}/campaigns/c1`, {}],
    ] as const)
      assert.deepEqual(mistakesOf(await ads(method, path, params)), [403, 'READONLY_CLIENT_APPLICATION'], method)
    assert.equal((await ads('GET', OWN)).body.data.name, 'Demo ads')
  })
