// The parameters of every endpoint: each value of an enumeration and each limit, written out from the specification, public practice and,
// for the operator, docs/apps.md and its neighbours. A request with each value is accepted; one with a value beside or beyond it is refused by name.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { allEndpoints } from '../../scripts/all-endpoints.ts'
import { refusalsAt, type SentValues } from '../stage/refused-parameters.ts'

/** Letters, as many as asked for. */
const letters = (count: number) => 'x'.repeat(count)
const ids = (count: number) => Array.from({ length: count }, (_, place) => String(place + 1))

interface Values {
  accepted: readonly unknown[]
  refused: readonly unknown[]
}

const oneOf = (...accepted: string[]): Values => ({
  accepted,
  refused: ['NO_SUCH_VALUE', accepted[0]!.toUpperCase() === accepted[0] ? accepted[0]!.toLowerCase() : accepted[0]!.toUpperCase()],
})
const someOf = (...accepted: string[]): Values => ({
  accepted: [...accepted.map((value) => [value]), accepted],
  refused: [['no-such-value']],
})
const textOf = (min: number, max: number): Values => ({
  accepted: [letters(min), letters(max)],
  refused: [...(min > 1 ? [letters(min - 1)] : []), letters(max + 1)],
})
const upTo = (max: number): Values => ({ accepted: [letters(max)], refused: [letters(max + 1)] })
const between = (min: number, max: number): Values => ({ accepted: [min, max], refused: [min - 1, max + 1, 'many', 1.5] })
const atLeast = (min: number): Values => ({ accepted: [min, 9_007_199_254_740_991], refused: [min - 1, 'many'] })
const upToIds = (max: number): Values => ({ accepted: [ids(1), ids(max)], refused: [ids(max + 1), ['#']] })
/** What is judged later, or not at all. */
const ANY_TEXT: Values = { accepted: ['', letters(1000)], refused: [] }
const flag: Values = { accepted: [true, false], refused: ['maybe', 2] }

const MINUTES: Values = { accepted: ['202603011200'], refused: ['20260301120', '2026030112000', '2026-03-01T1', '20260301120a'] }
const UTC_TIMES: Values = {
  accepted: ['2026-03-01T12:00Z', '2026-03-01T12:00:00Z', '2026-03-01T12:00:00.123Z'],
  refused: ['2026-03-01', '2026-03-01T12:00:00', '2026-13-01T12:00:00Z', 'now'],
}
const EVENT_UUIDS: Values = { accepted: ['1', '-1', '9'.repeat(19)], refused: ['', '-', 'a', '1'.repeat(20)] }
const OPERATOR_PAGE = { max_results: between(1, 1000) }
const IDS: Values = { accepted: ['1', '9'.repeat(19)], refused: ['a', '-1', '9'.repeat(20)] }

/** §4.4 and §8. */
const listOf = (...sortable: string[]) => ({
  count: between(1, 1000),
  with_deleted: flag,
  with_total_count: flag,
  sort_by: {
    ...someOf(...['created_at', 'updated_at', 'deleted', ...sortable].flatMap((name) => [`${name}-asc`, `${name}-desc`])),
    refused: [['created_at'], ['id-asc'], ['created_at-up']],
  },
})

/** §4.8 for changes; the goals, statuses and payments beyond them at creation are public practice. */
const GOALS = [
  ...['APP_CLICKS', 'APP_INSTALLS', 'APP_PURCHASES', 'ENGAGEMENT', 'FOLLOWERS', 'LINK_CLICKS', 'MAX_REACH', 'PREROLL', 'PREROLL_STARTS'],
  ...['REACH_WITH_ENGAGEMENT', 'VIDEO_VIEW', 'VIEW_3S_100PCT', 'VIEW_6S', 'VIEW_15S', 'WEBSITE_CONVERSIONS'],
]
const LINE_ITEM = {
  name: upTo(255),
  advertiser_domain: {
    accepted: ['example.com', 'a.b.example.co', 'xn--bcher-kva.example', 'example.xn--p1ai', 'XN--E1AFMKFD.XN--80AK6AA92E'],
    refused: ['https://example.com', 'example', 'example.com/', '-a.com', '192.0.2.1', 'example.xn--', `example.xn--${'a'.repeat(60)}`],
  },
  android_app_store_identifier: upTo(255),
  ios_app_store_identifier: upTo(255),
  advertiser_user_id: upTo(50),
  audience_expansion: oneOf('BROAD', 'DEFINED', 'EXPANDED'),
  bid_amount_local_micro: atLeast(1),
  bid_strategy: oneOf('AUTO', 'MAX', 'TARGET'),
  duration_in_days: { accepted: [1, 7, 30], refused: [0, 2, 6, 8, 29, 31] },
  frequency_cap: { accepted: [1, 1000], refused: [0, -1, 'many'] },
  total_budget_amount_local_micro: atLeast(1),
  daily_budget_amount_local_micro: atLeast(1),
  standard_delivery: flag,
}
const CAMPAIGN = {
  name: textOf(1, 255),
  budget_optimization: oneOf('CAMPAIGN', 'LINE_ITEM'),
  purchase_order_number: upTo(50),
  daily_budget_amount_local_micro: atLeast(1),
  total_budget_amount_local_micro: atLeast(1),
  standard_delivery: flag,
}
const FEATURES = someOf(
  ...['AGE_TARGETING', 'ALLOW_SKIPPABLE_VIDEOS_FOR_PREROLL_VIEWS_OBJECTIVE', 'AWARENESS_OBJECTIVE', 'BRAND_TPN', 'CHARGE_FOR_GOOD_CLICK'],
  ...['CONVERSATION_CARD', 'CONVERSATION_CARD_FOUR_OPTIONS', 'CONVERSATION_CARD_UNLOCK', 'CPI_CHARGING', 'DIRECT_MESSAGE_CARD', 'DR_TAP'],
  ...['ENGAGER_RETARGETING', 'EVENT_TARGETING', 'INSTALLED_APP_CATEGORY_TARGETING', 'MOBILE_CONVERSION_TRANSACTION_VALUE'],
  ...['OPTIMIZED_ACTION_BIDDING', 'REACH_AND_FREQUENCY_ANALYTICS', 'REACH_FREQUENCY_CAP', 'VALIDATED_AGE_TARGETING'],
  ...['VIDEO_VIEWS_MIDROLL_OBJECTIVE', 'PREROLL_VIEWS_OBJECTIVE', 'VIDEO_APP_DOWNLOAD_CARD'],
  ...['CITY_TARGETING', 'PROMOTED_MEDIA_POLLS', 'UNIVERSAL_LOOKALIKE', 'WEBSITE_CLICKS_CPM_BILLING', 'SHARE_AUDIENCE_OUTSIDE_BUSINESS'],
)
const TARGETING_TYPES = [
  ...['AGE', 'APP_STORE_CATEGORY', 'APP_STORE_CATEGORY_LOOKALIKE', 'BROAD_KEYWORD', 'CONTENT_CATEGORY', 'CONVERSATION', 'CUSTOM_AUDIENCE'],
  ...['CUSTOM_AUDIENCE_EXPANDED', 'DEVICE', 'ENGAGEMENT_TYPE', 'EVENT', 'EXACT_KEYWORD', 'FOLLOWERS_OF_USER', 'GENDER', 'IAB_CATEGORY'],
  ...['INTEREST', 'LANGUAGE', 'LIVE_TV_EVENT', 'LOCATION', 'NETWORK_ACTIVATION_DURATION', 'NETWORK_OPERATOR', 'PHRASE_KEYWORD', 'PLATFORM'],
  ...['PLATFORM_VERSION', 'SIMILAR_TO_FOLLOWERS_OF_USER', 'TV_SHOW', 'UNORDERED_KEYWORD', 'WIFI_ONLY'],
]
const APP = {
  name: textOf(1, 100),
  callback_urls: {
    accepted: [[], Array(10).fill('https://a.example/'), [letters(500)]],
    refused: [Array(11).fill('https://a.example/'), [letters(501)], ['']],
  },
  permissions: oneOf('read', 'read_write', 'read_write_dm'),
  sign_in_with_service: flag,
  webhook_limit: between(0, 100_000),
  ads_access: flag,
  early_access: { accepted: [[], ['catalogs'], ['account_history'], ['advertiser_user_id']], refused: [['all']] },
  activity_enrolled: flag,
  usage_cap: between(0, 1_000_000_000_000),
  event_quota: between(0, 1_000_000_000_000),
  delivery_quota: between(0, 1_000_000_000_000),
  row_quota: between(0, 1_000_000_000_000),
  suspended: flag,
}
/** §2.7. */
const CARD_TYPES = [
  ...['IMAGE_APP', 'IMAGE_CAROUSEL_APP', 'IMAGE_CAROUSEL_WEBSITE', 'IMAGE_MULTI_DEST_CAROUSEL_WEBSITE', 'IMAGE_WEBSITE'],
  ...['MIXED_MEDIA_MULTI_DEST_CAROUSEL_WEBSITE', 'MIXED_MEDIA_SINGLE_DEST_CAROUSEL_APP', 'MIXED_MEDIA_SINGLE_DEST_CAROUSEL_WEBSITE'],
  ...['VIDEO_APP', 'VIDEO_CAROUSEL_APP', 'VIDEO_CAROUSEL_WEBSITE', 'VIDEO_MULTI_DEST_CAROUSEL_WEBSITE', 'VIDEO_WEBSITE'],
  ...['IMAGE_CONVERSATION', 'VIDEO_CONVERSATION', 'IMAGE_POLLS', 'TEXT_POLLS', 'VIDEO_POLLS'],
]
const CREATIVE_TYPES = [
  ...['BANNER', 'BANNER_TABLET', 'INTERSTITIAL', 'INTERSTITIAL_LANDSCAPE', 'INTERSTITIAL_LANDSCAPE_TABLET', 'INTERSTITIAL_TABLET'],
  ...['MEDIUM_RECTANGLE', 'PREROLL', 'VAST_PREROLL'],
]
const LIBRARY_MEDIA = { name: upTo(100), file_name: upTo(255), title: upTo(70), description: upTo(200) }
const CHOICE = textOf(1, 25)
const POLL = { name: 'x', first_choice: 'x', second_choice: 'x', duration_in_minutes: 5 }
/** A hashtag: its `#` is not counted. */
const CTA: Values = { accepted: ['x', letters(20), `#${letters(20)}`], refused: [letters(21), `#${letters(21)}`, '#', 'a b', '#a#b'] }
const CONVERSATION = { name: 'x', first_cta: 'x', first_cta_post: 'x', thank_you_text: 'x', title: 'x', media_key: '7_1' }
const POSTS = { second_cta_post: 'x', third_cta_post: 'x', fourth_cta_post: 'x' }
const CONVERSATION_VALUES = {
  first_cta: CTA,
  second_cta: CTA,
  third_cta: CTA,
  fourth_cta: CTA,
  name: textOf(1, 80),
  title: textOf(1, 23),
  thank_you_text: textOf(1, 23),
  thank_you_url: { accepted: ['https://a.example', 'http://a.example/b'], refused: ['a.example'] },
}
const conversationList = { ...listOf('name'), q: textOf(1, 80), card_ids: upToIds(200) }
const AN_EVENT = { event_type: 'dm.received', user_id: '101', payload: {} }

/** An id of the general API on the advertising hosts: 64 bits without a sign. */
const upToId: Values = { accepted: ['1', '18446744073709551615'], refused: ['ada', '18446744073709551616'] }

/** §4.7, as far as one parameter is judged by itself. */
const CONTENT = {
  text: { accepted: ['x', letters(280)], refused: [letters(281)] },
  card_uri: { accepted: ['card://1', 'card://18446744073709551615'], refused: ['1', 'card://', 'card://x', 'https://example.com'] },
  media_keys: {
    accepted: [['3_1'], ['3_1', '3_2', '3_3', '3_4'], ['13_1136048014974423040']],
    refused: [['3_1', '3_2', '3_3', '3_4', '3_5'], ['3'], ['x_1'], ['3-1']],
  },
  name: { accepted: ['', letters(80)], refused: [letters(81)] },
  nullcast: flag,
}
const POST = {
  ...CONTENT,
  as_user_id: upToId,
  conversation_settings: oneOf('EVERYONE', 'FOLLOWING', 'MENTIONED_USERS'),
  trim_user: flag,
  post_mode: oneOf('compat', 'extended'),
  video_title: upTo(70),
  video_description: upTo(200),
}
const SCHEDULED_POST = {
  ...CONTENT,
  scheduled_at: { accepted: ['2030-01-01T00:00:00Z', '2030-01-01T01:00:00+01:00', '2030-01-01'], refused: ['soon', '2030-13-01'] },
}

/** By route: the parameters of a request that is accepted, and the values that one of them may have and may not. */
const endpoints: Record<string, { sent?: SentValues; values: Record<string, Values> }> = {
  'POST /2/webhooks': { sent: { url: 'x' }, values: { url: { accepted: ['', letters(1000)], refused: [1] } } },
  'GET /2/webhooks': { values: { 'webhook_config.fields': someOf('created_at', 'id', 'url', 'valid') } },
  'POST /2/webhooks/replay': {
    sent: { webhook_id: '1', from_date: '202603011200', to_date: '202603011300' },
    values: { from_date: MINUTES, to_date: MINUTES, webhook_id: ANY_TEXT },
  },
  'POST /2/account_activity/replay/webhooks/:webhook_id/subscriptions/all': {
    sent: { from_date: '202603011200', to_date: '202603011300' },
    values: { from_date: MINUTES, to_date: MINUTES },
  },
  'POST /oauth/request_token': {
    values: {
      oauth_callback: { accepted: ['', 'oob', 'https://a.example/'], refused: [] },
      x_auth_access_type: { accepted: ['', 'read', 'write'], refused: [] },
    },
  },
  'GET /oauth/authorize': {
    sent: { oauth_token: 'x' },
    values: { oauth_token: upTo(100), force_login: flag, screen_name: ANY_TEXT, oauth_callback: ANY_TEXT },
  },
  'GET /oauth/authenticate': {
    sent: { oauth_token: 'x' },
    values: { oauth_token: upTo(100), force_login: flag, screen_name: ANY_TEXT, oauth_callback: ANY_TEXT },
  },
  'POST /oauth/authorize': {
    sent: { oauth_token: 'x', proof: 'x', decision: 'allow' },
    values: {
      oauth_token: upTo(100),
      proof: upTo(100),
      decision: oneOf('allow', 'deny'),
      username: { accepted: ['', letters(50)], refused: [letters(51)] },
      password: { accepted: ['', letters(500)], refused: [letters(501)] },
    },
  },
  'POST /oauth2/invalidate_token': { values: { access_token: { accepted: ['', letters(500)], refused: [letters(501)] } } },
  'GET /2/users/me': { values: { 'user.fields': someOf('id', 'name', 'username', 'created_at') } },
  'POST /2/activity/subscriptions': {
    sent: { event_type: 'dm.received', filter: { user_id: '1' } },
    values: { tag: textOf(1, 200), webhook_id: ANY_TEXT },
  },
  'GET /2/activity/subscriptions': {
    values: {
      max_results: between(1, 1000),
      pagination_token: { accepted: [letters(16), letters(64)], refused: [letters(15), letters(65), '*'.repeat(16)] },
    },
  },
  'PUT /2/activity/subscriptions/:subscription_id': { sent: { tag: 'x' }, values: { tag: textOf(1, 200), webhook_id: ANY_TEXT } },
  'DELETE /2/activity/subscriptions': { values: { ids: upToIds(100) } },

  'POST /12/accounts/:account_id/custom_audiences': { sent: { name: 'x' }, values: { name: textOf(1, 255), description: upTo(255) } },
  'GET /12/accounts/:account_id/custom_audiences': {
    values: { ...listOf('name'), custom_audience_ids: upToIds(200), q: textOf(1, 255), permission_scope: oneOf('OWNER', 'SHARED') },
  },
  'PUT /12/accounts/:account_id/custom_audiences/:custom_audience_id': { values: { name: textOf(1, 255), description: upTo(255) } },
  'GET /12/accounts/:account_id/custom_audiences/:custom_audience_id/targeted': { values: { with_active: flag } },
  'GET /5/accounts/:account_id/tailored_audiences/:tailored_audience_id/permissions': {
    values: { ...listOf(), granted_account_ids: upToIds(200), tailored_audience_permission_ids: upToIds(200) },
  },
  'POST /5/accounts/:account_id/tailored_audiences/:tailored_audience_id/permissions': {
    sent: { granted_account_id: '1', permission_level: 'READ_ONLY' },
    values: { permission_level: oneOf('READ_ONLY', 'READ_WRITE') },
  },
  'GET /12/accounts/:account_id/custom_audiences/:custom_audience_id/permissions': {
    values: { ...listOf(), granted_account_ids: upToIds(200), custom_audience_permission_ids: upToIds(200) },
  },
  'POST /12/accounts/:account_id/custom_audiences/:custom_audience_id/permissions': {
    sent: { granted_account_id: '1', permission_level: 'READ_ONLY' },
    values: { permission_level: oneOf('READ_ONLY', 'READ_WRITE') },
  },
  'POST /12/accounts/:account_id/do_not_reach_lists': { values: { description: upTo(255) } },
  'GET /12/accounts/:account_id/do_not_reach_lists': { values: listOf() },

  'GET /12/accounts': { values: { ...listOf('name'), account_ids: upToIds(200), q: textOf(1, 255) } },
  'GET /12/accounts/:account_id': { values: { with_deleted: flag } },
  'PUT /12/accounts/:account_id': {
    values: {
      name: textOf(1, 255),
      industry_type: oneOf(
        ...['AGENCY', 'BUSINESS_TO_BUSINESS', 'ONLINE_SERVICES', 'EDUCATION', 'FINANCIAL', 'HEALTH', 'GOVERNMENT', 'MEDIA', 'MOBILE'],
        ...['RESTAURANT', 'RETAIL', 'TECHNOLOGY', 'TRAVEL', 'OTHER'],
      ),
    },
  },
  'GET /12/accounts/:account_id/account_apps': { values: listOf() },
  'GET /12/accounts/:account_id/account_history': {
    sent: { entity_type: 'CAMPAIGN', entity_id: '1', start_time: '2026-03-01T00:00:00Z', end_time: '2026-03-02T00:00:00Z' },
    values: {
      entity_type: oneOf('CAMPAIGN', 'LINE_ITEM', 'PROMOTED_TWEET', 'TARGETING_CRITERIA', 'PROMOTED_ACCOUNT'),
      start_time: { accepted: ['2026-03-01T01:00:00Z'], refused: ['2026-03-01T00:30:00Z', '2026-03-01T00:00:01Z'] },
      end_time: { accepted: ['2026-03-01T01:00:00Z'], refused: ['2026-03-02T00:30:00Z', '2026-03-02T00:00:01Z'] },
      count: between(1, 1000),
      user_id: { accepted: ['1', '18446744073709551615'], refused: ['a', '-1', '18446744073709551616'] },
    },
  },
  'GET /12/accounts/:account_id/curated_categories': {
    values: {
      ...listOf('name'),
      sort_by: { accepted: [['name-asc'], ['name-desc']], refused: [['id-asc']] },
      country_codes: { accepted: [['US'], ['US', 'ES']], refused: [['USA'], ['U'], ['U5'], ['ZZ']] },
    },
  },
  'GET /12/accounts/:account_id/features': { values: { feature_keys: FEATURES } },
  'POST /12/accounts/:account_id/features': { sent: { feature_keys: 'DR_TAP' }, values: { feature_keys: FEATURES } },
  'DELETE /12/accounts/:account_id/features': { sent: { feature_keys: 'DR_TAP' }, values: { feature_keys: FEATURES } },
  'POST /12/accounts/:account_id/funding_instruments': {
    sent: { type: 'CREDIT_CARD', currency: 'USD', start_time: '2026-03-01T00:00:00Z' },
    values: {
      type: oneOf('AGENCY_CREDIT_LINE', 'CREDIT_CARD', 'CREDIT_LINE', 'INSERTION_ORDER', 'PARTNER_MANAGED'),
      currency: { accepted: ['USD', 'JPY'], refused: ['US', 'USDX', 'US1'] },
      credit_limit_local_micro: atLeast(0),
      funded_amount_local_micro: atLeast(0),
    },
  },
  'GET /12/accounts/:account_id/funding_instruments': {
    values: { ...listOf('funded_amount_local_micro', 'start_time', 'end_time'), funding_instrument_ids: upToIds(200) },
  },
  'POST /12/accounts/:account_id/campaigns': {
    sent: { name: 'x', funding_instrument_id: '1' },
    values: { ...CAMPAIGN, entity_status: oneOf('ACTIVE', 'DRAFT', 'PAUSED') },
  },
  'PUT /12/accounts/:account_id/campaigns/:campaign_id': {
    values: { ...CAMPAIGN, entity_status: { accepted: ['ACTIVE', 'PAUSED'], refused: ['DRAFT', 'EXPIRED'] } },
  },
  'GET /12/accounts/:account_id/campaigns': {
    values: {
      ...listOf(
        ...['name', 'start_time', 'end_time', 'daily_budget_amount_local_micro', 'total_budget_amount_local_micro', 'standard_delivery'],
      ),
      campaign_ids: upToIds(200),
      funding_instrument_ids: upToIds(200),
      q: textOf(1, 255),
    },
  },
  'POST /12/accounts/:account_id/line_items': {
    sent: {
      campaign_id: '1',
      objective: 'ENGAGEMENTS',
      product_type: 'PROMOTED_TWEETS',
      placements: 'ALL_ON_TWITTER',
      start_time: '2026-03-01T00:00:00Z',
    },
    values: {
      ...LINE_ITEM,
      entity_status: oneOf('ACTIVE', 'DRAFT', 'PAUSED'),
      goal: oneOf(...GOALS, 'SITE_VISITS'),
      pay_by: oneOf('APP_CLICK', 'IMPRESSION', 'LINK_CLICK', 'ENGAGEMENT', 'FOLLOW', 'VIEW'),
      objective: oneOf(
        ...['APP_ENGAGEMENTS', 'APP_INSTALLS', 'ENGAGEMENTS', 'FOLLOWERS', 'PREROLL_VIEWS', 'REACH', 'VIDEO_VIEWS', 'WEBSITE_CLICKS'],
      ),
      product_type: oneOf('MEDIA', 'PROMOTED_ACCOUNT', 'PROMOTED_TWEETS'),
      placements: someOf(
        ...['ALL_ON_TWITTER', 'PUBLISHER_NETWORK', 'TAP_BANNER', 'TAP_FULL', 'TAP_FULL_LANDSCAPE', 'TAP_MRECT', 'TAP_NATIVE'],
        ...['TWITTER_PROFILE', 'TWITTER_REPLIES', 'TWITTER_SEARCH', 'TWITTER_TIMELINE'],
      ),
    },
  },
  'GET /12/accounts/:account_id/account_media': {
    values: { ...listOf(), account_media_ids: upToIds(200), creative_types: someOf(...CREATIVE_TYPES) },
  },
  'GET /12/accounts/:account_id/media_library': {
    values: { ...listOf(), count: between(1, 50), media_type: oneOf('GIF', 'IMAGE', 'VIDEO'), q: textOf(1, 255) },
  },
  'POST /12/accounts/:account_id/media_library': { sent: { media_key: '7_1' }, values: LIBRARY_MEDIA },
  'GET /12/accounts/:account_id/cards': {
    values: {
      ...listOf('name'),
      count: between(1, 200),
      card_types: someOf(...CARD_TYPES),
      card_id: upToIds(200),
      card_uris: { accepted: [['card://1'], ids(200).map((id) => `card://${id}`)], refused: [ids(201).map((id) => `card://${id}`), ['1']] },
      include_legacy_cards: flag,
      q: textOf(1, 80),
    },
  },
  'POST /12/accounts/:account_id/cards/poll': {
    sent: POLL,
    values: {
      duration_in_minutes: between(5, 10_080),
      name: textOf(1, 80),
      first_choice: CHOICE,
      second_choice: CHOICE,
      third_choice: CHOICE,
    },
  },
  'GET /12/accounts/:account_id/cards/poll': { values: conversationList },
  'GET /12/accounts/:account_id/cards/video_conversation': { values: conversationList },
  'GET /12/accounts/:account_id/cards/image_conversation': { values: conversationList },
  'POST /12/accounts/:account_id/cards/video_conversation': { sent: { ...CONVERSATION, ...POSTS }, values: CONVERSATION_VALUES },
  'POST /12/accounts/:account_id/cards/image_conversation': { sent: { ...CONVERSATION, ...POSTS }, values: CONVERSATION_VALUES },
  'PUT /12/accounts/:account_id/line_items/:line_item_id': {
    values: {
      ...LINE_ITEM,
      entity_status: { accepted: ['ACTIVE', 'PAUSED'], refused: ['DRAFT'] },
      goal: { accepted: GOALS, refused: ['SITE_VISITS', 'REACH'] },
      pay_by: { accepted: ['APP_CLICK', 'IMPRESSION', 'LINK_CLICK'], refused: ['ENGAGEMENT', 'FOLLOW', 'VIEW'] },
    },
  },
  'GET /12/accounts/:account_id/line_items': {
    values: {
      ...listOf('name', 'bid_amount_local_micro'),
      line_item_ids: upToIds(200),
      campaign_ids: upToIds(200),
      funding_instrument_ids: upToIds(200),
      q: textOf(1, 255),
    },
  },
  'POST /12/accounts/:account_id/targeting_criteria': {
    sent: { line_item_id: '1', targeting_type: 'LOCATION', targeting_value: 'x' },
    values: {
      targeting_type: oneOf(...TARGETING_TYPES),
      operator_type: oneOf('EQ', 'NE', 'GTE', 'LT'),
      targeting_value: textOf(1, 500),
      name: upTo(255),
    },
  },
  'GET /12/accounts/:account_id/targeting_criteria': {
    values: { ...listOf(), targeting_criterion_ids: upToIds(200), line_item_ids: upToIds(200) },
  },
  'POST /12/accounts/:account_id/post': { sent: { as_user_id: '101', text: 'x', media_keys: ['7_1'] }, values: POST },
  'PUT /12/accounts/:account_id/posts/:post_id/name': { values: { name: { accepted: ['', letters(80)], refused: [letters(81)] } } },
  'GET /12/accounts/:account_id/posts': {
    sent: { post_type: 'PUBLISHED' },
    values: {
      count: between(1, 1000),
      post_type: oneOf('DRAFT', 'PUBLISHED', 'SCHEDULED'),
      timeline_type: oneOf('NULLCAST', 'ORGANIC', 'ALL'),
      post_ids: upToIds(200),
      user_id: upToId,
      include_mentions_and_replies: flag,
      trim_user: flag,
    },
  },
  'POST /12/accounts/:account_id/scheduled_posts': {
    sent: { as_user_id: '101', text: 'x', media_keys: ['7_1'], scheduled_at: '2030-01-01T00:00:00Z' },
    values: { ...SCHEDULED_POST, as_user_id: POST.as_user_id, video_title: upTo(70), video_description: upTo(200) },
  },
  'PUT /12/accounts/:account_id/scheduled_posts/:scheduled_post_id': { values: SCHEDULED_POST },
  'GET /12/accounts/:account_id/scheduled_posts': { values: { count: between(1, 200), user_id: upToId } },
  'GET /12/accounts/:account_id/promotable_users': { values: { ...listOf(), promotable_user_ids: upToIds(200) } },
  'POST /12/accounts/:account_id/promoted_posts': {
    sent: { line_item_id: '1', post_ids: '1' },
    values: { post_ids: upToIds(50) },
  },
  'GET /12/accounts/:account_id/promoted_posts': {
    values: { ...listOf(), promoted_post_ids: upToIds(200), line_item_ids: upToIds(200) },
  },
  'GET /12/accounts/:account_id/line_item_curated_categories': { values: listOf() },

  'GET /operator/apps': { values: { ...OPERATOR_PAGE, after: IDS } },
  'POST /operator/apps': {
    sent: { name: 'x' },
    values: { ...APP, id: IDS, consumer_key: textOf(16, 200), consumer_secret: textOf(16, 200) },
  },
  'PATCH /operator/apps/:app_id': {
    values: {
      ...APP,
      rotate_secret: {
        accepted: [{}, { consumer_secret: letters(16), overlap: '0s' }, { consumer_secret: letters(200), overlap: '30d' }],
        refused: [{ consumer_secret: letters(15) }, { consumer_secret: letters(201) }, { overlap: '1w' }, { other: 'x' }],
      },
    },
  },
  'PATCH /operator/users/:user_id': { sent: { disabled: true }, values: { password: textOf(8, 500), disabled: flag } },
  'GET /operator/webhooks': { values: { max_results: between(1, 100), app_id: IDS, valid: flag, after: IDS } },
  'POST /operator/events': {
    sent: AN_EVENT,
    values: {
      event_uuid: EVENT_UUIDS,
      user_id: IDS,
      direction: oneOf('sent', 'received', 'inbound', 'outbound'),
      text: { accepted: ['', letters(10_000)], refused: [1] },
      includes: { accepted: [{}, { users: [] }], refused: ['x', []] },
    },
  },
  'GET /operator/deliveries': {
    values: {
      ...OPERATOR_PAGE,
      webhook_id: IDS,
      event_uuid: EVENT_UUIDS,
      before: IDS,
      state: oneOf('pending', 'delivered', 'retrying', 'given_up', 'not_sent'),
    },
  },
  'POST /operator/deliveries/resend': {
    sent: { webhook_id: '1', state: 'given_up', from: '2026-03-01T12:00Z', to: '2026-03-01T13:00Z' },
    values: { state: oneOf('given_up', 'not_sent', 'delivered'), from: UTC_TIMES, to: UTC_TIMES, after: IDS, webhook_id: IDS },
  },
  'GET /operator/events': {
    sent: { text: 'Hello', from: '2026-03-01T12:00Z', to: '2026-03-01T13:00Z' },
    values: {
      text: { accepted: ['%', '"\\', 'x'.repeat(200)], refused: ['', 'x'.repeat(201)] },
      from: UTC_TIMES,
      to: UTC_TIMES,
      before: IDS,
    },
  },
  'POST /operator/resends': {
    sent: { from: '2026-03-01T12:00Z', to: '2026-03-01T13:00Z' },
    values: { state: oneOf('given_up', 'not_sent', 'delivered'), from: UTC_TIMES, to: UTC_TIMES },
  },
  'POST /operator/replays': {
    sent: { webhook_id: '1', from_date: '202603011200', to_date: '202603011300' },
    values: { from_date: MINUTES, to_date: MINUTES },
  },
  'GET /operator/audit': {
    values: {
      ...OPERATOR_PAGE,
      before: { accepted: [1, 2_147_483_647], refused: [0, 'a'] },
      from: { accepted: ['2026-03-01T12:00:00Z', '2026-03-01T12:00Z'], refused: ['2026-03-01', 'a'] },
      to: { accepted: ['2026-03-01T12:00:00Z', '2026-03-01T12:00Z'], refused: ['2026-03-01', 'a'] },
    },
  },
  'GET /operator/audit/failures': { values: { ...OPERATOR_PAGE, before: { accepted: [1, 2_147_483_647], refused: [0, 'a'] } } },
  'POST /operator/tokens/revoke': { sent: { app_id: '1' }, values: { app_id: IDS, user_id: IDS } },
}

for (const [route, { sent = {}, values }] of Object.entries(endpoints))
  suite(route, () => {
    const refusals = refusalsAt(route)
    for (const [name, { accepted, refused }] of Object.entries(values))
      test(`${name} may have each of its values, and no other`, () => {
        for (const value of accepted)
          assert.deepEqual(refusals({ ...sent, [name]: value }), [], `${name} = ${JSON.stringify(value)?.slice(0, 100)}`)
        for (const value of refused) {
          const named = refusals({ ...sent, [name]: value })
          const isNamed = named.some((each) => each === name || each.startsWith(`${name}.`))
          assert.ok(isNamed, `${name} = ${JSON.stringify(value)?.slice(0, 100)}: ${named}`)
        }
      })
  })

const NOTHING: SentValues = {}
const WINDOW = { from: '2026-03-01T12:00Z', to: '2026-03-01T13:00Z' }
const [FROM, TO] = ['2026-03-01T12:00:00Z', '2026-03-01T13:00:00Z']
const CURSOR_AND_TOTAL = [{ cursor: 'x' }, { with_total_count: true }] as const

/** By route: requests that a rule between parameters allows, and the refused ones with the first parameter of each rule that they break. */
const rules: Record<string, { allowed: readonly SentValues[]; refused: readonly [SentValues, ...string[]][] }> = {
  'PUT /2/activity/subscriptions/:subscription_id': {
    allowed: [{ tag: 'x' }, { webhook_id: '1' }, { tag: 'x', webhook_id: '1' }],
    refused: [[NOTHING, 'tag']],
  },
  'PATCH /operator/users/:user_id': {
    allowed: [{ password: letters(8) }, { disabled: false }, { password: letters(8), disabled: true }],
    refused: [[NOTHING, 'password']],
  },
  'POST /operator/tokens/revoke': {
    allowed: [{ token: 'x' }, { user_id: '1' }, { app_id: '1' }, { user_id: '1', app_id: '1' }],
    refused: [
      [NOTHING, 'token'],
      [{ token: 'x', user_id: '1' }, 'token'],
      [{ token: 'x', app_id: '1' }, 'token'],
    ],
  },
  'POST /operator/events': {
    allowed: [AN_EVENT, { events: [AN_EVENT] }, { events: [AN_EVENT, { ...AN_EVENT, event_uuid: '1' }] }],
    refused: [
      [NOTHING, 'event_type'],
      [{ ...AN_EVENT, events: [AN_EVENT] }, 'event_type', 'events', 'events'],
      [{ event_type: 'dm.received', payload: {} }, 'user_id'],
      [{ event_type: 'dm.received', user_id: '1' }, 'payload'],
      [{ events: [AN_EVENT], user_id: '1' }, 'events'],
      [{ events: [AN_EVENT], payload: {} }, 'events'],
      [{ events: [AN_EVENT], event_uuid: '1' }, 'events'],
    ],
  },
  'POST /operator/deliveries/resend': {
    allowed: [
      { webhook_id: '1', event_uuid: '1' },
      { webhook_id: '1', state: 'delivered', ...WINDOW },
      { webhook_id: '1', state: 'delivered', ...WINDOW, after: '1' },
      { webhook_id: '1', state: 'delivered', ...WINDOW, event_type: 'dm.received', dry_run: true },
      WINDOW,
      { ...WINDOW, app_id: '1', event_type: 'dm.received', state: 'not_sent', dry_run: true, after: '1.1' },
    ],
    refused: [
      [NOTHING, 'from', 'to'],
      [{ to: WINDOW.to }, 'from'],
      [{ from: WINDOW.from }, 'to'],
      [{ event_uuid: '1' }, 'webhook_id'],
      [{ ...WINDOW, state: 'delivered', app_id: '1', webhook_id: '1' }, 'app_id'],
      [{ webhook_id: '1', event_uuid: '1', dry_run: true }, 'event_uuid'],
      [{ webhook_id: '1', event_uuid: '1', event_type: 'dm.received' }, 'event_uuid'],
      [{ webhook_id: '1' }, 'event_uuid'],
      [{ webhook_id: '1', event_uuid: '1', state: 'delivered', ...WINDOW }, 'event_uuid', 'event_uuid', 'event_uuid'],
      [{ webhook_id: '1', state: 'delivered', to: WINDOW.to }, 'from'],
      [{ webhook_id: '1', state: 'delivered', from: WINDOW.from }, 'to'],
      [{ webhook_id: '1', event_uuid: '1', from: WINDOW.from }, 'event_uuid'],
      [{ webhook_id: '1', event_uuid: '1', to: WINDOW.to }, 'event_uuid'],
      [{ webhook_id: '1', event_uuid: '1', after: '1' }, 'event_uuid'],
    ],
  },
  'POST /operator/clock': {
    allowed: [{ advance: '1h' }, { set: '2026-03-01T12:00Z' }, { step: '-1h' }],
    refused: [
      [NOTHING, 'advance'],
      [{ advance: '1h', set: '2026-03-01T12:00Z' }, 'advance'],
      [{ advance: '1h', step: '1h' }, 'advance'],
      [{ set: '2026-03-01T12:00Z', step: '1h' }, 'advance'],
    ],
  },
  'POST /12/accounts/:account_id/funding_instruments': {
    allowed: [{ type: 'CREDIT_CARD', currency: 'USD', start_time: FROM, end_time: TO }],
    refused: [
      [{ type: 'CREDIT_CARD', currency: 'USD', start_time: TO, end_time: FROM }, 'end_time'],
      [{ type: 'CREDIT_CARD', currency: 'USD', start_time: FROM, end_time: FROM }, 'end_time'],
    ],
  },
  'POST /12/accounts/:account_id/campaigns': {
    allowed: [
      { name: 'x', funding_instrument_id: '1', daily_budget_amount_local_micro: 5, total_budget_amount_local_micro: 5 },
      { name: 'x', funding_instrument_id: '1', daily_budget_amount_local_micro: 5 },
      { name: 'x', funding_instrument_id: '1', start_time: FROM, end_time: TO },
    ],
    refused: [
      [
        { name: 'x', funding_instrument_id: '1', daily_budget_amount_local_micro: 6, total_budget_amount_local_micro: 5 },
        'daily_budget_amount_local_micro',
      ],
      [{ name: 'x', funding_instrument_id: '1', start_time: TO, end_time: FROM }, 'end_time'],
      [{ name: 'x', funding_instrument_id: '1', start_time: FROM, end_time: FROM }, 'end_time'],
    ],
  },
  'POST /12/accounts/:account_id/post': {
    allowed: [
      { as_user_id: '1', text: 'x' },
      { as_user_id: '1', media_keys: ['3_1'] },
      { as_user_id: '1', text: '', media_keys: ['3_1'] },
      { as_user_id: '1', media_keys: ['7_1'], video_cta: 'WATCH_NOW', video_cta_value: 'https://example.com/' },
    ],
    refused: [
      [{ as_user_id: '1' }, 'text'],
      [{ as_user_id: '1', text: ' ' }, 'text'],
      [{ as_user_id: '1', text: 'x', video_title: 'x' }, 'media_keys'],
      [{ as_user_id: '1', text: 'x', video_description: 'x' }, 'media_keys'],
      [{ as_user_id: '1', media_keys: ['7_1'], video_cta: 'VISIT_SITE' }, 'video_cta_value'],
      [{ as_user_id: '1', media_keys: ['7_1'], video_cta_value: 'https://example.com/' }, 'video_cta'],
    ],
  },
  'POST /12/accounts/:account_id/cards/poll': {
    allowed: [POLL, { ...POLL, third_choice: 'x' }, { ...POLL, third_choice: 'x', fourth_choice: 'x' }],
    refused: [[{ ...POLL, fourth_choice: 'x' }, 'third_choice']],
  },
  'POST /12/accounts/:account_id/cards/video_conversation': {
    allowed: [CONVERSATION, { ...CONVERSATION, ...POSTS, second_cta: 'x', third_cta: 'x', fourth_cta: 'x' }],
    refused: ['second_cta', 'third_cta', 'fourth_cta'].map((cta): [SentValues, string] => [{ ...CONVERSATION, [cta]: 'x' }, `${cta}_post`]),
  },
  'GET /12/accounts/:account_id/account_history': {
    allowed: [{ entity_type: 'CAMPAIGN', entity_id: '1', start_time: FROM, end_time: TO }],
    refused: [[{ entity_type: 'CAMPAIGN', entity_id: '1', start_time: FROM, end_time: FROM }, 'end_time']],
  },
  ...Object.fromEntries(
    [
      ...['/12/accounts', '/12/accounts/:account_id/account_apps', '/12/accounts/:account_id/curated_categories'],
      ...['/12/accounts/:account_id/funding_instruments', '/12/accounts/:account_id/campaigns', '/12/accounts/:account_id/line_items'],
      ...['/12/accounts/:account_id/targeting_criteria', '/12/accounts/:account_id/promoted_posts'],
      '/12/accounts/:account_id/line_item_curated_categories',
      ...['/12/accounts/:account_id/account_media', '/12/accounts/:account_id/media_library', '/12/accounts/:account_id/cards'],
    ].map((path) => [
      `GET ${path}`,
      {
        allowed: [{ with_total_count: true }, NOTHING],
        refused: [[{ ...CURSOR_AND_TOTAL[0], ...CURSOR_AND_TOTAL[1] }, 'cursor'] as [SentValues, ...string[]]],
      },
    ]),
  ),
}

for (const [route, { allowed, refused }] of Object.entries(rules))
  test(`${route}: parameters that must or must not come together are refused by name`, () => {
    const refusals = refusalsAt(route)
    for (const values of allowed) assert.deepEqual(refusals(values), [], JSON.stringify(values))
    for (const [values, ...names] of refused) assert.deepEqual(refusals(values).sort(), names.sort(), JSON.stringify(values))
  })

test('a body has at most 64 KiB, but sets 256 KiB, batches 1 MiB, products 4 MiB, users of audiences 5,000,000 bytes, base64 of media 8 MiB, a seed 16 MiB, events 64 MiB', () => {
  const users = { changeAudienceUsers: 5_000_000, changeDoNotReachUsers: 5_000_000 }
  const batches = { batchCampaigns: 1_048_576, batchLineItems: 1_048_576, batchTargetingCriteria: 1_048_576 }
  const catalogs = { createProductSet: 262_144, putProducts: 4_194_304 }
  const media = { uploadMedia: 8_388_608, appendUpload: 8_388_608, runUploadCommand: 8_388_608 }
  const large = { ...users, ...batches, ...catalogs, ...media, loadSeed: 16_777_216, publishEvents: 67_108_864 } as Record<string, number>
  for (const { name, bodyLimitBytes } of allEndpoints) assert.equal(bodyLimitBytes, large[name] ?? 65_536, name)
})
