import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { ACCOUNT, type AdsCall, adsCaller, dataOf, mistakesOf } from '../stage/ads.ts'
import { operation, sendBody } from '../stage/ads-audiences.ts'
import { CAMPAIGN, seedWithLineItems } from '../stage/ads-line-items.ts'
import { databasesOf } from '../stage/databases.ts'
import { setStage } from '../stage/postern.ts'
import { graces } from '../stage/signed-calls.ts'

const CURATED = `/12/accounts/${ACCOUNT}/line_item_curated_categories`
const CRITERIA = `/12/accounts/${ACCOUNT}/targeting_criteria`
const SOCCER = '9ddrgesiap6o'
const ESPORTS = '9ys3jz3ktreo'
const UNITED_STATES = '96683cc9126741d1'
const FRANCE = 'f3bfc7dcc928977f'
const seed = seedWithLineItems('l1', 'l2', 'l3', 'l4', 'l5', 'l6')

/** The same account with more that it has. */
const seedWith = (more: object): SeedDocument => ({ ...seed, accounts: seed.accounts?.map((account) => ({ ...account, ...more })) })

const curate = (ads: AdsCall, line_item_id: string, curated_category_id = SOCCER) =>
  ads('POST', CURATED, { line_item_id, curated_category_id })

const target = (ads: AdsCall, line_item_id: string, targeting_type: string, targeting_value: string, operator_type = 'EQ') =>
  ads('POST', CRITERIA, { line_item_id, targeting_type, targeting_value, operator_type })

for (const flavour of databasesOf(import.meta))
  suite(`curated categories of line items on ${flavour}`, () => {
    test('a curated category is assigned to a line item, read, changed, moved and removed', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const given = dataOf(await curate(ads, 'l1'))
      const { id, created_at, updated_at, ...fields } = given
      assert.deepEqual(fields, { line_item_id: 'l1', curated_category_id: SOCCER, deleted: false })
      assert.deepEqual(dataOf(await ads('GET', `${CURATED}/${id}`)), given)
      assert.deepEqual(dataOf(await ads('GET', CURATED)), [given])

      stage.clock.advance(1000)
      const changed = dataOf(await ads('PUT', `${CURATED}/${id}`, { curated_category_id: ESPORTS }))
      assert.ok(changed.updated_at > updated_at)
      assert.deepEqual(changed, { ...given, curated_category_id: ESPORTS, updated_at: changed.updated_at })
      const moved = dataOf(await ads('PUT', `${CURATED}/${id}`, { line_item_id: 'l2' }))
      assert.deepEqual(moved, { ...changed, line_item_id: 'l2', updated_at: moved.updated_at })
      assert.deepEqual(dataOf(await ads('GET', `${CURATED}/${id}`)), moved)

      assert.equal(dataOf(await ads('DELETE', `${CURATED}/${id}`)).deleted, true)
      for (const method of ['GET', 'PUT', 'DELETE'])
        assert.deepEqual(mistakesOf(await ads(method, `${CURATED}/${id}`)), [404, 'NOT_FOUND'], method)
      assert.deepEqual(dataOf(await ads('GET', CURATED)), [])
      assert.equal(dataOf(await ads('GET', CURATED, { with_deleted: true }))[0].deleted, true)
      dataOf(await curate(ads, 'l2'))
    })

    test('the category and the line item must exist, and a line item has at most one category', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      assert.deepEqual(mistakesOf(await ads('POST', CURATED)), [
        400,
        'MISSING_PARAMETER line_item_id',
        'MISSING_PARAMETER curated_category_id',
      ])
      assert.deepEqual(mistakesOf(await curate(ads, 'l1', 'zzz')), [404, 'NOT_FOUND curated_category_id'])
      assert.deepEqual(mistakesOf(await curate(ads, 'zzz')), [404, 'LINE_ITEM_NOT_FOUND line_item_id'])
      assert.deepEqual(mistakesOf(await curate(adsCaller(stage, 'production', graces), 'l1')), [403, 'ACTION_NOT_ALLOWED'])
      dataOf(await curate(ads, 'l1'))
      assert.deepEqual(mistakesOf(await curate(ads, 'l1', ESPORTS)), [400, 'INVALID line_item_id'])
      const { id } = dataOf(await curate(ads, 'l2'))
      const put = (params: Record<string, string>) => ads('PUT', `${CURATED}/${id}`, params)
      assert.deepEqual(mistakesOf(await put({ line_item_id: 'l1' })), [400, 'INVALID line_item_id'])
      assert.deepEqual(mistakesOf(await put({ line_item_id: 'zzz' })), [404, 'LINE_ITEM_NOT_FOUND line_item_id'])
      assert.deepEqual(mistakesOf(await put({ curated_category_id: 'zzz' })), [404, 'NOT_FOUND curated_category_id'])
      assert.equal(dataOf(await ads('GET', `${CURATED}/${id}`)).line_item_id, 'l2')
    })

    test('a line item has either a curated category or content categories, whichever was first', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const { id } = dataOf(await curate(ads, 'l1'))
      for (const type of ['CONTENT_CATEGORY', 'IAB_CATEGORY'])
        assert.deepEqual(mistakesOf(await target(ads, 'l1', type, 'IAB1')), [400, 'INVALID targeting_type'], type)
      assert.deepEqual(dataOf(await ads('GET', CRITERIA)), [])
      dataOf(await target(ads, 'l1', 'LANGUAGE', 'en'))
      const criterion = dataOf(await target(ads, 'l2', 'CONTENT_CATEGORY', '3hh'))
      dataOf(await target(ads, 'l3', 'IAB_CATEGORY', 'IAB1'))
      for (const lineItem of ['l2', 'l3']) assert.deepEqual(mistakesOf(await curate(ads, lineItem)), [400, 'INVALID line_item_id'])
      assert.deepEqual(mistakesOf(await ads('PUT', `${CURATED}/${id}`, { line_item_id: 'l2' })), [400, 'INVALID line_item_id'])

      dataOf(await ads('DELETE', `${CRITERIA}/${criterion.id}`))
      dataOf(await ads('PUT', `${CURATED}/${id}`, { line_item_id: 'l2' }))
      dataOf(await target(ads, 'l1', 'CONTENT_CATEGORY', '3hh'))
    })

    test('if a line item targets locations, one of them must be a country of the category', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      for (const place of [FRANCE, 'JP', '5a110d312052166f', 'constructor']) dataOf(await target(ads, 'l1', 'LOCATION', place))
      assert.deepEqual(mistakesOf(await curate(ads, 'l1')), [400, 'INVALID curated_category_id'])
      const excluding = dataOf(await target(ads, 'l1', 'LOCATION', UNITED_STATES, 'NE'))
      for (const _ of [1, 2]) assert.deepEqual(mistakesOf(await curate(ads, 'l1')), [400, 'INVALID curated_category_id'])
      dataOf(await ads('DELETE', `${CRITERIA}/${excluding.id}`))
      dataOf(await target(ads, 'l1', 'LOCATION', UNITED_STATES.toUpperCase()))
      dataOf(await curate(ads, 'l1'))
      dataOf(await target(ads, 'l2', 'LOCATION', 'us'))
      dataOf(await curate(ads, 'l2'))
      dataOf(await target(ads, 'l3', 'LOCATION', FRANCE, 'NE'))
      dataOf(await curate(ads, 'l3'))
      dataOf(await target(ads, 'l6', 'LOCATION', 'US', 'NE'))
      assert.deepEqual(mistakesOf(await curate(ads, 'l6')), [400, 'INVALID curated_category_id'])
      dataOf(await target(ads, 'l4', 'LANGUAGE', 'fr'))
      const { id } = dataOf(await curate(ads, 'l4'))
      dataOf(await target(ads, 'l5', 'LOCATION', FRANCE))
      assert.deepEqual(mistakesOf(await ads('PUT', `${CURATED}/${id}`, { line_item_id: 'l5' })), [400, 'INVALID curated_category_id'])
    })

    test('a line item with a curated category must stay shown where that is available, whatever changes in its locations', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const remove = (id: string) => ads('DELETE', `${CRITERIA}/${id}`)
      const existing = async () => dataOf(await ads('GET', CRITERIA)).length
      dataOf(await curate(ads, 'l1'))
      const refused = await target(ads, 'l1', 'LOCATION', FRANCE)
      assert.deepEqual(mistakesOf(refused), [400, 'INVALID targeting_value'])
      assert.equal(
        refused.body.errors[0].message,
        `Line item l1 must stay shown where its curated category ${SOCCER} is available: in one of US`,
      )
      assert.deepEqual(mistakesOf(await target(ads, 'l1', 'LOCATION', 'US', 'NE')), [400, 'INVALID targeting_value'])
      assert.equal(await existing(), 0)
      dataOf(await target(ads, 'l1', 'LOCATION', FRANCE, 'NE'))
      dataOf(await target(ads, 'l2', 'LOCATION', FRANCE))
      const fits = dataOf(await target(ads, 'l1', 'LOCATION', UNITED_STATES))
      const other = dataOf(await target(ads, 'l1', 'LOCATION', FRANCE))
      assert.deepEqual(mistakesOf(await remove(fits.id)), [400, 'INVALID targeting_criterion_id'])
      assert.equal(await existing(), 4)

      const again = dataOf(await target(ads, 'l1', 'LOCATION', 'us'))
      dataOf(await remove(fits.id))
      assert.deepEqual(mistakesOf(await remove(again.id)), [400, 'INVALID targeting_criterion_id'])
      for (const { id } of [other, again]) dataOf(await remove(id))
      assert.equal(await existing(), 2)
      dataOf(await target(ads, 'l1', 'LOCATION', 'US'))
    })

    test('a line item has at most 1,000 locations, so that the changes of a batch read a bounded number', async () => {
      const places = (from: number, to: number) =>
        Array.from({ length: to - from }, (_, place) => ({
          line_item_id: 'l1',
          targeting_type: 'LOCATION',
          targeting_value: `place${from + place}`,
        }))
      await using stage = await setStage({ flavour, seed: seedWith({ targeting_criteria: places(0, 998) }) })
      const ads = adsCaller(stage)
      const path = `/12/batch/accounts/${ACCOUNT}/targeting_criteria`
      const create = (from: number, to: number) => places(from, to).map((place) => operation('Create', place))
      const tooMany = await sendBody(stage, path, create(998, 1001))
      assert.deepEqual([tooMany.status, tooMany.body.operation_errors.map((errors: unknown[]) => errors.length)], [400, [0, 0, 1]])
      const [{ id }] = dataOf(await sendBody(stage, path, create(998, 1000)))
      const refused = await target(ads, 'l1', 'LOCATION', 'US')
      assert.deepEqual(mistakesOf(refused), [400, 'INVALID line_item_id'])
      assert.equal(refused.body.errors[0].message, 'A line item can have at most 1000 LOCATION criteria')
      dataOf(await target(ads, 'l1', 'LANGUAGE', 'en'))
      dataOf(await target(ads, 'l2', 'LOCATION', 'US'))
      dataOf(await ads('DELETE', `${CRITERIA}/${id}`))
      dataOf(await target(ads, 'l1', 'LOCATION', 'US'))
    })

    test('existing values do not prevent unrelated changes, and unchanged values are never rejected', async () => {
      const unfit = {
        line_item_curated_categories: [{ id: 'cc1', line_item_id: 'l1', curated_category_id: SOCCER }],
        targeting_criteria: [
          { id: 't1', line_item_id: 'l1', targeting_type: 'LOCATION', targeting_value: FRANCE },
          { line_item_id: 'l1', targeting_type: 'LOCATION', targeting_value: 'JP' },
          { line_item_id: 'l1', targeting_type: 'IAB_CATEGORY', targeting_value: 'IAB1' },
        ],
      }
      await using stage = await setStage({ flavour, seed: seedWith(unfit) })
      const ads = adsCaller(stage)
      const existing = dataOf(await ads('GET', `${CURATED}/cc1`))
      stage.clock.advance(2000)
      for (const sent of [{}, { curated_category_id: SOCCER }, { ...existing, deleted: 'false' }])
        assert.deepEqual(dataOf(await ads('PUT', `${CURATED}/cc1`, sent)), existing)
      const other = await ads('PUT', `${CURATED}/cc1`, { curated_category_id: ESPORTS })
      assert.deepEqual(mistakesOf(other), [400, 'INVALID curated_category_id'])
      dataOf(await ads('DELETE', `${CRITERIA}/t1`))
      dataOf(await target(ads, 'l1', 'LOCATION', 'US'))
      assert.equal(dataOf(await ads('PUT', `${CURATED}/cc1`, { curated_category_id: ESPORTS })).curated_category_id, ESPORTS)
    })

    test('the curated category of a deleted line item is hidden but not deleted itself', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const given = dataOf(await curate(ads, 'l1'))
      dataOf(await ads('DELETE', `/12/accounts/${ACCOUNT}/campaigns/${CAMPAIGN}`))
      assert.deepEqual(dataOf(await ads('GET', CURATED)), [])
      assert.deepEqual(dataOf(await ads('GET', CURATED, { with_deleted: true })), [given])
      assert.deepEqual(mistakesOf(await ads('GET', `${CURATED}/${given.id}`)), [404, 'NOT_FOUND'])
      assert.deepEqual(dataOf(await ads('GET', `${CURATED}/${given.id}`, { with_deleted: true })), given)
    })
  })
