import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountMember } from '../../src/access/account-member.ts'
import { adsId } from '../../src/api/declare/ads-words.ts'
import { text } from '../../src/api/declare/words.ts'
import { adsEndpoint } from '../../src/api/records/ads-endpoint.ts'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { ACCOUNT, adsCaller, adsSeed, mistakesOf } from '../stage/ads.ts'
import { listed } from '../stage/listed.ts'
import { demoApp, setStage } from '../stage/postern.ts'

/** What the members with each role may change (public practice). */
const MAY_CHANGE: Record<string, readonly string[]> = {
  ACCOUNT_ADMIN: ['account', 'campaigns', 'creatives', 'posts', 'audiences'],
  AD_MANAGER: ['campaigns', 'creatives', 'posts', 'audiences'],
  CREATIVE_MANAGER: ['creatives', 'posts'],
  PARTNER_AUDIENCE_MANAGER: ['audiences'],
  CAMPAIGN_ANALYST: [],
  ANALYST: [],
  TWEET_COMPOSER: ['posts'],
}
const KINDS = ['account', 'campaigns', 'creatives', 'posts', 'audiences'] as const
const roles = Object.keys(MAY_CHANGE)
const idOf = (role: string) => String(500 + roles.indexOf(role))
const tokenOf = (role: string) => ({ oauth_token: `${idOf(role)}-token-of-${role}`, oauth_token_secret: `secret-of-${role}` })

const seed = {
  ...adsSeed,
  apps: adsSeed.apps?.map((app) => ({ ...app, permissions: 'read_write' })),
  users: [...(adsSeed.users ?? []), ...roles.map((role) => ({ id: idOf(role), username: role.slice(0, 15), name: role }))],
  tokens: [
    ...(adsSeed.tokens ?? []),
    ...roles.map((role) => ({ consumer_key: demoApp.consumer_key, user_id: idOf(role), ...tokenOf(role) })),
  ],
  accounts: adsSeed.accounts?.map((account) => ({ ...account, members: roles.map((role) => ({ user_id: idOf(role), role })) })),
} as SeedDocument

/** An endpoint that changes something of each kind. */
const endpoints = KINDS.map((changes) =>
  listed(
    adsEndpoint({
      name: `change_${changes}`,
      route: `POST /12/accounts/:account_id/changes_of_${changes}`,
      section: '',
      summary: '',
      auth: accountMember({ changes }),
      params: { account_id: adsId() },
      data: text(),
      handle: async () => ({ data: 'changed' }),
    }),
  ),
)

test('each role of an account may change what is its own, and read everything', async () => {
  await using stage = await setStage({ seed, more: { resources: [], endpoints } })
  for (const role of roles) {
    const ads = adsCaller(stage, 'production', { ...demoApp, ...tokenOf(role) })
    assert.equal((await ads('GET', `/12/accounts/${ACCOUNT}`)).status, 200, role)
    for (const kind of KINDS) {
      const expected = MAY_CHANGE[role]!.includes(kind) ? [200] : [403, 'ACTION_NOT_ALLOWED']
      assert.deepEqual(mistakesOf(await ads('POST', `/12/accounts/${ACCOUNT}/changes_of_${kind}`)), expected, `${role} ${kind}`)
    }
  }
})
