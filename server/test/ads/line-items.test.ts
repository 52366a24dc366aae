import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { ACCOUNT, type AdsCall, type AdsParams, adsCaller, adsSeed, dataOf, FUNDING, mistakesOf } from '../stage/ads.ts'
import { databasesOf } from '../stage/databases.ts'
import { setPair } from '../stage/pair.ts'
import { setStage } from '../stage/postern.ts'
import { graces } from '../stage/signed-calls.ts'

const LINE_ITEMS = `/12/accounts/${ACCOUNT}/line_items`
const OTHER_ACCOUNT = 'other'
const CAMPAIGN = 'c1'
const START = '2026-03-01T12:00:00Z'

const required = {
  campaign_id: CAMPAIGN,
  objective: 'ENGAGEMENTS',
  placements: 'ALL_ON_TWITTER',
  product_type: 'PROMOTED_TWEETS',
  start_time: START,
}

/** The account with a campaign, perhaps line items, and Grace as one who may change them. */
const seedWith = (line_items: object[] = []) =>
  ({
    ...adsSeed,
    accounts: adsSeed.accounts?.map((account) => ({
      ...account,
      members: account.members?.map(({ user_id, role }) => ({ user_id, role: role === 'ANALYST' ? 'AD_MANAGER' : role })),
      campaigns: [
        { id: CAMPAIGN, funding_instrument_id: FUNDING, name: 'Spring' },
        { id: 'c2', funding_instrument_id: FUNDING, name: 'Autumn' },
        { id: 'c3', funding_instrument_id: FUNDING, name: 'Winter' },
      ],
      line_items,
    })),
  }) as SeedDocument

const seeded = (count: number, fields: object) =>
  Array.from({ length: count }, (_, index) => ({ ...required, placements: ['ALL_ON_TWITTER'], id: `s${index}`, ...fields }))

const FULL = [400, 'TOO_MANY_LINE_ITEMS']
const ACTIVE = { entity_status: 'ACTIVE' }
const PAUSED = { entity_status: 'PAUSED' }

/** As many active line items as an account may have, over three campaigns, and a paused one; and another account with nothing active. */
const fullSeed = () => {
  const active = seeded(256, ACTIVE).map((item, index) => ({ ...item, campaign_id: `c${(index % 3) + 1}` }))
  const seed = seedWith([...active, ...seeded(1, { ...PAUSED, id: 'paused' })])
  const other = {
    id: OTHER_ACCOUNT,
    name: 'Other',
    members: adsSeed.accounts?.[0]?.members,
    funding_instruments: [{ id: 'f2', type: 'CREDIT_CARD', currency: 'USD' }],
    campaigns: [{ id: 'o1', funding_instrument_id: 'f2', name: 'Other' }],
  }
  return { ...seed, accounts: [...seed.accounts!, other] } as SeedDocument
}

/** How many line items are active, over all campaigns. */
async function activeOnes(ads: AdsCall): Promise<number> {
  const items: { entity_status: string }[] = dataOf(await ads('GET', LINE_ITEMS, { count: 1000 }))
  return items.filter(({ entity_status }) => entity_status === 'ACTIVE').length
}

for (const flavour of databasesOf(import.meta))
  suite(`line items on ${flavour}`, () => {
    test('a line item is created, read, listed, updated and deleted', async () => {
      await using stage = await setStage({ flavour, seed: seedWith() })
      const ads = adsCaller(stage)
      const created = await ads('POST', LINE_ITEMS, { ...required, name: 'One', bid_amount_local_micro: 1_500_000 })
      const item = dataOf(created)
      assert.deepEqual(created.body.request.params, {
        account_id: ACCOUNT,
        ...required,
        placements: ['ALL_ON_TWITTER'],
        name: 'One',
        bid_amount_local_micro: 1_500_000,
      })
      assert.deepEqual(
        [item.goal, item.bid_strategy, item.pay_by, item.currency, item.funding_instrument_id, item.end_time, item.entity_status],
        ['ENGAGEMENT', 'MAX', 'ENGAGEMENT', 'USD', FUNDING, null, 'ACTIVE'],
      )
      assert.deepEqual(dataOf(await ads('GET', `${LINE_ITEMS}/${item.id}`)), item)
      const finding: AdsParams[] = [
        { line_item_ids: item.id },
        { campaign_ids: CAMPAIGN },
        { funding_instrument_ids: FUNDING },
        { q: 'oN' },
      ]
      for (const filter of finding) assert.deepEqual(dataOf(await ads('GET', LINE_ITEMS, filter)), [item])
      const missing: AdsParams[] = [{ line_item_ids: 'zz' }, { campaign_ids: 'c2' }, { funding_instrument_ids: 'zz' }, { q: 'ne' }]
      for (const filter of missing) assert.deepEqual(dataOf(await ads('GET', LINE_ITEMS, filter)), [])

      stage.clock.advance(2000)
      const changed = dataOf(await ads('PUT', `${LINE_ITEMS}/${item.id}`, { name: '', entity_status: 'PAUSED' }))
      assert.deepEqual([changed.name, changed.entity_status, changed.bid_amount_local_micro], [null, 'PAUSED', 1_500_000])
      assert.ok(changed.updated_at > item.updated_at)

      assert.equal(dataOf(await ads('DELETE', `${LINE_ITEMS}/${item.id}`)).deleted, true)
      for (const method of ['GET', 'PUT', 'DELETE'])
        assert.deepEqual(mistakesOf(await ads(method, `${LINE_ITEMS}/${item.id}`)), [404, 'LINE_ITEM_NOT_FOUND'], method)
      assert.deepEqual(dataOf(await ads('GET', LINE_ITEMS)), [])
      const [gone] = dataOf(await ads('GET', LINE_ITEMS, { with_deleted: true }))
      assert.deepEqual([gone.id, gone.deleted], [item.id, true])
    })

    test('two members who update different fields concurrently lose no change', async () => {
      await using pair = await setPair({ flavour, seed: seedWith(seeded(1, {})) })
      const adasCall = adsCaller(pair.one)
      const gracesCall = adsCaller(pair.other, 'production', graces)
      for (let round = 1; round <= 20; round++) {
        const answers = await Promise.all([
          adasCall('PUT', `${LINE_ITEMS}/s0`, { name: `name ${round}` }),
          gracesCall('PUT', `${LINE_ITEMS}/s0`, { total_budget_amount_local_micro: round }),
        ])
        for (const answer of answers) dataOf(answer)
        const { name, total_budget_amount_local_micro } = dataOf(await adasCall('GET', `${LINE_ITEMS}/s0`))
        assert.deepEqual([name, total_budget_amount_local_micro], [`name ${round}`, round])
      }
    })

    test('110 concurrent creations make no more than 100 line items of a campaign', async () => {
      await using pair = await setPair({ flavour, seed: seedWith() })
      const calls = [adsCaller(pair.one), adsCaller(pair.other)]
      const answers = await Promise.all(Array.from({ length: 110 }, (_, index) => calls[index % 2]!('POST', LINE_ITEMS, required)))
      const refused = answers.filter(({ status }) => status !== 200)
      assert.equal(refused.length, 10)
      for (const answer of refused) assert.deepEqual(mistakesOf(answer), FULL)
      assert.equal((await calls[0]!('GET', LINE_ITEMS, { with_total_count: true })).body.total_count, 100)
      dataOf(await calls[0]!('POST', LINE_ITEMS, { ...required, campaign_id: 'c2' }))
    })

    test('an account has at most 256 active line items over all its campaigns', async () => {
      await using stage = await setStage({ flavour, seed: fullSeed() })
      const ads = adsCaller(stage)
      const post = (sent: AdsParams) => ads('POST', LINE_ITEMS, { ...required, ...sent })
      const put = (id: string, sent: AdsParams) => ads('PUT', `${LINE_ITEMS}/${id}`, sent)

      for (const campaign_id of ['c1', 'c2', 'c3']) assert.deepEqual(mistakesOf(await post({ campaign_id })), FULL, campaign_id)
      assert.deepEqual(mistakesOf(await put('paused', ACTIVE)), FULL)
      const paused = dataOf(await post(PAUSED))
      dataOf(await post({ entity_status: 'DRAFT' }))
      dataOf(await put('paused', { name: 'Still paused' }))
      dataOf(await put('s0', { ...ACTIVE, name: 'Still active' }))
      dataOf(await ads('POST', `/12/accounts/${OTHER_ACCOUNT}/line_items`, { ...required, campaign_id: 'o1' }))

      dataOf(await ads('DELETE', `${LINE_ITEMS}/s0`))
      dataOf(await put('paused', ACTIVE))
      assert.deepEqual(mistakesOf(await put(paused.id, ACTIVE)), FULL)
      dataOf(await put('s1', PAUSED))
      dataOf(await post({ campaign_id: 'c3' }))
      assert.deepEqual(mistakesOf(await put('s1', ACTIVE)), FULL)
      assert.equal(await activeOnes(ads), 256)
      dataOf(await ads('DELETE', `/12/accounts/${ACCOUNT}/campaigns/c2`))
      dataOf(await put(paused.id, ACTIVE))
    })

    test('of two concurrent requests for the last active line item exactly one succeeds', async () => {
      await using pair = await setPair({ flavour, seed: fullSeed() })
      const one = adsCaller(pair.one)
      const other = adsCaller(pair.other)
      for (let round = 0; round < 10; round++) {
        dataOf(await one('PUT', `${LINE_ITEMS}/s${round}`, PAUSED))
        const answers = await Promise.all([
          one('POST', LINE_ITEMS, { ...required, campaign_id: 'c2' }),
          other('PUT', `${LINE_ITEMS}/s${round}`, ACTIVE),
        ])
        assert.deepEqual(answers.map(mistakesOf).toSorted(), [[200], FULL], `round ${round}`)
        assert.equal(await activeOnes(other), 256)
      }
    })
  })
