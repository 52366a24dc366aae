import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { SeedReport } from '../../src/endpoints/operator/seed/load-seed.ts'
import { adsCaller, adsSeed, dataOf } from '../stage/ads.ts'
import { databasesOf } from '../stage/databases.ts'
import { type Stage, setStage } from '../stage/postern.ts'
import { ada, grace } from '../stage/sign-in.ts'

const AT = '/12/accounts/seeded1'

/** An account of which nothing has an id that nothing refers to. */
const account = {
  id: 'seeded1',
  name: 'Seeded',
  members: [{ user_id: ada.id, role: 'ACCOUNT_ADMIN' }],
  features: ['CITY_TARGETING'],
  funding_instruments: [{ id: 'fund9', type: 'CREDIT_CARD', currency: 'EUR' }],
  campaigns: [
    { id: 'camp9', funding_instrument_id: 'fund9', name: 'Pinned' },
    { funding_instrument_id: 'fund9', name: 'Twin' },
    { funding_instrument_id: 'fund9', name: 'Twin' },
  ],
  line_items: [
    {
      id: 'line9',
      campaign_id: 'camp9',
      name: 'Pinned',
      objective: 'ENGAGEMENTS',
      product_type: 'PROMOTED_TWEETS',
      placements: ['ALL_ON_TWITTER'],
    },
    { campaign_id: 'camp9', name: 'Nameless', objective: 'ENGAGEMENTS', product_type: 'PROMOTED_TWEETS', placements: ['ALL_ON_TWITTER'] },
  ],
  targeting_criteria: [{ line_item_id: 'line9', targeting_type: 'LOCATION', targeting_value: '96683cc9126741d1' }],
  promoted_posts: [{ line_item_id: 'line9', post_id: '822333526255120384' }],
  line_item_curated_categories: [{ line_item_id: 'line9', curated_category_id: '9ddrgesiap6o' }],
}

const [line] = account.line_items

const KINDS = ['funding_instruments', 'campaigns', 'line_items', 'targeting_criteria', 'promoted_posts', 'line_item_curated_categories']

const loader =
  (stage: Stage) =>
  async (...accounts: object[]): Promise<SeedReport> => {
    const answer = await stage.operator('POST', '/operator/seed', { accounts })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data
  }

/** All that an account has, by kind. */
async function holdings(stage: Stage, at = AT): Promise<Record<string, { id: string; name: string; [field: string]: unknown }[]>> {
  const lists = KINDS.map(async (kind) => [kind, dataOf(await adsCaller(stage)('GET', `${at}/${kind}`, { with_deleted: true }))])
  return Object.fromEntries(await Promise.all(lists))
}

const nameIs = (wanted: string) => (one: { name: string }) => one.name === wanted

for (const flavour of databasesOf(import.meta))
  suite(`seeds of accounts on ${flavour}`, () => {
    test('a record without an id is matched by the next load, whatever was changed in it', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const [load, ads] = [loader(stage), adsCaller(stage)]
      await load(account)
      const before = await holdings(stage)
      assert.deepEqual(
        KINDS.map((kind) => before[kind]!.length),
        [1, 3, 2, 1, 1, 1],
      )
      dataOf(await ads('PUT', `${AT}/campaigns/${before.campaigns!.find(nameIs('Twin'))!.id}`, { name: 'Renamed' }))
      dataOf(await ads('PUT', `${AT}/line_items/${before.line_items!.find(nameIs('Nameless'))!.id}`, { name: 'Renamed' }))
      const [category] = before.line_item_curated_categories!
      dataOf(await ads('PUT', `${AT}/line_item_curated_categories/${category!.id}`, { curated_category_id: '9lav5usxfmdc' }))
      const changed = await holdings(stage)
      const report = await load(account)
      assert.deepEqual(report.created, [])
      const fields = ['campaigns.name', 'line_items.name', 'line_item_curated_categories.curated_category_id']
      assert.deepEqual(report.differing, [{ kind: 'accounts', id: 'seeded1', fields }])
      assert.deepEqual(await holdings(stage), changed)
    })

    test('a seed loads again after its records were deleted: their children stay hidden, and none is created', async () => {
      await using stage = await setStage({ flavour, seed: { ...adsSeed, accounts: [account] } as object as typeof adsSeed })
      const nameless = (await holdings(stage)).line_items!.find(nameIs('Nameless'))!
      dataOf(await adsCaller(stage)('PUT', `${AT}/line_items/${nameless.id}`, { name: 'Renamed' }))
      dataOf(await adsCaller(stage)('DELETE', `${AT}/campaigns/camp9`))
      const deleted = await holdings(stage)
      await stage.restart()
      assert.deepEqual(await holdings(stage), deleted)
      assert.deepEqual(dataOf(await adsCaller(stage)('GET', `${AT}/line_items`)), [])
      const line = {
        id: 'line8',
        campaign_id: 'camp9',
        objective: 'ENGAGEMENTS',
        product_type: 'PROMOTED_TWEETS',
        placements: ['ALL_ON_TWITTER'],
      }
      const more = { ...account, line_items: [...account.line_items, line], promoted_posts: [{ line_item_id: 'line8', post_id: '1' }] }
      assert.deepEqual((await loader(stage)(more)).created, [])
      assert.deepEqual(await holdings(stage), deleted)
    })

    test('a start logs one warning with the differences from its seed', async () => {
      await using stage = await setStage({ flavour, seed: { ...adsSeed, accounts: [account] } as object as typeof adsSeed })
      dataOf(await adsCaller(stage)('PUT', `${AT}/campaigns/camp9`, { name: 'Renamed' }))
      dataOf(await adsCaller(stage)('PUT', AT, { name: 'Renamed' }))
      await stage.restart()
      assert.deepEqual(
        stage.log.filter(({ level }) => level === 40).map(({ msg }) => msg),
        ['the database differs from the seed and keeps its values: accounts seeded1 (name, campaigns.name)'],
      )
    })

    test('accounts without ids are matched by host and name, also after they were renamed or deleted', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const load = loader(stage)
      const members = [{ user_id: ada.id, role: 'ACCOUNT_ADMIN' }]
      const accounts = [
        { name: 'Twin', members },
        { name: 'Twin', members },
        { name: 'Twin', sandbox: true, members },
      ]
      const made = (await load(...accounts)).created.map(({ id }) => id)
      assert.equal(new Set(made).size, 3)
      for (const id of made) assert.match(id, /^[0-9a-z]{12}$/)
      dataOf(await adsCaller(stage)('PUT', `/12/accounts/${made[1]}`, { name: 'Renamed' }))
      dataOf(await adsCaller(stage, 'sandbox')('DELETE', `/12/accounts/${made[2]}`))
      const again = await load(...accounts)
      assert.deepEqual(again.created, [])
      assert.deepEqual([...again.existing, ...again.differing].map(({ id }) => id).sort(), [...made].sort())
      assert.deepEqual(again.differing, [{ kind: 'accounts', id: made[1], fields: ['name'] }])
    })

    test('a production account has changed its time zone at a local midnight, unless the seed says otherwise; a sandbox account has not', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const load = loader(stage)
      const made = { name: 'Zoned', created_at: '2026-03-08T12:00:00Z', members: account.members }
      const said = '2020-01-01T00:00:00Z'
      const accounts = [
        { ...made, id: 'usual' },
        { ...made, id: 'half', timezone: 'Asia/Kolkata' },
        { ...made, id: 'said', timezone_switch_at: said },
        { ...made, id: 'null', timezone_switch_at: null },
        { ...made, id: 'sandbox', sandbox: true },
      ]
      await load(...accounts)
      const switches = { usual: '2026-03-08T08:00:00Z', half: '2026-03-07T18:30:00Z', said, null: null, sandbox: null }
      for (const [id, timezone_switch_at] of Object.entries(switches)) {
        const ads = adsCaller(stage, id === 'sandbox' ? 'sandbox' : 'production')
        assert.equal(dataOf(await ads('GET', `/12/accounts/${id}`)).timezone_switch_at, timezone_switch_at, id)
      }
      const again = await load(...accounts)
      assert.deepEqual([again.created, again.differing], [[], []])
    })

    test('a second load reports what it added, and which features and members differ', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const load = loader(stage)
      await load(account)
      const more = {
        ...account,
        features: ['AGE_TARGETING'],
        members: [
          { user_id: ada.id, role: 'ANALYST', permissions: ['TWEET_COMPOSER'] },
          { user_id: grace.id, role: 'ANALYST' },
        ],
        campaigns: [...account.campaigns, { id: 'camp8', funding_instrument_id: 'fund9', name: 'More' }],
      }
      const { created, differing } = await load(more)
      assert.deepEqual(created, [
        { kind: 'members', id: grace.id },
        { kind: 'campaigns', id: 'camp8' },
      ])
      assert.deepEqual(differing, [{ kind: 'accounts', id: 'seeded1', fields: ['features', 'members.role', 'members.permissions'] }])
      assert.deepEqual(dataOf(await adsCaller(stage)('GET', `${AT}/features`)), ['CITY_TARGETING'])
    })

    test('ids and times are parsed as in requests, also in references between records', async () => {
      const spelled = {
        ...account,
        id: 'SEEDED1',
        created_at: '2026-01-01T01:00:00.500+01:00',
        account_apps: [{ id: 'APP9', app_store_identifier: 'com.example.app', os_type: 'Android', created_at: '2026-01-01' }],
        funding_instruments: [{ ...account.funding_instruments[0], id: 'FUND9', start_time: '2026-01-01' }],
        campaigns: [{ id: 'Camp9', funding_instrument_id: 'fUND9', name: 'Pinned', start_time: '2026-01-01T00:00Z', end_time: null }],
        line_items: [{ ...line, id: 'LINE9', campaign_id: 'CAMP9', end_time: '2026-02-01T00:00:00-0530' }],
        targeting_criteria: [{ ...account.targeting_criteria[0], line_item_id: 'Line9' }],
        promoted_posts: [{ line_item_id: 'LINe9', post_id: '00822333526255120384' }],
        line_item_curated_categories: [{ line_item_id: 'LINE9', curated_category_id: '9DDRGESIAP6O' }],
      }
      await using stage = await setStage({ flavour, seed: adsSeed })
      const load = loader(stage)
      assert.deepEqual((await load(spelled)).created, [{ kind: 'accounts', id: 'seeded1' }])
      const held = await holdings(stage)
      assert.equal(dataOf(await adsCaller(stage)('GET', AT)).created_at, '2026-01-01T00:00:00Z')
      const [app] = dataOf(await adsCaller(stage)('GET', `${AT}/account_apps`))
      assert.deepEqual([app.id, app.created_at, app.conversion_tracking_enabled], ['app9', '2026-01-01T00:00:00Z', false])
      assert.equal(held.funding_instruments![0]!.start_time, '2026-01-01T00:00:00Z')
      assert.equal(held.campaigns![0]!.start_time, '2026-01-01T00:00:00Z')
      assert.deepEqual([held.line_items![0]!.id, held.line_items![0]!.end_time], ['line9', '2026-02-01T05:30:00Z'])
      const again = await load(spelled)
      assert.deepEqual([again.existing, again.differing], [[{ kind: 'accounts', id: 'seeded1' }], []])
      assert.deepEqual(await holdings(stage), held)
      const unread = await stage.operator('POST', '/operator/seed', { accounts: [{ ...spelled, created_at: '2026-02-30' }] })
      assert.equal(unread.status, 400)
    })

    test('the GET response of an account is a valid seed: loading it copies the account with its deleted records', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const ads = adsCaller(stage)
      await loader(stage)(account)
      dataOf(await ads('PUT', `${AT}/line_items/line9`, { entity_status: 'PAUSED' }))
      dataOf(await ads('DELETE', `${AT}/campaigns/camp9`))
      const [read, parts] = [dataOf(await ads('GET', AT)), await holdings(stage)]
      assert.equal(parts.campaigns!.find(({ id }) => id === 'camp9')!.effective_status, 'ACTIVE')
      const copy = { ...read, members: account.members, ...parts }
      await using other = await setStage({ flavour, seed: adsSeed })
      assert.deepEqual((await loader(other)(copy)).created, [{ kind: 'accounts', id: 'seeded1' }])
      assert.deepEqual([dataOf(await adsCaller(other)('GET', AT)), await holdings(other)], [read, parts])
      assert.deepEqual(dataOf(await adsCaller(other)('GET', `${AT}/line_items`)), [])
      assert.deepEqual((await loader(other)(copy)).existing, [{ kind: 'accounts', id: 'seeded1' }])
    })
  })

const window = { start_time: '2026-03-02T00:00:00Z', end_time: '2026-03-02T00:00:00Z' }

/** Accounts that there cannot be, each with the field that its refusal names. */
const impossible: [string, object][] = [
  [
    'line_item_curated_categories.curated_category_id',
    { line_item_curated_categories: [{ line_item_id: 'line9', curated_category_id: 'none' }] },
  ],
  [
    'line_item_curated_categories.line_item_id',
    {
      line_item_curated_categories: [
        ...account.line_item_curated_categories,
        { line_item_id: 'line9', curated_category_id: '9lav5usxfmdc' },
      ],
    },
  ],
  ['line_items.categories', { line_items: [{ ...line, categories: ['IAB99'] }] }],
  ['line_items.end_time', { line_items: [{ ...line, ...window }] }],
  ['campaigns.end_time', { campaigns: [{ ...account.campaigns[0], ...window }] }],
  ['funding_instruments.end_time', { funding_instruments: [{ ...account.funding_instruments[0], ...window }] }],
  ['campaigns.currency', { campaigns: [{ ...account.campaigns[0], currency: 'USD' }] }],
  ['line_items.currency', { line_items: [{ ...line, currency: 'USD' }] }],
  ['timezone', { timezone: 'Mars/Olympus' }],
  ['timezone', { timezone: '+01:00' }],
  ['members.user_id', { members: [...account.members, { user_id: ada.id, role: 'ANALYST' }] }],
  ['members.user_id', { members: [...account.members, { ...account.members[0], permissions: ['TWEET_COMPOSER'] }] }],
]

test('a record that is invalid for its account is rejected with the name of the field', async () => {
  await using stage = await setStage({ seed: adsSeed })
  for (const [field, more] of impossible) {
    const answer = await stage.operator('POST', '/operator/seed', { accounts: [{ ...account, ...more }] })
    assert.equal(answer.status, 400, `${field}: ${answer.text}`)
    assert.deepEqual(Object.keys(answer.body.errors[0].parameters), [`accounts.${field}`], answer.text)
  }
  const usual = { ...account, timezone: 'Europe/Paris', line_items: [{ ...line, categories: ['IAB1', 'IAB24'] }, account.line_items[1]] }
  assert.equal((await loader(stage)(usual)).created.length, 1)
})

test('a whole number that JSON has no exact number for is rejected with the name of the field', async () => {
  await using stage = await setStage({ seed: adsSeed })
  for (const frequency_cap of [1e30, 1e20, 2 ** 53])
    for (const [kind, record] of [
      ['line_items', line],
      ['campaigns', account.campaigns[0]],
    ] as const) {
      const answer = await stage.operator('POST', '/operator/seed', { accounts: [{ ...account, [kind]: [{ ...record, frequency_cap }] }] })
      assert.equal(answer.status, 400, answer.text)
      assert.equal(answer.body.errors[0].message, `$.accounts.0.${kind}.0.frequency_cap: must be at most 9007199254740991`)
    }
  assert.deepEqual((await loader(stage)(account)).created, [{ kind: 'accounts', id: 'seeded1' }])
})

test('other requests are served while a large seed is loaded', async () => {
  await using stage = await setStage({ seed: adsSeed })
  const criterion = (value: number) => ({
    ...account.targeting_criteria[0],
    targeting_type: 'BROAD_KEYWORD',
    targeting_value: `word ${value}`,
  })
  let turns = 0
  let isLoading = true
  const take = () => {
    turns += 1
    if (isLoading) setImmediate(take)
  }
  const answer = loader(stage)({ ...account, targeting_criteria: Array.from({ length: 3000 }, (_, index) => criterion(index)) })
  take()
  assert.equal((await answer).created.length, 1)
  isLoading = false
  assert.ok(turns >= 30, `${turns} turns`)
})
