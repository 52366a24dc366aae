import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { lastMidnightMs, wholeSeconds } from '../../src/lib/time.ts'
import { ACCOUNT, adsCaller, adsSeed, dataOf, FUNDING, mistakesOf } from '../stage/ads.ts'
import type { Answer } from '../stage/call.ts'
import { databasesOf } from '../stage/databases.ts'
import { setStage } from '../stage/postern.ts'
import { ada, grace } from '../stage/sign-in.ts'
import { graces } from '../stage/signed-calls.ts'

const flavours = databasesOf(import.meta)

const ACCOUNTS = '/12/accounts'
const OWN = `${ACCOUNTS}/${ACCOUNT}`

const idsOf = (records: { id: string }[]) => records.map(({ id }) => id)

const seedWith = (more: object, accounts: object[] = []) =>
  ({ ...adsSeed, accounts: [{ ...adsSeed.accounts?.[0], ...more }, ...accounts] }) as object as SeedDocument

for (const flavour of flavours)
  suite(`accounts on ${flavour}`, () => {
    test('an account is read by its members and changed only by its administrators', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const ads = adsCaller(stage)
      const account = dataOf(await ads('GET', OWN))
      const { created_at } = account
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
      assert.deepEqual(account, {
        id: ACCOUNT,
        name: 'Demo ads',
        business_name: null,
        business_id: null,
        timezone: 'America/Los_Angeles',
        timezone_switch_at: wholeSeconds(lastMidnightMs('America/Los_Angeles', Date.parse(created_at))),
        approval_status: 'ACCEPTED',
        industry_type: null,
        created_at,
        updated_at: created_at,
        deleted: false,
      })
      const asGrace = adsCaller(stage, 'production', graces)
      for (const member of [ads, asGrace]) {
        assert.deepEqual(dataOf(await member('GET', ACCOUNTS)), [account])
        assert.deepEqual(dataOf(await member('GET', OWN.toUpperCase().replace('/ACCOUNTS', '/accounts'))), account)
      }
      const access = async (member: typeof ads) => dataOf(await member('GET', `${OWN}/authenticated_user_access`))
      assert.deepEqual(await access(ads), { user_id: ada.id, permissions: ['ACCOUNT_ADMIN'] })
      assert.deepEqual(await access(asGrace), { user_id: grace.id, permissions: ['ANALYST'] })
      assert.deepEqual(mistakesOf(await asGrace('PUT', OWN, { name: 'Hers' })), [403, 'ACTION_NOT_ALLOWED'])

      stage.clock.advance(2000)
      const changed = dataOf(await ads('PUT', OWN, { name: 'Ω name', industry_type: 'RETAIL', timezone: 'Europe/Paris' }))
      assert.deepEqual({ ...changed, updated_at: null }, { ...account, name: 'Ω name', industry_type: 'RETAIL', updated_at: null })
      assert.ok(changed.updated_at > created_at)
      const unset = await ads('PUT', OWN, { industry_type: '' })
      assert.deepEqual([dataOf(unset).industry_type, dataOf(unset).name], [null, 'Ω name'])
      assert.deepEqual(unset.body.request.params, { account_id: ACCOUNT, industry_type: null })
      assert.deepEqual(mistakesOf(await ads('PUT', OWN, { name: '', industry_type: 'NONE' })).sort(), [
        400,
        'INVALID_PARAMETER industry_type',
        'INVALID_PARAMETER name',
      ])
      assert.deepEqual(dataOf(await ads('GET', OWN)), dataOf(unset))
    })

    test('a member with the permission to compose posts has it listed after the role, and only the role allows changes', async () => {
      const members = [
        { user_id: ada.id, role: 'AD_MANAGER', permissions: [] },
        { user_id: grace.id, role: 'ANALYST', permissions: ['TWEET_COMPOSER'] },
      ]
      await using stage = await setStage({ flavour, seed: seedWith({ members }) })
      const asGrace = adsCaller(stage, 'production', graces)
      const access = async (member: typeof asGrace) => dataOf(await member('GET', `${OWN}/authenticated_user_access`)).permissions
      assert.deepEqual(await access(adsCaller(stage)), ['AD_MANAGER'])
      assert.deepEqual(await access(asGrace), ['ANALYST', 'TWEET_COMPOSER'])
      const campaign = { funding_instrument_id: FUNDING, name: 'Hers' }
      assert.deepEqual(mistakesOf(await asGrace('POST', `${OWN}/campaigns`, campaign)), [403, 'ACTION_NOT_ALLOWED'])
    })

    test('the accounts of a user are found by id and by name prefix, sorted and counted', async () => {
      const members = [{ user_id: ada.id, role: 'AD_MANAGER' }]
      const more = [
        { id: 'b2', name: 'Äpfel', members },
        { id: 'b3', name: 'apples', members },
        { id: 'b4', name: '100% off_', members },
      ]
      await using stage = await setStage({ flavour, seed: seedWith({}, more) })
      const ads = adsCaller(stage)
      const found = async (params: object) => idsOf(dataOf(await ads('GET', ACCOUNTS, { sort_by: 'name-asc', ...params })))
      assert.deepEqual(await found({}), ['b4', ACCOUNT, 'b3', 'b2'])
      assert.deepEqual(await found({ sort_by: 'name-desc' }), ['b2', 'b3', ACCOUNT, 'b4'])
      assert.deepEqual(await found({ q: 'ÄPF' }), ['b2'])
      assert.deepEqual(await found({ q: 'APP' }), ['b3'])
      assert.deepEqual(await found({ q: '100%' }), ['b4'])
      for (const wild of ['%', '_', '1%f']) assert.deepEqual(await found({ q: wild }), [], wild)
      assert.deepEqual(await found({ account_ids: ['B3', 'b2', 'none'] }), ['b3', 'b2'])
      const first = await ads('GET', ACCOUNTS, { sort_by: 'name-asc', count: 3, with_total_count: true })
      assert.deepEqual([idsOf(dataOf(first)), first.body.total_count], [['b4', ACCOUNT, 'b3'], 4])
      const last = await ads('GET', ACCOUNTS, { sort_by: 'name-asc', count: 3, cursor: first.body.next_cursor })
      assert.deepEqual([idsOf(dataOf(last)), last.body.next_cursor, 'total_count' in last.body], [['b2'], null, false])
      dataOf(await ads('PUT', OWN, { name: 'zebra' }))
      assert.deepEqual(await found({}), ['b4', 'b3', ACCOUNT, 'b2'])
      assert.deepEqual(mistakesOf(await ads('GET', ACCOUNTS, { with_total_count: true, cursor: 'x' })), [
        400,
        'EXCLUSIVE_PARAMETERS cursor',
      ])
    })

    test('a sandbox account is created with its administrator, and is not found once deleted', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const ads = adsCaller(stage, 'sandbox')
      assert.deepEqual(dataOf(await ads('GET', ACCOUNTS)), [])
      const made = await ads('POST', ACCOUNTS)
      const account = dataOf(made)
      assert.deepEqual(made.body.request, { params: {} })
      assert.deepEqual(
        [account.name, account.timezone, account.timezone_switch_at, account.approval_status, account.deleted],
        ['Sandbox account', 'America/Los_Angeles', null, 'ACCEPTED', false],
      )
      const path = `${ACCOUNTS}/${account.id}`
      assert.deepEqual(dataOf(await ads('GET', path)), account)
      assert.deepEqual(dataOf(await ads('GET', ACCOUNTS)), [account])
      const { permissions } = dataOf(await ads('GET', `${path}/authenticated_user_access`))
      assert.deepEqual(permissions, ['ACCOUNT_ADMIN'])
      assert.deepEqual(dataOf(await ads('GET', `${path}/features`)), [
        'CPI_CHARGING',
        'EVENT_TARGETING',
        'INSTALLED_APP_CATEGORY_TARGETING',
        'MOBILE_CONVERSION_TRANSACTION_VALUE',
        'OPTIMIZED_ACTION_BIDDING',
        'VIDEO_APP_DOWNLOAD_CARD',
      ])
      assert.deepEqual(mistakesOf(await adsCaller(stage, 'sandbox', graces)('GET', path)), [403, 'ACCOUNT_NOT_FOUND'])

      const deleted = dataOf(await ads('DELETE', path))
      assert.deepEqual([deleted.id, deleted.deleted], [account.id, true])
      for (const [method, at] of [
        ['GET', path],
        ['PUT', path],
        ['DELETE', path],
        ['GET', `${path}/features`],
        ['POST', `${path}/campaigns`],
      ] as const)
        assert.deepEqual(mistakesOf(await ads(method, at)), [403, 'ACCOUNT_NOT_FOUND'], `${method} ${at}`)
      assert.deepEqual(dataOf(await ads('GET', path, { with_deleted: true })), deleted)
      assert.deepEqual(dataOf(await ads('GET', ACCOUNTS)), [])
      assert.deepEqual(dataOf(await ads('GET', ACCOUNTS, { with_deleted: true })), [deleted])
    })

    test('features are listed in alphabetical order, granted and revoked', async () => {
      const features = ['REACH_FREQUENCY_CAP', 'CITY_TARGETING']
      await using stage = await setStage({ flavour, seed: seedWith({ sandbox: true, features }) })
      const ads = adsCaller(stage, 'sandbox')
      const at = `${OWN}/features`
      assert.deepEqual(dataOf(await ads('GET', at)), ['CITY_TARGETING', 'REACH_FREQUENCY_CAP'])
      const granted = await ads('POST', at, { feature_keys: ['REACH_FREQUENCY_CAP', 'AGE_TARGETING'] })
      assert.deepEqual(dataOf(granted), ['AGE_TARGETING', 'CITY_TARGETING', 'REACH_FREQUENCY_CAP'])
      assert.deepEqual(granted.body.request.params, { account_id: ACCOUNT, feature_keys: ['REACH_FREQUENCY_CAP', 'AGE_TARGETING'] })
      assert.deepEqual(dataOf(await ads('GET', at, { feature_keys: ['CITY_TARGETING', 'BRAND_TPN'] })), ['CITY_TARGETING'])
      assert.deepEqual(dataOf(await ads('DELETE', at, { feature_keys: ['AGE_TARGETING', 'BRAND_TPN'] })), [
        'CITY_TARGETING',
        'REACH_FREQUENCY_CAP',
      ])
      assert.deepEqual(mistakesOf(await ads('POST', at)), [400, 'MISSING_PARAMETER feature_keys'])
      assert.deepEqual(mistakesOf(await ads('POST', at, { feature_keys: 'NOTHING' })), [400, 'INVALID_PARAMETER feature_keys'])
      const asGrace = adsCaller(stage, 'sandbox', graces)
      assert.deepEqual(mistakesOf(await asGrace('POST', at, { feature_keys: 'BRAND_TPN' })), [403, 'ACTION_NOT_ALLOWED'])
      assert.equal(dataOf(await asGrace('GET', at)).length, 2)
    })

    test('a sandbox funding instrument is created, read, and deleted with its campaigns', async () => {
      await using stage = await setStage({ flavour, seed: seedWith({ sandbox: true }) })
      const ads = adsCaller(stage, 'sandbox')
      const at = `${OWN}/funding_instruments`
      assert.deepEqual(mistakesOf(await ads('POST', at, { type: 'CASH', end_time: 'never' })).sort(), [
        400,
        'INVALID_PARAMETER end_time',
        'INVALID_PARAMETER type',
        'MISSING_PARAMETER currency',
        'MISSING_PARAMETER start_time',
      ])
      const given = { type: 'CREDIT_LINE', currency: 'eur', start_time: '2026-01-01', credit_limit_local_micro: 9_007_199_254_740_991 }
      const made = dataOf(await ads('POST', at, given))
      assert.deepEqual(
        [
          made.account_id,
          made.currency,
          made.start_time,
          made.credit_limit_local_micro,
          made.credit_remaining_local_micro,
          made.able_to_fund,
          made.description,
        ],
        [
          ACCOUNT,
          'EUR',
          '2026-01-01T00:00:00Z',
          9_007_199_254_740_991,
          9_007_199_254_740_991,
          true,
          '(no payment method has been set up yet)',
        ],
      )
      assert.deepEqual(dataOf(await ads('GET', `${at}/${made.id}`)), made)
      assert.deepEqual(idsOf(dataOf(await ads('GET', at))).sort(), [FUNDING, made.id].sort())
      const window = { ...given, start_time: '2026-01-02', end_time: '2026-01-01' }
      assert.deepEqual(mistakesOf(await ads('POST', at, window)), [400, 'INVALID_TIME_WINDOW end_time'])

      const campaign = dataOf(await ads('POST', `${OWN}/campaigns`, { funding_instrument_id: made.id, name: 'x' }))
      assert.equal(campaign.currency, 'EUR')
      assert.equal(dataOf(await ads('DELETE', `${at}/${made.id}`)).deleted, true)
      for (const method of ['GET', 'DELETE'])
        assert.deepEqual(mistakesOf(await ads(method, `${at}/${made.id}`)), [404, 'FUNDING_INSTRUMENT_NOT_FOUND'])
      assert.deepEqual(mistakesOf(await ads('GET', `${OWN}/campaigns/${campaign.id}`)), [404, 'CAMPAIGN_NOT_FOUND'])
    })

    test('business and curated categories are built in', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const ads = adsCaller(stage)
      const business: { id: string; name: string; iab_categories: string[] }[] = dataOf(
        await ads('GET', '/12/advertiser_business_categories'),
      )
      assert.equal(business.length, 16)
      const codesOf = (id: string) => business.find((category) => category.id === id)!.iab_categories
      assert.deepEqual([codesOf('1jl').length, codesOf('1jt').length], [35, 36])
      assert.deepEqual(codesOf('1jm'), ['IAB7'])
      const codes = business.flatMap(({ iab_categories }) => iab_categories)
      assert.equal(new Set(codes).size, codes.length)

      const at = `${OWN}/curated_categories`
      const whole = await ads('GET', at)
      assert.deepEqual([dataOf(whole).length, whole.body.total_count, whole.body.next_cursor], [9, 9, null])
      const scoped = await ads('GET', at, { country_codes: ['US', 'JP'] })
      assert.deepEqual([dataOf(scoped), scoped.body.request.params.country_codes], [dataOf(whole), ['US', 'JP']])
      const inEitherCase = await ads('GET', at, { country_codes: 'us,US,jp' })
      assert.deepEqual([dataOf(inEitherCase), inEitherCase.body.request.params.country_codes], [dataOf(whole), ['us', 'US', 'jp']])
      for (const wrong of ['USA', 'u1', 'u\u017f'])
        assert.deepEqual(mistakesOf(await ads('GET', at, { country_codes: wrong })), [400, 'INVALID_PARAMETER country_codes'], wrong)
      const elsewhere = await ads('GET', at, { country_codes: 'JP' })
      assert.deepEqual([dataOf(elsewhere), elsewhere.body.total_count], [[], 0])
      const paged: string[] = []
      let cursor: string | null = ''
      for (let page = 0; page < 3 && cursor !== null; page += 1) {
        const answer = await ads('GET', at, { count: 4, country_codes: 'US', ...(cursor && { cursor }) })
        paged.push(...idsOf(dataOf(answer)))
        assert.equal(answer.body.total_count, 9)
        cursor = answer.body.next_cursor
      }
      assert.deepEqual([paged, cursor], [idsOf(dataOf(whole)), null])
      const names = (answer: Answer) => dataOf(answer).map(({ name }: { name: string }) => name)
      const byName = names(await ads('GET', at, { sort_by: 'name-asc' }))
      assert.deepEqual(byName, [...byName].sort())
      const backwards = await ads('GET', at, { sort_by: 'created_at-asc,name-desc', count: 8 })
      const last = await ads('GET', at, { sort_by: 'created_at-asc,name-desc', cursor: backwards.body.next_cursor })
      assert.deepEqual([...names(backwards), ...names(last)], byName.toReversed())
      assert.deepEqual(idsOf(dataOf(whole)), idsOf(dataOf(whole)).sort().reverse())
      const misused = await ads('GET', at, { cursor: backwards.body.next_cursor, with_total_count: true, with_deleted: 'perhaps' })
      assert.deepEqual(mistakesOf(misused), [400, 'INVALID_PARAMETER with_deleted', 'EXCLUSIVE_PARAMETERS cursor'])
      assert.deepEqual(mistakesOf(await ads('GET', at, { sort_by: 'color-asc' })), [400, 'INVALID_PARAMETER sort_by'])
      assert.deepEqual(mistakesOf(await ads('GET', at, { country_codes: 'usa' })), [400, 'INVALID_PARAMETER country_codes'])
      assert.equal(dataOf(await ads('GET', `${at}/9DDRGESIAP6O`)).name, 'Soccer')
      assert.deepEqual(mistakesOf(await ads('GET', `${at}/zzz`)), [404, 'NOT_FOUND'])
    })
  })

/** Everything that an account of a seed may hold. */
const whole = {
  id: 'whole1',
  name: 'Whole',
  members: [{ user_id: ada.id, role: 'ACCOUNT_ADMIN' }],
  features: ['REACH_FREQUENCY_CAP'],
  account_apps: [{ id: 'app1', app_store_identifier: 'com.example.app', os_type: 'Android', conversion_tracking_enabled: true }],
  funding_instruments: [{ id: 'fund1', type: 'CREDIT_CARD', currency: 'EUR' }],
  campaigns: [{ id: 'camp1', funding_instrument_id: 'fund1', name: 'Camp' }],
  line_items: [
    { id: 'line1', campaign_id: 'camp1', objective: 'ENGAGEMENTS', product_type: 'PROMOTED_TWEETS', placements: ['ALL_ON_TWITTER'] },
  ],
  targeting_criteria: [{ line_item_id: 'line1', targeting_type: 'LOCATION', targeting_value: '96683cc9126741d1' }],
  promoted_posts: [{ line_item_id: 'line1', post_id: '822333526255120384' }],
  line_item_curated_categories: [{ line_item_id: 'line1', curated_category_id: '9ddrgesiap6o' }],
}

const seedOf = (account: object) => ({ accounts: [account] })

for (const flavour of flavours)
  suite(`accounts of a seed on ${flavour}`, () => {
    test('everything of an account is loaded once, and differences are reported', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const load = async (account: object) => {
        const answer = await stage.operator('POST', '/operator/seed', seedOf(account))
        assert.equal(answer.status, 200, answer.text)
        return answer.body.data ?? answer.body
      }
      assert.deepEqual((await load(whole)).created, [{ kind: 'accounts', id: 'whole1' }])
      const ads = adsCaller(stage)
      const apps = await ads('GET', `${ACCOUNTS}/whole1/account_apps`, { with_total_count: true })
      assert.deepEqual([idsOf(dataOf(apps)), dataOf(apps)[0].deep_link_pattern, apps.body.total_count], [['app1'], null, 1])
      const campaign = dataOf(await ads('GET', `${ACCOUNTS}/whole1/campaigns/camp1`))
      assert.deepEqual([campaign.currency, campaign.servable], ['EUR', true])
      const again = await load(whole)
      assert.deepEqual([again.created, again.existing, again.differing], [[], [{ kind: 'accounts', id: 'whole1' }], []])
      assert.deepEqual(dataOf(await ads('GET', `${ACCOUNTS}/whole1/campaigns/camp1`)), campaign)
      const otherwise = { ...whole, name: 'Other', campaigns: [{ ...whole.campaigns[0], name: 'Otherwise' }] }
      assert.deepEqual((await load(otherwise)).differing, [{ kind: 'accounts', id: 'whole1', fields: ['name', 'campaigns.name'] }])
      assert.equal(dataOf(await ads('GET', `${ACCOUNTS}/whole1`)).name, 'Whole')
    })

    test('values missing in a seed account are generated and matched by the next load', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const ads = adsCaller(stage)
      const parts = { account_apps: [{}], funding_instruments: [{}], campaigns: [{}], line_items: [{}, { objective: 'REACH' }] }
      const bare = { members: [{ user_id: ada.id, role: 'ACCOUNT_ADMIN' }], ...parts }
      const load = async () => (await stage.operator('POST', '/operator/seed', seedOf(bare))).body.data
      const { id } = (await load()).created[0]
      const of = async (kind: string) => dataOf(await ads('GET', `${ACCOUNTS}/${id}/${kind}`))
      const [[app], [funding], [campaign], items] = [
        await of('account_apps'),
        await of('funding_instruments'),
        await of('campaigns'),
        await of('line_items'),
      ]
      assert.equal(dataOf(await ads('GET', `${ACCOUNTS}/${id}`)).name, 'Account')
      assert.deepEqual([app.os_type, funding.type, funding.currency], ['Android', 'CREDIT_CARD', 'USD'])
      assert.deepEqual([campaign.name, campaign.funding_instrument_id, campaign.servable], ['Campaign', funding.id, true])
      for (const item of items)
        assert.deepEqual([item.campaign_id, item.product_type, item.currency], [campaign.id, 'PROMOTED_TWEETS', 'USD'])
      assert.deepEqual(items.map(({ objective }: { objective: string }) => objective).sort(), ['ENGAGEMENTS', 'REACH'])
      const again = await load()
      assert.deepEqual([again.created, again.existing, again.differing], [[], [{ kind: 'accounts', id }], []])
    })

    test('records that were deleted since stay deleted when the seed is loaded again', async () => {
      await using stage = await setStage({ flavour, seed: { ...adsSeed, ...seedOf(whole) } as object as SeedDocument })
      const ads = adsCaller(stage)
      dataOf(await ads('DELETE', `${ACCOUNTS}/whole1/campaigns/camp1`))
      await stage.restart()
      const afterwards = adsCaller(stage)
      assert.deepEqual(dataOf(await afterwards('GET', `${ACCOUNTS}/whole1/campaigns`)), [])
      const [gone, ...others] = dataOf(await afterwards('GET', `${ACCOUNTS}/whole1/campaigns`, { with_deleted: true }))
      assert.deepEqual([gone.id, gone.deleted, others], ['camp1', true, []])
    })

    test('an invalid account is rejected with the name of the field, and nothing of it is stored', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const { id: _, ...withoutId } = whole.line_items[0]!
      const refusals: [string, object][] = [
        ['accounts.members.user_id', { ...whole, members: [{ user_id: '999', role: 'ANALYST' }] }],
        [
          'accounts.campaigns.funding_instrument_id',
          { ...whole, funding_instruments: [{ id: 'f1' }, { id: 'f2' }], campaigns: [{ name: 'x' }] },
        ],
        ['accounts.targeting_criteria.targeting_type', { ...whole, targeting_criteria: [{ targeting_value: 'US' }] }],
        ['accounts.funding_instruments.id', { ...whole, funding_instruments: [{ id: FUNDING, type: 'CREDIT_CARD', currency: 'USD' }] }],
        ['accounts.line_items.campaign_id', { ...whole, line_items: [{ ...withoutId, campaign_id: 'none' }] }],
        ['accounts.campaigns.funding_instrument_id', { ...whole, campaigns: [{ name: 'x', funding_instrument_id: 'none' }] }],
        ['accounts.id', { ...whole, id: ACCOUNT, sandbox: true }],
      ]
      for (const [field, account] of refusals) {
        const answer = await stage.operator('POST', '/operator/seed', seedOf(account))
        assert.equal(answer.status, 400, `${field}: ${answer.text}`)
        assert.deepEqual(Object.keys(answer.body.errors[0].parameters), [field], answer.text)
        assert.deepEqual(idsOf(dataOf(await adsCaller(stage)('GET', ACCOUNTS, { with_deleted: true }))), [ACCOUNT], field)
      }
    })
  })
