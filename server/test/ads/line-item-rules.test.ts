import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { ACCOUNT, type AdsCall, type AdsParams, adsCaller, adsSeed, dataOf, FUNDING, mistakesOf } from '../stage/ads.ts'
import { setStage } from '../stage/postern.ts'

const START = '2026-03-01T12:00:00Z'
const END = '2026-03-05T12:00:00Z'
const BARE = 'bare'
const LINE_ITEMS = `/12/accounts/${ACCOUNT}/line_items`
const NETWORK = { placements: ['PUBLISHER_NETWORK'], advertiser_domain: 'example.com', categories: ['IAB7'] }
const BID = { bid_amount_local_micro: 1000 }

/** Line items as they stand before they are changed. */
const existing = {
  engage: { objective: 'ENGAGEMENTS' },
  reach: { objective: 'REACH' },
  clicks: { objective: 'WEBSITE_CLICKS' },
  follow: { objective: 'FOLLOWERS' },
  video: { objective: 'VIDEO_VIEWS' },
  preroll: { objective: 'PREROLL_VIEWS' },
  install: { objective: 'APP_INSTALLS', ios_app_store_identifier: '1' },
  reopen: { objective: 'APP_ENGAGEMENTS', android_app_store_identifier: 'a' },
  network: { objective: 'ENGAGEMENTS', ...NETWORK },
  undomained: { objective: 'ENGAGEMENTS', ...NETWORK, advertiser_domain: null },
  presented: { objective: 'PREROLL_VIEWS', advertiser_user_id: '101' },
  maximal: { objective: 'ENGAGEMENTS', bid_strategy: 'MAX', ...BID },
  targeted: { objective: 'FOLLOWERS', bid_strategy: 'TARGET', ...BID },
  linked: { objective: 'WEBSITE_CLICKS', bid_strategy: 'TARGET', ...BID },
  paying: { objective: 'WEBSITE_CLICKS', pay_by: 'LINK_CLICK' },
  converting: { objective: 'WEBSITE_CLICKS', goal: 'WEBSITE_CONVERSIONS', bid_strategy: 'TARGET', pay_by: 'IMPRESSION', ...BID },
  visits: { objective: 'WEBSITE_CLICKS', goal: 'SITE_VISITS' },
  draft: { objective: 'ENGAGEMENTS', entity_status: 'DRAFT' },
  partly: { objective: 'PREROLL_VIEWS', categories: ['IAB9-1'] },
  unstarted: { objective: 'ENGAGEMENTS', start_time: null },
  capped: { objective: 'WEBSITE_CLICKS', frequency_cap: 3, duration_in_days: 30 },
  ending: { objective: 'ENGAGEMENTS', end_time: END },
  budgeted: { objective: 'ENGAGEMENTS', daily_budget_amount_local_micro: 5, total_budget_amount_local_micro: 9 },
  whole: { objective: 'ENGAGEMENTS', campaign_id: 'c3', daily_budget_amount_local_micro: 5 },
}

/** How a line item stands, what is sent for it, and the mistakes that are named, in any order. */
type Change = [before: keyof typeof existing, sent: AdsParams, mistakes?: string[]]

const goals = [
  ...['APP_CLICKS', 'APP_INSTALLS', 'APP_PURCHASES', 'ENGAGEMENT', 'FOLLOWERS', 'LINK_CLICKS', 'MAX_REACH', 'PREROLL', 'PREROLL_STARTS'],
  ...['REACH_WITH_ENGAGEMENT', 'VIDEO_VIEW', 'VIEW_3S_100PCT', 'VIEW_6S', 'VIEW_15S', 'WEBSITE_CONVERSIONS'],
]

/** The table of §4.8, in its order. */
const changes: Change[] = [
  ['network', { advertiser_domain: '' }, ['MISSING_PARAMETER advertiser_domain']],
  ['network', { advertiser_domain: 'https://example.com' }, ['INVALID_PARAMETER advertiser_domain']],
  ['network', { advertiser_domain: 'other.example' }],
  ['engage', { advertiser_domain: 'example.com' }],
  ['undomained', { name: 'The domain stays away' }],

  ['engage', { advertiser_user_id: '101' }, ['INVALID advertiser_user_id']],
  ['preroll', { advertiser_user_id: '101' }],
  ['engage', { advertiser_user_id: '' }],

  ['install', { ios_app_store_identifier: '' }, ['MISSING_PARAMETER android_app_store_identifier']],
  ['install', { ios_app_store_identifier: '', android_app_store_identifier: 'a' }],
  ['reopen', { android_app_store_identifier: '' }, ['MISSING_PARAMETER android_app_store_identifier']],
  ['reopen', { android_app_store_identifier: '', ios_app_store_identifier: '1' }],
  ['engage', { ios_app_store_identifier: '', android_app_store_identifier: '' }],

  ['engage', { audience_expansion: 'NARROW' }, ['INVALID_PARAMETER audience_expansion']],
  ...['BROAD', 'DEFINED', 'EXPANDED', ''].map((audience_expansion): Change => ['engage', { audience_expansion }]),

  ['maximal', { bid_amount_local_micro: 0 }, ['INVALID_PARAMETER bid_amount_local_micro']],
  ['maximal', { bid_amount_local_micro: -1 }, ['INVALID_PARAMETER bid_amount_local_micro']],
  // Ignored for `AUTO`, which it has.
  ['engage', { bid_amount_local_micro: 0 }],
  ['maximal', { bid_amount_local_micro: '' }, ['MISSING_PARAMETER bid_amount_local_micro']],
  ['maximal', { bid_amount_local_micro: 1 }],
  ['engage', BID],
  ['engage', { bid_strategy: 'MAX' }, ['MISSING_PARAMETER bid_amount_local_micro']],
  ['reach', { bid_strategy: 'TARGET' }, ['MISSING_PARAMETER bid_amount_local_micro']],

  ['engage', { bid_strategy: 'MAX', ...BID }],
  ['reach', { bid_strategy: 'MAX', ...BID }, ['INVALID bid_strategy']],
  ['follow', { bid_strategy: 'MAX', ...BID }, ['INVALID bid_strategy']],
  ['reach', { bid_strategy: 'TARGET', ...BID }],
  ['clicks', { bid_strategy: 'TARGET', ...BID }],
  ['engage', { bid_strategy: 'TARGET', ...BID }, ['INVALID bid_strategy']],
  ['follow', { bid_strategy: 'TARGET', ...BID }, ['INVALID bid_strategy']],
  ['targeted', { bid_strategy: 'TARGET', bid_amount_local_micro: 2000 }],
  ['targeted', { bid_strategy: 'AUTO' }],

  ['network', { categories: '' }, ['MISSING_PARAMETER categories']],
  ['network', { categories: 'IAB2' }],
  ['network', { categories: 'IAB1,IAB24' }],
  ['partly', { categories: 'IAB9-1' }],
  ['engage', { categories: 'IAB7' }, ['INVALID categories']],
  ['engage', { categories: '' }],
  ['preroll', { categories: 'IAB7,IAB2,IAB18' }, ['INVALID categories']],
  ['preroll', { categories: 'IAB7,IAB2' }],
  ['preroll', { categories: '' }],

  ['engage', { duration_in_days: 2 }, ['INVALID_PARAMETER duration_in_days']],
  ['engage', { duration_in_days: 31 }, ['INVALID_PARAMETER duration_in_days']],
  ...[1, 7, 30].map((duration_in_days): Change => ['engage', { duration_in_days }]),
  ['capped', { duration_in_days: '' }],

  ['engage', { entity_status: 'DRAFT' }, ['INVALID_PARAMETER entity_status']],
  ['engage', { entity_status: 'PAUSED' }],
  ['draft', { entity_status: 'ACTIVE' }],
  ['draft', { entity_status: 'DRAFT' }],

  ['engage', { end_time: START }, ['INVALID_TIME_WINDOW end_time']],
  ['engage', { end_time: '2026-03-02' }],
  ['ending', { start_time: END }, ['INVALID_TIME_WINDOW end_time']],
  ['ending', { start_time: '2026-03-05' }],
  ['ending', { start_time: END, end_time: '' }],
  ['ending', { start_time: '' }, ['INVALID_PARAMETER start_time']],
  ['unstarted', { start_time: '' }],

  ...(['engage', 'reach', 'video', 'preroll'] as const).map((before): Change => [before, { frequency_cap: 3 }]),
  ...(['clicks', 'follow', 'install', 'reopen'] as const).map(
    (before): Change => [before, { frequency_cap: 3 }, ['INVALID frequency_cap']],
  ),
  ...[1, 1001, 2_147_483_648].map((frequency_cap): Change => ['reach', { frequency_cap }]),
  ...[0, -1, '1.5'].map((frequency_cap): Change => ['reach', { frequency_cap }, ['INVALID_PARAMETER frequency_cap']]),
  ['capped', { frequency_cap: 3 }],
  ['capped', { frequency_cap: '' }],

  ...goals.map((goal): Change => ['clicks', { goal }]),
  ['engage', { goal: 'SITE_VISITS' }, ['INVALID_PARAMETER goal']],
  ['engage', { goal: 'FAME' }, ['INVALID_PARAMETER goal']],
  ['visits', { goal: 'SITE_VISITS' }],

  ['engage', { name: 'n'.repeat(256) }, ['INVALID_PARAMETER name']],
  ['engage', { name: 'n'.repeat(255) }],

  ...['APP_CLICK', 'IMPRESSION', 'LINK_CLICK'].map((pay_by): Change => ['install', { pay_by }]),
  ['install', { pay_by: 'FOLLOW' }, ['INVALID_PARAMETER pay_by']],
  ['engage', { pay_by: 'FOLLOW' }, ['INVALID_PARAMETER pay_by']],
  ['engage', { goal: 'APP_CLICKS', pay_by: 'APP_CLICK' }],
  ['engage', { goal: 'APP_CLICKS', pay_by: 'LINK_CLICK' }, ['INVALID pay_by']],
  ['engage', { pay_by: 'ENGAGEMENT' }],
  ['clicks', { pay_by: 'LINK_CLICK' }, ['INVALID pay_by']],
  ['clicks', { pay_by: 'IMPRESSION' }],
  ['paying', { pay_by: 'IMPRESSION' }, ['INVALID pay_by']],
  ['paying', { pay_by: 'LINK_CLICK', bid_strategy: 'MAX', ...BID }],
  ['clicks', { bid_strategy: 'TARGET', pay_by: 'IMPRESSION', ...BID }, ['INVALID pay_by']],
  ['reach', { bid_strategy: 'TARGET', pay_by: 'IMPRESSION', ...BID }, ['INVALID pay_by']],
  ['linked', { pay_by: 'LINK_CLICK' }],
  ...['LINK_CLICKS', 'APP_INSTALLS', 'MAX_REACH', 'VIDEO_VIEW', 'APP_PURCHASES'].flatMap((goal): Change[] => [
    ['converting', { goal, pay_by: 'IMPRESSION' }, ['INVALID pay_by']],
    ['converting', { goal }],
  ]),
  ['converting', { goal: 'LINK_CLICKS', pay_by: 'LINK_CLICK' }],
  ['converting', { goal: 'APP_PURCHASES' }],

  ['engage', { daily_budget_amount_local_micro: 2, total_budget_amount_local_micro: 1 }, ['INVALID daily_budget_amount_local_micro']],
  ['engage', { daily_budget_amount_local_micro: 1, total_budget_amount_local_micro: 1 }],
  ['budgeted', { daily_budget_amount_local_micro: 10 }, ['INVALID daily_budget_amount_local_micro']],
  ['budgeted', { total_budget_amount_local_micro: 4 }, ['INVALID daily_budget_amount_local_micro']],
  ['budgeted', { total_budget_amount_local_micro: 5 }],
  ['budgeted', { daily_budget_amount_local_micro: 10, total_budget_amount_local_micro: '' }],
  ['whole', { daily_budget_amount_local_micro: 6 }, ['INVALID daily_budget_amount_local_micro']],
  ['whole', { daily_budget_amount_local_micro: 5, total_budget_amount_local_micro: 6 }],
  ['whole', { daily_budget_amount_local_micro: '' }],
  ['engage', { standard_delivery: false }],
  ['whole', { standard_delivery: false }, ['INVALID standard_delivery']],
  ['whole', { standard_delivery: true }],

  [
    'reach',
    { end_time: START, bid_strategy: 'MAX', ...BID, name: 'n'.repeat(256), goal: 'FAME' },
    ['INVALID bid_strategy', 'INVALID_PARAMETER goal', 'INVALID_PARAMETER name', 'INVALID_TIME_WINDOW end_time'],
  ],
  [
    'budgeted',
    { daily_budget_amount_local_micro: 'x', total_budget_amount_local_micro: 4 },
    ['INVALID_PARAMETER daily_budget_amount_local_micro'],
  ],
  ['visits', { goal: 'SITE_VISITS', name: 'n'.repeat(256) }, ['INVALID_PARAMETER name']],
]

const creation = { objective: 'ENGAGEMENTS', placements: 'ALL_ON_TWITTER', product_type: 'PROMOTED_TWEETS', start_time: START }
const WITHOUT_TIMELINE = 'TWITTER_PROFILE,TWITTER_SEARCH'

/** What is sent for a line item, in a campaign of its own unless one is named, and the mistakes. */
const creations: [sent: AdsParams, mistakes?: string[]][] = [
  [{ placements: 'TWITTER_PROFILE' }, ['INVALID_PLACEMENT_TYPE placements']],
  [{ placements: WITHOUT_TIMELINE }],
  [{ objective: 'REACH', placements: WITHOUT_TIMELINE }, ['INVALID_PLACEMENT_TYPE placements']],
  [{ objective: 'REACH', placements: `TWITTER_TIMELINE,${WITHOUT_TIMELINE}` }],
  [{ objective: 'REACH', placements: 'ALL_ON_TWITTER' }],
  [{ placements: 'PUBLISHER_NETWORK' }, ['MISSING_PARAMETER advertiser_domain', 'MISSING_PARAMETER categories']],
  [NETWORK],
  [
    { placements: 'PUBLISHER_NETWORK', name: 'n'.repeat(256), start_time: 'soon', bid_strategy: 'MAX' },
    [
      ...['INVALID_PARAMETER name', 'INVALID_PARAMETER start_time', 'MISSING_PARAMETER advertiser_domain'],
      ...['MISSING_PARAMETER bid_amount_local_micro', 'MISSING_PARAMETER categories'],
    ],
  ],
  [{ objective: 'FAME', name: 'n'.repeat(256) }, ['INVALID_PARAMETER name', 'INVALID_PARAMETER objective']],
  [{ categories: 'IAB7' }, ['INVALID categories']],
  [{ objective: 'PREROLL_VIEWS', categories: 'IAB7', advertiser_user_id: '101' }],
  [{ advertiser_user_id: '101' }, ['INVALID advertiser_user_id']],
  [{ objective: 'APP_INSTALLS' }, ['MISSING_PARAMETER android_app_store_identifier']],
  [{ objective: 'APP_INSTALLS', ios_app_store_identifier: '1' }],
  [{ objective: 'APP_ENGAGEMENTS' }, ['MISSING_PARAMETER android_app_store_identifier']],
  [{ objective: 'APP_ENGAGEMENTS', android_app_store_identifier: 'a' }],
  [{ bid_strategy: 'MAX' }, ['MISSING_PARAMETER bid_amount_local_micro']],
  [{ objective: 'REACH', bid_strategy: 'MAX', ...BID }, ['INVALID bid_strategy']],
  [{ bid_strategy: 'TARGET', ...BID }, ['INVALID bid_strategy']],
  [{ objective: 'FOLLOWERS', bid_strategy: 'TARGET', ...BID }],
  [{ goal: 'SITE_VISITS', pay_by: 'FOLLOW', entity_status: 'DRAFT' }],
  [{ objective: 'WEBSITE_CLICKS', bid_strategy: 'TARGET', pay_by: 'IMPRESSION', ...BID }, ['INVALID pay_by']],
  [{ objective: 'REACH', bid_strategy: 'TARGET', pay_by: 'IMPRESSION', ...BID }, ['INVALID pay_by']],
  [{ objective: 'REACH', bid_strategy: 'TARGET', ...BID }],
  [{ objective: 'WEBSITE_CLICKS', bid_strategy: 'TARGET', pay_by: 'LINK_CLICK', ...BID }],
  [{ end_time: START }, ['INVALID_TIME_WINDOW end_time']],
  [{ end_time: END }],
  [{ duration_in_days: 2 }, ['INVALID_PARAMETER duration_in_days']],
  [{ objective: 'FOLLOWERS', frequency_cap: 1 }, ['INVALID frequency_cap']],
  [{ objective: 'REACH', frequency_cap: 1, duration_in_days: 7 }],
  [{ daily_budget_amount_local_micro: 2, total_budget_amount_local_micro: 1 }, ['INVALID daily_budget_amount_local_micro']],
  [{ daily_budget_amount_local_micro: 1, total_budget_amount_local_micro: 2, standard_delivery: false }],
  [
    { campaign_id: 'c3', daily_budget_amount_local_micro: 1, standard_delivery: false },
    ['INVALID daily_budget_amount_local_micro', 'INVALID standard_delivery'],
  ],
  [{ campaign_id: 'c3', standard_delivery: true, total_budget_amount_local_micro: 1 }],
  [{ campaign_id: 'c2', objective: 'REACH', product_type: 'MEDIA' }, ['INVALID objective']],
  [{ campaign_id: 'c2', objective: 'FOLLOWERS' }, ['INVALID product_type']],
  [{ campaign_id: 'c2', objective: 'FOLLOWERS', product_type: 'MEDIA' }],
]

const campaign = (id: string, more: object = {}) => ({ id, funding_instrument_id: FUNDING, name: id, ...more })

const item = (id: string, more: object) => ({
  id,
  campaign_id: 'c1',
  placements: ['ALL_ON_TWITTER'],
  product_type: 'PROMOTED_TWEETS',
  start_time: START,
  ...more,
})

const account = (id: string, more: object) => ({ ...adsSeed.accounts![0]!, id, ...more })

/** A line item for each way to stand, one for each change, and a campaign for each creation. */
const seed = {
  ...adsSeed,
  accounts: [
    account(ACCOUNT, {
      features: ['REACH_FREQUENCY_CAP'],
      campaigns: [
        ...['c1', 'c2', ...creations.map((_, index) => `e${index}`)].map((id) => campaign(id)),
        campaign('c3', { budget_optimization: 'CAMPAIGN' }),
      ],
      line_items: [
        ...Object.entries(existing).map(([id, fields]) => item(id, fields)),
        ...changes.map(([before], index) => item(`i${index}`, existing[before])),
        item('sibling', { campaign_id: 'c2', objective: 'FOLLOWERS', product_type: 'MEDIA' }),
      ],
    }),
    account(BARE, {
      funding_instruments: [{ id: 'f2', type: 'CREDIT_CARD', currency: 'USD' }],
      campaigns: [{ id: 'c4', funding_instrument_id: 'f2', name: 'Bare' }],
      line_items: [item('poor', { ...existing.capped, objective: 'ENGAGEMENTS', campaign_id: 'c4' })],
    }),
  ],
} as object as SeedDocument

/** Sends something, and holds the mistakes that are named against those that are expected. */
const expecting =
  (ads: AdsCall) => async (method: string, path: string, sent: AdsParams, mistakes: string[] | undefined, about: string) => {
    const [status, ...named] = mistakesOf(await ads(method, path, sent))
    assert.deepEqual([status, ...named.sort()], mistakes ? [400, ...mistakes] : [200], `${about} ${JSON.stringify(sent)}`)
  }

test('each rule of line items rejects its violation, all at once, and nothing else', async () => {
  await using stage = await setStage({ seed })
  const ads = adsCaller(stage)
  const expect = expecting(ads)
  const refused = changes.flatMap(([, , mistakes], index) => (mistakes ? [`i${index}`] : [])).join()
  const stood = dataOf(await ads('GET', LINE_ITEMS, { line_item_ids: refused }))
  for (const [index, [before, sent, mistakes]] of changes.entries()) await expect('PUT', `${LINE_ITEMS}/i${index}`, sent, mistakes, before)
  assert.deepEqual(dataOf(await ads('GET', LINE_ITEMS, { line_item_ids: refused })), stood)
  for (const [index, [sent, mistakes]] of creations.entries())
    await expect('POST', LINE_ITEMS, { ...creation, campaign_id: `e${index}`, ...sent }, mistakes, 'new')
  const unknown = await ads('PUT', `${LINE_ITEMS}/preroll`, { categories: 'IAB99' })
  assert.deepEqual(mistakesOf(unknown), [404, 'INVALID_IAB_CATEGORY categories'])
  const none = await ads('PUT', `${LINE_ITEMS}/network`, { categories: 'IAB99' })
  assert.deepEqual(mistakesOf(none), [404, 'INVALID_IAB_CATEGORY categories'])
})

test('setting a frequency cap and its period requires an account feature; clearing them does not', async () => {
  await using stage = await setStage({ seed })
  const expect = expecting(adsCaller(stage))
  const poor = `/12/accounts/${BARE}/line_items`
  const withoutFeature = ['FEATURE_NOT_AVAILABLE duration_in_days', 'FEATURE_NOT_AVAILABLE frequency_cap']
  const capped = { duration_in_days: 7, frequency_cap: 1 }
  await expect('POST', poor, { ...creation, campaign_id: 'c4', ...capped }, withoutFeature, 'new')
  await expect('PUT', `${poor}/poor`, capped, withoutFeature, 'poor')
  await expect('PUT', `${poor}/poor`, { duration_in_days: '', frequency_cap: '' }, undefined, 'poor')
})

test('an app without early access to advertiser_user_id cannot set it, but can keep and clear it', async () => {
  const apps = seed.apps?.map((app) => ({ ...app, early_access: [] }))
  await using stage = await setStage({ seed: { ...seed, apps } as SeedDocument })
  const expect = expecting(adsCaller(stage))
  const refused = ['INVALID_PARAMETER advertiser_user_id']
  const preroll = { ...creation, objective: 'PREROLL_VIEWS', campaign_id: 'e0' }
  await expect('POST', LINE_ITEMS, { ...preroll, advertiser_user_id: '101' }, refused, 'new')
  await expect('POST', LINE_ITEMS, preroll, undefined, 'new')
  await expect('PUT', `${LINE_ITEMS}/preroll`, { advertiser_user_id: '101' }, refused, 'preroll')
  await expect('PUT', `${LINE_ITEMS}/presented`, { advertiser_user_id: '102' }, refused, 'presented')
  await expect('PUT', `${LINE_ITEMS}/presented`, { advertiser_user_id: '101', name: 'n' }, undefined, 'presented')
  await expect('PUT', `${LINE_ITEMS}/presented`, { advertiser_user_id: '' }, undefined, 'presented')
})

test('deleted line items do not count for the common objective of a campaign', async () => {
  await using stage = await setStage({ seed })
  const ads = adsCaller(stage)
  const expect = expecting(ads)
  await expect('DELETE', `${LINE_ITEMS}/sibling`, {}, undefined, 'sibling')
  await expect('POST', LINE_ITEMS, { ...creation, campaign_id: 'c2' }, undefined, 'new')
})

test('a category is stored expanded, a bid of AUTO is ignored, and a default pay_by follows goal and strategy', async () => {
  await using stage = await setStage({ seed })
  const ads = adsCaller(stage)
  const put = (id: string, sent: AdsParams) => ads('PUT', `${LINE_ITEMS}/${id}`, sent)
  const { body } = await put('preroll', { categories: 'IAB3' })
  assert.deepEqual([body.request.params.categories, body.data.categories], [['IAB3'], ['IAB3', 'IAB13', 'IAB21']])
  assert.deepEqual((await put('partly', { categories: 'IAB9-1' })).body.data.categories, ['IAB9-1'])
  assert.equal((await put('engage', BID)).body.data.bid_amount_local_micro, null)
  assert.equal((await put('targeted', { bid_strategy: 'AUTO' })).body.data.bid_amount_local_micro, null)
  for (const ignored of [0, -1, 'none']) {
    const sent = { bid_amount_local_micro: ignored }
    assert.equal((await put('targeted', { bid_strategy: 'AUTO', ...sent })).body.data.bid_amount_local_micro, null)
    assert.equal((await put('engage', sent)).status, 200)
    assert.equal((await put('engage', { bid_strategy: 'MAX', ...sent })).status, 400)
  }
  const steps: [string, AdsParams, string][] = [
    ['clicks', { bid_strategy: 'TARGET', ...BID }, 'LINK_CLICK'],
    ['clicks', { bid_strategy: 'AUTO' }, 'IMPRESSION'],
    ['reach', { bid_strategy: 'TARGET', ...BID }, 'LINK_CLICK'],
    ['reach', { bid_strategy: 'AUTO' }, 'IMPRESSION'],
    ['converting', { name: 'n' }, 'IMPRESSION'],
    ['converting', { goal: 'APP_INSTALLS' }, 'APP_CLICK'],
    ['converting', { goal: 'WEBSITE_CONVERSIONS' }, 'LINK_CLICK'],
    ['video', { goal: 'VIEW_15S' }, 'IMPRESSION'],
    ['video', { goal: 'VIDEO_VIEW' }, 'VIEW'],
    ['engage', { goal: 'LINK_CLICKS', pay_by: 'ENGAGEMENT' }, 'IMPRESSION'],
    ['install', { pay_by: 'LINK_CLICK' }, 'LINK_CLICK'],
    ['install', { bid_strategy: 'MAX', ...BID }, 'LINK_CLICK'],
  ]
  for (const [id, sent, payBy] of steps) assert.equal((await put(id, sent)).body.data.pay_by, payBy, `${id} ${JSON.stringify(sent)}`)
})
