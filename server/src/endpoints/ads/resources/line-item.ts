import { adsId, adsTime, long, matchingAds } from '../../../api/declare/ads-words.ts'
import { boolean, commaList, integer, listOf, nullable, oneOf, oneOfNumbers, text } from '../../../api/declare/words.ts'
import { resource } from '../../../api/records/resource.ts'
import { endsAfterStart, type RecordOf } from '../../../api/records/resource-declaration.ts'
import { IAB_CODE } from '../business-categories/business-categories.ts'
import { regularEndpoints } from '../regular-endpoints.ts'
import { Campaign } from './campaign.ts'
import { currency } from './funding-instrument.ts'
import { defaultsOf } from './line-item-defaults.ts'

export const objectives = [
  'APP_ENGAGEMENTS',
  'APP_INSTALLS',
  'ENGAGEMENTS',
  'FOLLOWERS',
  'PREROLL_VIEWS',
  'REACH',
  'VIDEO_VIEWS',
  'WEBSITE_CLICKS',
] as const

export const placements = [
  'ALL_ON_TWITTER',
  'PUBLISHER_NETWORK',
  'TAP_BANNER',
  'TAP_FULL',
  'TAP_FULL_LANDSCAPE',
  'TAP_MRECT',
  'TAP_NATIVE',
  'TWITTER_PROFILE',
  'TWITTER_REPLIES',
  'TWITTER_SEARCH',
  'TWITTER_TIMELINE',
] as const

/** The goals that can be set at any time (§4.8). */
export const goals = [
  'APP_CLICKS',
  'APP_INSTALLS',
  'APP_PURCHASES',
  'ENGAGEMENT',
  'FOLLOWERS',
  'LINK_CLICKS',
  'MAX_REACH',
  'PREROLL',
  'PREROLL_STARTS',
  'REACH_WITH_ENGAGEMENT',
  'VIDEO_VIEW',
  'VIEW_3S_100PCT',
  'VIEW_6S',
  'VIEW_15S',
  'WEBSITE_CONVERSIONS',
] as const

/** The values of `pay_by` that can be set. Goals have further ones as defaults. */
export const payBys = ['APP_CLICK', 'IMPRESSION', 'LINK_CLICK'] as const

/** The last label is of letters, or punycode: an address of digits is no domain. */
const domain = matchingAds(
  '^(?=.{1,253}$)([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+([A-Za-z]{2,63}|[Xx][Nn]--[A-Za-z0-9-]{0,58}[A-Za-z0-9])$',
  'a domain without a protocol',
  {
    example: 'example.com',
    description: 'A domain name without `https://`.',
  },
)

/** A line item of a campaign: placements, bid, budget and flight dates (§2.8). */
export const LineItem = resource({
  title: 'Line item',
  name: 'line_items',
  notFound: 'LINE_ITEM_NOT_FOUND',
  rateLimit: 'core',
  history: 'LINE_ITEM',
  search: { prefixOf: 'name', max: 255 },
  childOf: { parent: Campaign, by: 'campaign_id' },
  inherits: ['currency', 'funding_instrument_id'],
  sortable: ['name', 'bid_amount_local_micro'],
  filters: {
    line_item_ids: { anyOf: 'id' },
    campaign_ids: { anyOf: 'campaign_id' },
    funding_instrument_ids: { anyOf: 'funding_instrument_id' },
  },
  counted: ['entity_status'],
  seedRules: [
    endsAfterStart,
    {
      field: 'categories',
      message: 'are not all IAB categories',
      holds: ({ categories }) => categories.every((code) => IAB_CODE.test(code)),
    },
  ],
  seedDefaults: { objective: 'ENGAGEMENTS', product_type: 'PROMOTED_TWEETS', placements: ['ALL_ON_TWITTER'] },
  defaults: {
    entity_status: 'ACTIVE',
    creative_source: 'MANUAL',
    standard_delivery: true,
    automatic_tweet_promotion: false,
    categories: [],
  },
  fill: defaultsOf,
  fields: {
    campaign_id: adsId(),
    funding_instrument_id: adsId(),
    name: nullable(text({ max: 255 })),
    objective: oneOf(objectives, { example: 'ENGAGEMENTS' }),
    goal: oneOf([...goals, 'SITE_VISITS']),
    product_type: oneOf(['MEDIA', 'PROMOTED_ACCOUNT', 'PROMOTED_TWEETS'], { example: 'PROMOTED_TWEETS' }),
    placements: commaList(oneOf(placements), { example: ['ALL_ON_TWITTER'] }),
    bid_strategy: oneOf(['AUTO', 'MAX', 'TARGET']),
    bid_amount_local_micro: nullable(long({ min: 1 })),
    pay_by: oneOf([...payBys, 'ENGAGEMENT', 'FOLLOW', 'VIEW']),
    currency,
    categories: listOf(text({ max: 20 }), { max: 100, description: 'IAB categories.' }),
    advertiser_user_id: nullable(text({ max: 50, description: 'Only for apps with early access to it.' })),
    advertiser_domain: nullable(domain),
    android_app_store_identifier: nullable(text({ max: 255 })),
    ios_app_store_identifier: nullable(text({ max: 255 })),
    audience_expansion: nullable(oneOf(['BROAD', 'DEFINED', 'EXPANDED'])),
    frequency_cap: nullable(integer({ min: 1 })),
    duration_in_days: nullable(oneOfNumbers([1, 7, 30], { description: 'The period of the frequency cap, in days.' })),
    start_time: nullable(adsTime()),
    end_time: nullable(adsTime()),
    total_budget_amount_local_micro: nullable(long({ min: 1 })),
    daily_budget_amount_local_micro: nullable(long({ min: 1 })),
    entity_status: oneOf(['ACTIVE', 'DRAFT', 'PAUSED']),
    creative_source: oneOf(['MANUAL', 'ADVERTISER', 'PUBLISHER']),
    standard_delivery: boolean(),
    target_cpa_local_micro: nullable(long({ min: 1 })),
    primary_web_event_tag: nullable(text({ max: 50 })),
    automatic_tweet_promotion: boolean(),
  },
})

export type LineItemRecord = RecordOf<typeof LineItem.fields>
export type LineItemField = keyof typeof LineItem.fields

export const { listLineItems, getLineItem, deleteLineItem } = regularEndpoints(LineItem, {
  route: '/12/accounts/:account_id/line_items',
  section: '§4.8',
  changes: 'campaigns',
  delete: { summary: 'Soft-delete a line item; this cannot be undone. Its promoted posts are hidden too, unless `with_deleted=true`.' },
})
