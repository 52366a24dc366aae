import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { ACCOUNT, type AdsParams, adsCaller, adsSeed, FUNDING, mistakesOf } from '../stage/ads.ts'
import { setStage } from '../stage/postern.ts'

const START = '2026-03-01T12:00:00Z'
const BARE = 'bare'

const item = (id: string, objective: string, more: object = {}) => ({
  ...{ id, campaign_id: 'c1', objective, placements: ['ALL_ON_TWITTER'], product_type: 'PROMOTED_TWEETS', start_time: START },
  ...more,
})

const items = [
  item('engage', 'ENGAGEMENTS'),
  item('reach', 'REACH'),
  item('clicks', 'WEBSITE_CLICKS'),
  item('follow', 'FOLLOWERS'),
  item('preroll', 'PREROLL_VIEWS'),
  item('install', 'APP_INSTALLS', { ios_app_store_identifier: '1' }),
  item('network', 'ENGAGEMENTS', { placements: ['PUBLISHER_NETWORK'], advertiser_domain: 'example.com', categories: ['IAB7'] }),
  item('whole', 'ENGAGEMENTS', { campaign_id: 'c3' }),
  item('draft', 'ENGAGEMENTS', { entity_status: 'DRAFT' }),
]

const account = (id: string, more: object) => ({ ...adsSeed.accounts![0]!, id, ...more })

const seed = {
  ...adsSeed,
  accounts: [
    account(ACCOUNT, {
      features: ['REACH_FREQUENCY_CAP'],
      campaigns: [
        { id: 'c1', funding_instrument_id: FUNDING, name: 'Mixed' },
        { id: 'c2', funding_instrument_id: FUNDING, name: 'Empty' },
        { id: 'c3', funding_instrument_id: FUNDING, name: 'Whole', budget_optimization: 'CAMPAIGN' },
      ],
      line_items: items,
    }),
    account(BARE, {
      funding_instruments: [{ id: 'f2', type: 'CREDIT_CARD', currency: 'USD' }],
      campaigns: [{ id: 'c4', funding_instrument_id: 'f2', name: 'Bare' }],
      line_items: [item('poor', 'ENGAGEMENTS', { campaign_id: 'c4' })],
    }),
  ],
} as object as SeedDocument

const BID = { bid_amount_local_micro: 1000 }

/** A line item, what is sent for it, and the mistakes that are named, in any order. */
const changes: [id: string, sent: AdsParams, mistakes?: string[]][] = [
  ['network', { advertiser_domain: '' }, ['MISSING_PARAMETER advertiser_domain']],
  ['network', { advertiser_domain: 'https://example.com' }, ['INVALID_PARAMETER advertiser_domain']],
  ['network', { advertiser_domain: 'other.example' }],
  ['network', { categories: '' }, ['MISSING_PARAMETER categories']],
  ['network', { categories: 'IAB2' }],
  ['engage', { categories: 'IAB7' }, ['INVALID categories']],
  ['preroll', { categories: 'IAB7,IAB2,IAB18' }, ['INVALID categories']],
  ['preroll', { categories: 'IAB7,IAB2' }],
  ['engage', { advertiser_user_id: '101' }, ['INVALID advertiser_user_id']],
  ['preroll', { advertiser_user_id: '101' }],
  ['install', { ios_app_store_identifier: '' }, ['MISSING_PARAMETER android_app_store_identifier']],
  ['install', { ios_app_store_identifier: '', android_app_store_identifier: 'a' }],
  ['engage', { bid_strategy: 'MAX' }, ['MISSING_PARAMETER bid_amount_local_micro']],
  ['engage', { bid_strategy: 'TARGET', ...BID }, ['INVALID bid_strategy']],
  ['engage', { bid_strategy: 'MAX', ...BID }],
  ['reach', { bid_strategy: 'MAX', ...BID }, ['INVALID bid_strategy']],
  ['follow', { bid_strategy: 'MAX', ...BID }, ['INVALID bid_strategy']],
  ['follow', { bid_strategy: 'TARGET', ...BID }, ['INVALID bid_strategy']],
  ['reach', { bid_strategy: 'TARGET', ...BID }],
  ['clicks', { bid_strategy: 'TARGET', pay_by: 'IMPRESSION', ...BID }, ['INVALID pay_by']],
  ['clicks', { pay_by: 'LINK_CLICK' }, ['INVALID pay_by']],
  ['clicks', { pay_by: 'IMPRESSION' }],
  ['clicks', { bid_strategy: 'TARGET', ...BID }],
  ['install', { pay_by: 'APP_CLICK' }],
  ['install', { pay_by: 'FOLLOW' }, ['INVALID_PARAMETER pay_by']],
  ['engage', { goal: 'SITE_VISITS' }, ['INVALID_PARAMETER goal']],
  ['engage', { duration_in_days: 2 }, ['INVALID_PARAMETER duration_in_days']],
  ['engage', { duration_in_days: 7, frequency_cap: 3 }],
  ['clicks', { frequency_cap: 3 }, ['INVALID frequency_cap']],
  ['engage', { entity_status: 'DRAFT' }, ['INVALID_PARAMETER entity_status']],
  ['draft', { entity_status: 'DRAFT' }],
  ['engage', { end_time: START }, ['INVALID_TIME_WINDOW end_time']],
  ['engage', { end_time: '2026-03-02' }],
  ['engage', { daily_budget_amount_local_micro: 2, total_budget_amount_local_micro: 1 }, ['INVALID daily_budget_amount_local_micro']],
  ['engage', { daily_budget_amount_local_micro: 1, total_budget_amount_local_micro: 1, standard_delivery: false }],
  ['whole', { daily_budget_amount_local_micro: 1 }, ['INVALID daily_budget_amount_local_micro']],
  ['whole', { standard_delivery: false }, ['INVALID standard_delivery']],
  ['whole', { standard_delivery: true }],
  ['reach', { end_time: START, bid_strategy: 'MAX' }, ['INVALID bid_strategy', 'INVALID_TIME_WINDOW end_time']],
]

const creation = { campaign_id: 'c2', objective: 'FOLLOWERS', placements: 'TWITTER_TIMELINE', product_type: 'MEDIA', start_time: START }

const creations: [sent: AdsParams, mistakes?: string[]][] = [
  [{ placements: 'TWITTER_PROFILE' }, ['INVALID_PLACEMENT_TYPE placements']],
  [{ objective: 'REACH', placements: 'TWITTER_SEARCH' }, ['INVALID_PLACEMENT_TYPE placements']],
  [{ placements: 'PUBLISHER_NETWORK' }, ['MISSING_PARAMETER advertiser_domain', 'MISSING_PARAMETER categories']],
  [{ objective: 'APP_INSTALLS' }, ['MISSING_PARAMETER android_app_store_identifier']],
  [{ bid_strategy: 'TARGET', goal: 'SITE_VISITS', entity_status: 'DRAFT', ...BID }],
  [{ objective: 'REACH' }, ['INVALID objective']],
  [{ product_type: 'PROMOTED_TWEETS' }, ['INVALID product_type']],
]

test('each rule of line items refuses what breaks it, all at once, and nothing else', async () => {
  await using stage = await setStage({ seed })
  const ads = adsCaller(stage)
  const expect = async (method: string, path: string, sent: AdsParams, mistakes: string[] | undefined) => {
    const [status, ...named] = mistakesOf(await ads(method, path, sent))
    assert.deepEqual([status, ...named.sort()], mistakes ? [400, ...mistakes] : [200], `${path} ${JSON.stringify(sent)}`)
  }
  for (const [id, sent, mistakes] of changes) await expect('PUT', `/12/accounts/${ACCOUNT}/line_items/${id}`, sent, mistakes)
  for (const [sent, mistakes] of creations) await expect('POST', `/12/accounts/${ACCOUNT}/line_items`, { ...creation, ...sent }, mistakes)
  const withoutFeature = ['FEATURE_NOT_AVAILABLE duration_in_days', 'FEATURE_NOT_AVAILABLE frequency_cap']
  await expect('PUT', `/12/accounts/${BARE}/line_items/poor`, { duration_in_days: 7, frequency_cap: 1 }, withoutFeature)
  const unknown = await ads('PUT', `/12/accounts/${ACCOUNT}/line_items/preroll`, { categories: 'IAB99' })
  assert.deepEqual(mistakesOf(unknown), [404, 'INVALID_IAB_CATEGORY categories'])
})

test('a category is stored whole, a bid of AUTO is passed over, and pay_by follows TARGET', async () => {
  await using stage = await setStage({ seed })
  const ads = adsCaller(stage)
  const put = (id: string, sent: AdsParams) => ads('PUT', `/12/accounts/${ACCOUNT}/line_items/${id}`, sent)
  const { body } = await put('preroll', { categories: 'IAB3' })
  assert.deepEqual([body.request.params.categories, body.data.categories], [['IAB3'], ['IAB3', 'IAB13', 'IAB21']])
  assert.equal((await put('engage', BID)).body.data.bid_amount_local_micro, null)
  assert.equal((await put('clicks', { bid_strategy: 'TARGET', ...BID })).body.data.pay_by, 'LINK_CLICK')
})

test('an app without early access to advertiser_user_id may not set it', async () => {
  const apps = seed.apps?.map((app) => ({ ...app, early_access: [] }))
  await using stage = await setStage({ seed: { ...seed, apps } as SeedDocument })
  const answer = await adsCaller(stage)('PUT', `/12/accounts/${ACCOUNT}/line_items/preroll`, { advertiser_user_id: '101' })
  assert.deepEqual(mistakesOf(answer), [400, 'INVALID_PARAMETER advertiser_user_id'])
})
