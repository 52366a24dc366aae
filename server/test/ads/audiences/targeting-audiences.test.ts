import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Problem } from '../../../src/api/declare/problem.ts'
import { listTargeted } from '../../../src/endpoints/ads/audiences/list-targeted.ts'
import { createTargetingCriterion } from '../../../src/endpoints/ads/targeting-criteria/targeting-criteria.ts'
import { ACCOUNT, type AdsCall, adsCaller, dataOf, FUNDING, mistakesOf } from '../../stage/ads.ts'
import { AUDIENCES, otherAccounts, remove, seedWithAudiences, sendBody, update, usersFrom } from '../../stage/ads-audiences.ts'
import type { Answer } from '../../stage/call.ts'
import { databasesOf } from '../../stage/databases.ts'
import { setStage } from '../../stage/postern.ts'
import { graces } from '../../stage/signed-calls.ts'

const CRITERIA = `/12/accounts/${ACCOUNT}/targeting_criteria`
const TARGETED = `${AUDIENCES}/a1/targeted`
const lineItem = (id: string, campaign_id: string, more = {}) => ({ id, campaign_id, name: id.toUpperCase(), ...more })
const campaigns = {
  campaigns: ['c1', 'c2', 'c3'].map((id) => ({
    id,
    funding_instrument_id: FUNDING,
    name: `Campaign ${id}`,
    ...(id === 'c3' && { entity_status: 'PAUSED' }),
  })),
  line_items: [
    lineItem('l1', 'c1'),
    lineItem('l2', 'c1', { entity_status: 'PAUSED', name: null }),
    lineItem('l3', 'c2'),
    lineItem('l4', 'c3'),
  ],
}
const audiences = [
  { id: 'a1', name: 'Customers' },
  { id: 'a2', name: 'Small' },
]
const [same] = otherAccounts
const others = {
  ...same,
  funding_instruments: [{ id: 'f2' }],
  campaigns: [{ id: 'c9', funding_instrument_id: 'f2', name: 'Theirs' }],
  line_items: [lineItem('l9', 'c9')],
}

interface ListQuery {
  filters: { anyOf?: string[] }[]
  after?: { key: string }
  limit: number
}

const seed = seedWithAudiences(audiences, { ...campaigns, business_id: 'b1' }, [others])
const target = (ads: AdsCall, line_item_id: string, more = {}, path = CRITERIA) =>
  ads('POST', path, { line_item_id, targeting_type: 'CUSTOM_AUDIENCE', targeting_value: 'a1', ...more })

const NOT_FOUND = [404, 'TAILORED_AUDIENCE_OR_TAILORED_AUDIENCE_EXPANDED_NOT_FOUND targeting_value']

test('each line item and each campaign that may target an audience is read once, and at most 1,000 of them at a time', async () => {
  const count = 2500
  const at = (place: number) => `2026-01-01T00:00:${String(place % 60).padStart(2, '0')}Z`
  const made = Array.from({ length: count }, (_, place) => ({
    campaigns: { id: `c${place}`, created_at: at(place), name: 'c' },
    line_items: { id: `l${place}`, campaign_id: `c${place}`, created_at: at(place), name: 'l', entity_status: 'PAUSED' },
    targeting_criteria: { id: `t${place}`, line_item_id: `l${place}`, created_at: at(0), targeting_type: 'CUSTOM_AUDIENCE' },
  }))
  const asked: Record<string, number[]> = {}
  const list = async ({ table }: { table: keyof (typeof made)[number] }, { filters, after, limit }: ListQuery) => {
    const ids = filters[0]?.anyOf
    if (ids) asked[table] = [...(asked[table] ?? []), ids.length]
    const wanted = ids && new Set(ids)
    const rows = made.map((one) => one[table]).filter(({ id }) => wanted?.has(id) ?? true)
    const from = after ? rows.findIndex(({ id }) => id === after.key) + 1 : 0
    return rows.slice(from, from + limit)
  }
  const records = { get: async () => ({ id: 'a1' }), list }
  const call = { params: { custom_audience_id: 'a1', with_active: false }, caller: { accountId: ACCOUNT }, giveWay: () => undefined }
  const { data } = (await listTargeted.handle(call as never, { records, now: () => 0 } as never)) as { data: { campaign_id: string }[] }
  assert.deepEqual(asked, { campaigns: [1000, 1000, 500], line_items: [1000, 1000, 500] })
  const newest = made
    .map(({ campaigns }) => campaigns)
    .sort((one, other) => (`${one.created_at} ${one.id}` < `${other.created_at} ${other.id}` ? 1 : -1))
  assert.deepEqual(
    data.map(({ campaign_id }) => campaign_id),
    newest.slice(0, 200).map(({ id }) => id),
  )
})

test('no criterion is created for an audience of the account that is deleted between its check and the transaction', async () => {
  const { change } = createTargetingCriterion.recordChange
  const made: object[] = []
  const transaction = {
    get: async ({ table }: { table: string }) => ({ id: 'a1', deleted: table === 'custom_audiences' }),
    insert: async (_type: object, record: object) => made.push(record),
  }
  const params = { account_id: ACCOUNT, line_item_id: 'l1', targeting_type: 'CUSTOM_AUDIENCE', targeting_value: 'a1' }
  const services = { now: () => 0, ids: { nextBase36: () => 't1' } }
  await assert.rejects(change(transaction as never, { params } as never, services as never), ({ members }: Problem) => {
    assert.equal(members.errors?.[0]?.code, 'TAILORED_AUDIENCE_OR_TAILORED_AUDIENCE_EXPANDED_NOT_FOUND')
    return true
  })
  assert.deepEqual(made, [])
})

for (const flavour of databasesOf(import.meta))
  suite(`targeting an audience on ${flavour}`, () => {
    test('a criterion needs an audience that the account has or shares, and that is targetable', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      for (const targeting_type of ['CUSTOM_AUDIENCE', 'CUSTOM_AUDIENCE_EXPANDED']) {
        assert.deepEqual(mistakesOf(await target(ads, 'l1', { targeting_type, targeting_value: 'zz' })), NOT_FOUND)
        assert.deepEqual(mistakesOf(await target(ads, 'l1', { targeting_type })), [400, 'INVALID targeting_value'])
      }
      dataOf(await sendBody(stage, `${AUDIENCES}/a1/users`, [update(usersFrom(0, 99))]))
      const small = await target(ads, 'l1')
      assert.equal(
        small.body.errors[0].message,
        'Custom audience a1 cannot be targeted: TOO_SMALL (it has 99 users, and must have at least 100)',
      )
      dataOf(await sendBody(stage, `${AUDIENCES}/a1/users`, [update(usersFrom(99, 1))]))
      assert.equal(dataOf(await target(ads, 'l1', { targeting_value: 'A1', operator_type: 'NE' })).targeting_value, 'a1')
      assert.deepEqual(mistakesOf(await target(ads, 'l1', { targeting_type: 'LANGUAGE', targeting_value: 'zz' })), [200])
      dataOf(await sendBody(stage, `${AUDIENCES}/a1/users`, [remove(usersFrom(0, 1))]))
      assert.deepEqual(mistakesOf(await target(ads, 'l2')), [400, 'INVALID targeting_value'])
      dataOf(await ads('DELETE', `${AUDIENCES}/a1`))
      assert.deepEqual(mistakesOf(await target(ads, 'l2')), NOT_FOUND)
    })

    test('the campaigns and line items that target an audience are listed, only servable ones unless asked', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      dataOf(await sendBody(stage, `${AUDIENCES}/a1/users`, [update(usersFrom(0, 100))]))
      assert.deepEqual(dataOf(await ads('GET', TARGETED)), [])
      for (const id of ['l1', 'l2', 'l4']) dataOf(await target(ads, id))
      dataOf(await target(ads, 'l1', { targeting_type: 'CUSTOM_AUDIENCE_EXPANDED' }))
      dataOf(await target(ads, 'l3', { targeting_type: 'LANGUAGE' }))
      const first = { campaign_id: 'c1', campaign_name: 'Campaign c1', line_items: [{ id: 'l1', name: 'L1', servable: true }] }
      const answer = await ads('GET', TARGETED)
      assert.deepEqual(answer.body, {
        request: { params: { account_id: ACCOUNT, custom_audience_id: 'a1' } },
        data: [first],
        next_cursor: null,
      })
      const all = dataOf(await ads('GET', TARGETED, { with_active: false }))
      assert.deepEqual(
        all.map(({ campaign_id, line_items }: { campaign_id: string; line_items: { id: string; name: string; servable: boolean }[] }) => [
          campaign_id,
          ...line_items.map(({ id, name, servable }) => `${id} ${name} ${servable}`).sort(),
        ]),
        [
          ['c3', 'l4 L4 false'],
          ['c1', 'l1 L1 true', 'l2 null false'],
        ],
      )
      dataOf(await ads('DELETE', `/12/accounts/${ACCOUNT}/campaigns/c1`))
      assert.deepEqual(dataOf(await ads('GET', TARGETED)), [])
      assert.deepEqual(mistakesOf(await ads('GET', `${AUDIENCES}/zz/targeted`)), [404, 'TAILORED_AUDIENCE_NOT_FOUND'])
      assert.deepEqual(mistakesOf(await ads('GET', TARGETED, { cursor: 'x' })), [400, 'INVALID_PARAMETER cursor'])
    })

    test('the campaigns that target an audience are listed newest first, 200 a page, also when some are deleted between the pages', async () => {
      const ids = Array.from({ length: 203 }, (_, n) => `p${String(n).padStart(3, '0')}`)
      const targetedBy = (campaignIds: readonly string[]) =>
        seedWithAudiences(audiences, {
          campaigns: campaignIds.map((id) => ({ id, funding_instrument_id: FUNDING, name: id })),
          line_items: campaignIds.map((id) => lineItem(`l${id}`, id)),
          targeting_criteria: campaignIds.map((id) => ({
            line_item_id: `l${id}`,
            targeting_type: 'CUSTOM_AUDIENCE_EXPANDED',
            targeting_value: 'a1',
          })),
        })
      await using stage = await setStage({ flavour, seed: targetedBy(ids) })
      const ads = adsCaller(stage)
      const campaignsOf = (answer: Answer) => dataOf(answer).map(({ campaign_id }: { campaign_id: string }) => campaign_id)
      stage.clock.advance(1000)
      await stage.operator('POST', '/operator/seed', targetedBy(['newest']))
      const first = await ads('GET', TARGETED, { with_active: false })
      const older = ids.toReversed()
      assert.deepEqual(campaignsOf(first), ['newest', ...older.slice(0, 199)])
      dataOf(await ads('DELETE', `/12/accounts/${ACCOUNT}/campaigns/${older[198]}`))
      const second = await ads('GET', TARGETED, { with_active: false, cursor: first.body.next_cursor })
      assert.deepEqual([campaignsOf(second), second.body.next_cursor], [older.slice(199), null])
      const elsewhere = await ads('GET', TARGETED, { cursor: first.body.next_cursor })
      assert.deepEqual(mistakesOf(elsewhere), [400, 'INVALID_PARAMETER cursor'])
    })

    test('after a permission is revoked, running line items go on and no new one targets the audience', async () => {
      await using stage = await setStage({ flavour, seed })
      const owner = adsCaller(stage)
      const theirs = adsCaller(stage, 'production', graces)
      const [criteria, base] = ['/12/accounts/same/targeting_criteria', '/12/accounts/same/custom_audiences']
      dataOf(await sendBody(stage, `${AUDIENCES}/a1/users`, [update(usersFrom(0, 100))]))
      assert.deepEqual(mistakesOf(await target(theirs, 'l9', {}, criteria)), NOT_FOUND)
      const { id } = dataOf(
        await owner('POST', `${AUDIENCES}/a1/permissions`, { granted_account_id: 'same', permission_level: 'READ_ONLY' }),
      )
      const criterion = dataOf(await target(theirs, 'l9', {}, criteria))
      assert.equal(dataOf(await theirs('GET', `${base}/a1/targeted`))[0].campaign_id, 'c9')
      assert.deepEqual(dataOf(await owner('GET', TARGETED)), [], 'an account sees its own campaigns')
      dataOf(await owner('DELETE', `${AUDIENCES}/a1/permissions/${id}`))
      assert.deepEqual(dataOf(await theirs('GET', `${criteria}/${criterion.id}`)), criterion)
      assert.equal(dataOf(await theirs('GET', '/12/accounts/same/campaigns/c9')).servable, true)
      assert.deepEqual(mistakesOf(await target(theirs, 'l9', {}, criteria)), NOT_FOUND)
      assert.equal((await theirs('GET', `${base}/a1/targeted`)).status, 404)
    })
  })
