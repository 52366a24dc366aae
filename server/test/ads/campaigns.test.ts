import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { ACCOUNT, type AdsParams, adsCaller, adsSeed, dataOf, FUNDING, mistakesOf } from '../stage/ads.ts'
import { databasesOf } from '../stage/databases.ts'
import { setStage } from '../stage/postern.ts'
import { graces } from '../stage/signed-calls.ts'

const CAMPAIGNS = `/12/accounts/${ACCOUNT}/campaigns`

for (const flavour of databasesOf(import.meta))
  suite(`campaigns on ${flavour}`, () => {
    test('a campaign is created, read, updated and deleted', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const ads = adsCaller(stage)
      const created = await ads('POST', CAMPAIGNS, {
        funding_instrument_id: FUNDING,
        name: 'Spring',
        total_budget_amount_local_micro: 5_000_000,
      })
      const campaign = dataOf(created)
      assert.deepEqual(created.body.request.params, {
        account_id: ACCOUNT,
        funding_instrument_id: FUNDING,
        name: 'Spring',
        total_budget_amount_local_micro: 5_000_000,
      })
      assert.match(campaign.id, /^[0-9a-z]+$/)
      assert.deepEqual(
        [campaign.currency, campaign.entity_status, campaign.effective_status, campaign.servable],
        ['USD', 'ACTIVE', 'ACTIVE', true],
      )
      assert.deepEqual(dataOf(await ads('GET', `${CAMPAIGNS}/${campaign.id.toUpperCase()}`)), campaign)

      stage.clock.advance(2000)
      const changed = dataOf(
        await ads('PUT', `${CAMPAIGNS}/${campaign.id}`, { entity_status: 'PAUSED', total_budget_amount_local_micro: '' }),
      )
      assert.deepEqual([changed.entity_status, changed.total_budget_amount_local_micro, changed.name], ['PAUSED', null, 'Spring'])
      assert.deepEqual(changed.reasons_not_servable, ['PAUSED_BY_ADVERTISER'])
      assert.ok(changed.updated_at > campaign.updated_at)
      assert.deepEqual(dataOf(await ads('GET', CAMPAIGNS)), [changed])

      assert.equal(dataOf(await ads('DELETE', `${CAMPAIGNS}/${campaign.id}`)).deleted, true)
      for (const method of ['GET', 'PUT', 'DELETE'])
        assert.deepEqual(mistakesOf(await ads(method, `${CAMPAIGNS}/${campaign.id}`)), [404, 'CAMPAIGN_NOT_FOUND'], method)
      assert.deepEqual(dataOf(await ads('GET', CAMPAIGNS)), [])
      const [gone] = dataOf(await ads('GET', CAMPAIGNS, { with_deleted: true }))
      assert.deepEqual([gone.id, gone.deleted], [campaign.id, true])
      assert.equal(dataOf(await ads('GET', `${CAMPAIGNS}/${campaign.id}`, { with_deleted: true })).deleted, true)
    })

    test('all errors of a campaign are reported at once, and nothing is created', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const ads = adsCaller(stage)
      const wrong = await ads('POST', CAMPAIGNS, { entity_status: 'GONE', start_time: 'soon', daily_budget_amount_local_micro: 'x' })
      assert.deepEqual(mistakesOf(wrong).sort(), [
        400,
        'INVALID_PARAMETER daily_budget_amount_local_micro',
        'INVALID_PARAMETER entity_status',
        'INVALID_PARAMETER start_time',
        'MISSING_PARAMETER funding_instrument_id',
        'MISSING_PARAMETER name',
      ])
      const unknown = await ads('POST', CAMPAIGNS, { funding_instrument_id: 'zzz', name: 'x' })
      assert.deepEqual(mistakesOf(unknown), [404, 'FUNDING_INSTRUMENT_NOT_FOUND funding_instrument_id'])
      assert.deepEqual(dataOf(await ads('GET', CAMPAIGNS)), [])
    })

    test('a seeded campaign has whichever frequency cap it is given', async () => {
      const capped = { id: 'capped', funding_instrument_id: FUNDING, name: 'Capped', frequency_cap: 5000, duration_in_days: 1001 }
      const seed = { ...adsSeed, accounts: adsSeed.accounts?.map((account) => ({ ...account, campaigns: [capped] })) } as SeedDocument
      await using stage = await setStage({ flavour, seed })
      const { frequency_cap, duration_in_days } = dataOf(await adsCaller(stage)('GET', `${CAMPAIGNS}/capped`))
      assert.deepEqual([frequency_cap, duration_in_days], [5000, 1001])
    })

    test('existing values, also drafts and invalid ones, may be sent back and do not prevent other changes', async () => {
      const odd = { id: 'odd', funding_instrument_id: FUNDING, name: 'Odd', entity_status: 'DRAFT' }
      const budgets = { daily_budget_amount_local_micro: 9, total_budget_amount_local_micro: 5 }
      const campaigns = [{ ...odd, ...budgets }]
      const seed = { ...adsSeed, accounts: adsSeed.accounts?.map((account) => ({ ...account, campaigns })) } as SeedDocument
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const change = (changes: AdsParams) => ads('PUT', `${CAMPAIGNS}/odd`, changes)
      const sentBack = { name: 'Still odd', entity_status: 'DRAFT', ...budgets }
      const { body } = await change(sentBack)
      assert.deepEqual([body.request.params, body.data.name], [{ account_id: ACCOUNT, campaign_id: 'odd', ...sentBack }, 'Still odd'])
      const refused = await change({ daily_budget_amount_local_micro: 6, name: 'x' })
      assert.deepEqual(mistakesOf(refused), [400, 'INVALID daily_budget_amount_local_micro'])
      const beside = await change({ entity_status: 'DRAFT', daily_budget_amount_local_micro: 6 })
      assert.deepEqual(mistakesOf(beside), [400, 'INVALID daily_budget_amount_local_micro'])
      assert.equal(beside.body.request.params.entity_status, 'DRAFT')
      const wrong = await change({ daily_budget_amount_local_micro: 6, name: '', entity_status: 'DRAFT' })
      assert.deepEqual(mistakesOf(wrong), [400, 'INVALID_PARAMETER name', 'INVALID daily_budget_amount_local_micro'])
      assert.equal(dataOf(await ads('GET', `${CAMPAIGNS}/odd`)).name, 'Still odd')
      dataOf(await change({ entity_status: 'PAUSED' }))
      assert.deepEqual(mistakesOf(await change({ entity_status: 'DRAFT' })), [400, 'INVALID_PARAMETER entity_status'])
      const made = await ads('POST', CAMPAIGNS, { funding_instrument_id: FUNDING, name: 'x', ...budgets })
      assert.deepEqual([made.body.errors[0].attribute, made.body.errors[0].parameter], ['daily_budget_amount_local_micro', undefined])
    })

    test('a funding instrument that has ended, is paused or is unable to fund rejects new campaigns', async () => {
      const one = { type: 'CREDIT_CARD', currency: 'USD' }
      const funding_instruments = [
        { ...one, id: 'ended', end_time: '2020-01-01T00:00:00Z' },
        { ...one, id: 'rests', entity_status: 'PAUSED' },
        { ...one, id: 'unable', able_to_fund: false, reasons_not_able_to_fund: ['WITHDRAWN'], entity_status: 'PAUSED' },
        { ...one, id: 'mute', able_to_fund: false },
        { ...one, id: 'able', end_time: '2999-01-01T00:00:00Z' },
      ]
      const seed = { ...adsSeed, accounts: adsSeed.accounts?.map((account) => ({ ...account, funding_instruments })) } as SeedDocument
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const found = dataOf(await ads('GET', `/12/accounts/${ACCOUNT}/funding_instruments`))
      const reasons = Object.fromEntries(
        found.map((it: { id: string; reasons_not_able_to_fund: string[] }) => [it.id, it.reasons_not_able_to_fund]),
      )
      assert.deepEqual(reasons, { ended: ['EXPIRED'], rests: ['PAUSED'], unable: ['WITHDRAWN', 'PAUSED'], mute: [], able: [] })
      for (const { id, able_to_fund } of found) {
        const answer = await ads('POST', CAMPAIGNS, { funding_instrument_id: id, name: 'x' })
        assert.deepEqual(mistakesOf(answer), able_to_fund ? [200] : [400, 'INVALID_FUNDING_INSTRUMENT funding_instrument_id'], id)
        assert.equal(able_to_fund, id === 'able')
      }
      const why = async (id: string) =>
        (await ads('POST', CAMPAIGNS, { funding_instrument_id: id, name: 'x' })).body.errors[0].message.split('able to fund')[1]
      assert.deepEqual([await why('unable'), await why('ended'), await why('mute')], [': WITHDRAWN, PAUSED', ': EXPIRED', ''])
    })

    test('a campaign is not servable in any response while its funding instrument cannot fund it', async () => {
      const one = { type: 'CREDIT_CARD', currency: 'USD' }
      const funding_instruments = [
        { ...one, id: 'f1', end_time: '2999-01-01T00:00:00Z' },
        { ...one, id: 'f2' },
      ]
      const campaigns = [1, 2].map((n) => ({ id: `c${n}`, name: 'C', funding_instrument_id: `f${n}` }))
      const parts = { funding_instruments, campaigns }
      const seed = { ...adsSeed, accounts: adsSeed.accounts?.map((account) => ({ ...account, ...parts })) } as object as SeedDocument
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const shown = (found: Record<string, unknown>[]) =>
        Object.fromEntries(found.map(({ id, servable, reasons_not_servable }) => [id, [servable, reasons_not_servable]]))
      const listed = async () => shown(dataOf(await ads('GET', CAMPAIGNS, { with_deleted: true })))
      const fine = [true, []]
      const unfunded = [false, ['FUNDING_PROBLEM']]
      assert.deepEqual(await listed(), { c1: fine, c2: fine })
      stage.clock.advance(Date.parse('2999-01-01T00:00:00Z') - stage.clock.now())
      assert.deepEqual(await listed(), { c1: unfunded, c2: fine })
      const answers = [
        await ads('GET', `${CAMPAIGNS}/c1`),
        await ads('PUT', `${CAMPAIGNS}/c1`, { name: 'D' }),
        await ads('DELETE', `${CAMPAIGNS}/c1`),
      ]
      const gone = [false, ['DELETED', 'FUNDING_PROBLEM']]
      assert.deepEqual(
        answers.map((answer) => shown([dataOf(answer)]).c1),
        [unfunded, unfunded, gone],
      )
      assert.deepEqual(await listed(), { c1: gone, c2: fine })
    })

    test('a campaign cannot take over the budget while a line item has its own budget or delivery', async () => {
      const own = { id: 'c1', funding_instrument_id: FUNDING, name: 'C' }
      const item = { id: 'l1', campaign_id: 'c1', objective: 'REACH', placements: ['ALL_ON_TWITTER'], product_type: 'PROMOTED_TWEETS' }
      const parts = { campaigns: [own], line_items: [{ ...item, daily_budget_amount_local_micro: 5, standard_delivery: false }] }
      const seed = { ...adsSeed, accounts: adsSeed.accounts?.map((account) => ({ ...account, ...parts })) } as object as SeedDocument
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const takeOver = () => ads('PUT', `${CAMPAIGNS}/c1`, { budget_optimization: 'CAMPAIGN' })
      assert.deepEqual(mistakesOf(await takeOver()), [400, 'INVALID budget_optimization'])
      dataOf(await ads('PUT', `/12/accounts/${ACCOUNT}/line_items/l1`, { daily_budget_amount_local_micro: '' }))
      assert.deepEqual(mistakesOf(await takeOver()), [400, 'INVALID budget_optimization'])
      const given = { daily_budget_amount_local_micro: 5, standard_delivery: true }
      dataOf(await ads('PUT', `/12/accounts/${ACCOUNT}/line_items/l1`, given))
      assert.deepEqual(mistakesOf(await takeOver()), [400, 'INVALID budget_optimization'])
      dataOf(await ads('PUT', `/12/accounts/${ACCOUNT}/line_items/l1`, { daily_budget_amount_local_micro: '' }))
      assert.equal(dataOf(await takeOver()).budget_optimization, 'CAMPAIGN')
    })

    test('an account has at most 200 active campaigns', async () => {
      const campaigns = Array.from({ length: 200 }, (_, index) => ({ id: `n${index}`, funding_instrument_id: FUNDING, name: `N ${index}` }))
      const seed = { ...adsSeed, accounts: adsSeed.accounts?.map((account) => ({ ...account, campaigns })) } as SeedDocument
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const one = { funding_instrument_id: FUNDING, name: 'One' }
      assert.deepEqual(mistakesOf(await ads('POST', CAMPAIGNS, one)), [400, 'TOO_MANY_CAMPAIGNS'])
      const { id } = dataOf(await ads('POST', CAMPAIGNS, { ...one, entity_status: 'PAUSED' }))
      const activate = () => ads('PUT', `${CAMPAIGNS}/${id}`, { entity_status: 'ACTIVE' })
      assert.deepEqual(mistakesOf(await activate()), [400, 'TOO_MANY_CAMPAIGNS'])
      dataOf(await ads('PUT', `${CAMPAIGNS}/n0`, { entity_status: 'PAUSED' }))
      dataOf(await activate())
    })

    test('a read-only member cannot change anything', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const ads = adsCaller(stage, 'production', graces)
      assert.deepEqual(dataOf(await ads('GET', CAMPAIGNS)), [])
      assert.deepEqual(mistakesOf(await ads('POST', CAMPAIGNS, { funding_instrument_id: FUNDING, name: 'x' })), [403, 'ACTION_NOT_ALLOWED'])
    })
  })
