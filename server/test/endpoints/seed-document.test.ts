import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededKinds } from '../../src/endpoints/operator/seed/seed-document.ts'
import { refusalsAt } from '../stage/refused-parameters.ts'

test('members of a seed that there are none of are refused', () => {
  assert.deepEqual(refusalsAt('POST /operator/seed')({ others: [] }), ['others'])
  assert.deepEqual(refusalsAt('POST /operator/seed')({ accounts: [{ id: 'a', others: [] }] }), ['accounts.0.others'])
})

test('everything that a seed may have is reported by its name', () => {
  assert.deepEqual(
    seededKinds,
    [
      ...['apps', 'users', 'tokens', 'webhooks', 'subscriptions', 'accounts', 'product_catalogs', 'topics', 'places'],
      ...['media', 'polls', 'posts', 'lists', 'spaces', 'direct_messages', 'reposts', 'follows'],
      ...['mutes', 'blocks', 'likes', 'bookmarks', 'members', 'list_members', 'list_followers', 'list_pins'],
      ...['space_buyers', 'products', 'product_sets'],
      ...[
        'account_apps',
        'promotable_users',
        'funding_instruments',
        'campaigns',
        'line_items',
        'targeting_criteria',
        'promoted_posts',
        'line_item_curated_categories',
        'custom_audiences',
        'tailored_audience_permissions',
        'do_not_reach_lists',
        'account_media',
        'media_library',
        'cards',
      ],
    ],
    'a kind of a seed, such as the table of a resource, is written out in this test',
  )
})

const MEMBER = { user_id: '1', role: 'ANALYST' }

/** By kind: a record, and members with values that they may have and may not. */
const RECORDS: Record<string, [record: object, values: Record<string, [right: readonly unknown[], wrong: readonly unknown[]]>]> = {
  users: [
    { username: 'x' },
    {
      username: [['x'.repeat(15)], ['x'.repeat(16), '']],
      name: [['x'.repeat(50)], ['x'.repeat(51)]],
      password: [['x'.repeat(500)], ['x'.repeat(501)]],
    },
  ],
  tokens: [
    { consumer_key: 'k', user_id: '1', oauth_token: 't', oauth_token_secret: 's' },
    {
      oauth_token: [['x'.repeat(200)], ['x'.repeat(201)]],
      oauth_token_secret: [['x'.repeat(200)], ['x'.repeat(201)]],
      permissions: [['read', 'read_write', 'read_write_dm'], ['write']],
    },
  ],
  webhooks: [
    { consumer_key: 'k', url: 'u' },
    { url: [['x'.repeat(200)], ['x'.repeat(201)]], valid: [[true, false], ['yes']] },
  ],
  subscriptions: [{ consumer_key: 'k', event_type: 'dm.received', filter: {} }, { tag: [['x'.repeat(200)], ['x'.repeat(201)]] }],
  apps: [
    { name: 'x' },
    {
      name: [['x'.repeat(100)], ['x'.repeat(101)]],
      consumer_key: [
        ['x', 'x'.repeat(200)],
        ['', 'x'.repeat(201)],
      ],
      consumer_secret: [
        ['x', 'x'.repeat(200)],
        ['', 'x'.repeat(201)],
      ],
    },
  ],
  accounts: [
    { id: 'a' },
    {
      approval_status: [['ACCEPTED', 'REJECTED'], ['UNDER_REVIEW']],
      timezone: [['x'.repeat(100)], ['x'.repeat(101)]],
      business_name: [['x'.repeat(255), null], ['x'.repeat(256)]],
      business_id: [['x'.repeat(50), null], ['x'.repeat(51)]],
      members: [
        [
          ...['ACCOUNT_ADMIN', 'AD_MANAGER', 'CREATIVE_MANAGER', 'CAMPAIGN_ANALYST', 'ANALYST', 'PARTNER_AUDIENCE_MANAGER'],
          'TWEET_COMPOSER',
        ].map((role) => [{ ...MEMBER, role }]),
        [[{ ...MEMBER, role: 'OWNER' }], [{ user_id: '1' }], [{ role: 'ANALYST' }]],
      ],
      account_apps: [
        [[{ os_type: 'Android' }], [{ os_type: 'iOS', app_store_identifier: 'x'.repeat(255), deep_link_pattern: 'x'.repeat(255) }]],
        [[{ os_type: 'Windows' }], [{ app_store_identifier: 'x'.repeat(256) }], [{ deep_link_pattern: 'x'.repeat(256) }]],
      ],
      funding_instruments: [
        [
          [{ entity_status: 'ACTIVE', description: 'x'.repeat(255), credit_limit_local_micro: 0 }],
          [{ entity_status: 'PAUSED', able_to_fund: false, reasons_not_able_to_fund: ['X'] }],
        ],
        [[{ entity_status: 'DRAFT' }], [{ description: 'x'.repeat(256) }], [{ credit_limit_local_micro: -1 }]],
      ],
      campaigns: [
        [[{ duration_in_days: 1, frequency_cap: 1, entity_status: 'DRAFT' }]],
        [[{ duration_in_days: 0 }], [{ frequency_cap: 0 }], [{ entity_status: 'EXPIRED' }]],
      ],
      line_items: [
        [
          ...['MANUAL', 'ADVERTISER', 'PUBLISHER'].map((creative_source) => [{ creative_source }]),
          [{ target_cpa_local_micro: 1, primary_web_event_tag: 'x'.repeat(50) }],
        ],
        [[{ creative_source: 'OTHER' }], [{ target_cpa_local_micro: 0 }], [{ primary_web_event_tag: 'x'.repeat(51) }]],
      ],
      promoted_posts: [
        [
          ...['ACCEPTED', 'REJECTED', 'UNDER_REVIEW'].map((approval_status) => [{ approval_status }]),
          ...['ACTIVE', 'PAUSED'].map((entity_status) => [{ entity_status }]),
        ],
        [[{ approval_status: 'PENDING' }], [{ entity_status: 'DRAFT' }]],
      ],
    },
  ],
}

test('the members of a seed have the values and limits of what they become', () => {
  const refusals = refusalsAt('POST /operator/seed')
  for (const [kind, [record, values]] of Object.entries(RECORDS))
    for (const [name, [right, wrong]] of Object.entries(values)) {
      for (const value of right) assert.deepEqual(refusals({ [kind]: [{ ...record, [name]: value }] }), [], `${kind}.${name}: ${value}`)
      for (const value of wrong)
        assert.notDeepEqual(refusals({ [kind]: [{ ...record, [name]: value }] }), [], `${kind}.${name}: ${JSON.stringify(value)}`)
    }
})
