import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ACCOUNT, adsCaller, dataOf, mistakesOf } from '../stage/ads.ts'
import { CAMPAIGN, seedWithLineItems } from '../stage/ads-line-items.ts'
import { databasesOf } from '../stage/databases.ts'
import { setStage } from '../stage/postern.ts'
import { graces } from '../stage/signed-calls.ts'

const CRITERIA = `/12/accounts/${ACCOUNT}/targeting_criteria`
const seed = seedWithLineItems('l1', 'l2')
const language = { targeting_type: 'LANGUAGE', targeting_value: 'en' }
const idsOf = (records: { id: string }[]) => records.map(({ id }) => id)

for (const flavour of databasesOf(import.meta))
  suite(`targeting criteria on ${flavour}`, () => {
    test('a criterion is created, read, filtered and deleted', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const first = dataOf(await ads('POST', CRITERIA, { line_item_id: 'L1', ...language }))
      const { id, created_at, updated_at, ...fields } = first
      assert.deepEqual(fields, { line_item_id: 'l1', ...language, name: null, operator_type: 'EQ', deleted: false })
      stage.clock.advance(1000)
      const given = { line_item_id: 'l2', targeting_type: 'AGE', targeting_value: 'AGE_13_TO_24', operator_type: 'NE', name: 'Young' }
      const second = dataOf(await ads('POST', CRITERIA, given))
      assert.deepEqual({ ...second, ...given }, second)

      assert.deepEqual(dataOf(await ads('GET', CRITERIA)), [second, first])
      assert.deepEqual(dataOf(await ads('GET', CRITERIA, { line_item_ids: ['l1'] })), [first])
      assert.deepEqual(dataOf(await ads('GET', CRITERIA, { targeting_criterion_ids: [second.id] })), [second])
      assert.deepEqual(dataOf(await ads('GET', CRITERIA, { targeting_criterion_ids: [second.id], line_item_ids: ['l1'] })), [])
      assert.deepEqual(dataOf(await ads('GET', `${CRITERIA}/${id}`)), first)

      assert.equal(dataOf(await ads('DELETE', `${CRITERIA}/${id}`)).deleted, true)
      for (const method of ['GET', 'DELETE'])
        assert.deepEqual(mistakesOf(await ads(method, `${CRITERIA}/${id}`)), [404, 'TARGETING_CRITERION_NOT_FOUND'], method)
      assert.deepEqual(dataOf(await ads('GET', CRITERIA)), [second])
      assert.deepEqual(idsOf(dataOf(await ads('GET', CRITERIA, { with_deleted: true }))), [second.id, id])
    })

    test('the criteria of a deleted line item are hidden but not deleted themselves', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const criterion = dataOf(await ads('POST', CRITERIA, { line_item_id: 'l1', ...language }))
      dataOf(await ads('DELETE', `/12/accounts/${ACCOUNT}/campaigns/${CAMPAIGN}`))
      assert.deepEqual(dataOf(await ads('GET', CRITERIA)), [])
      assert.deepEqual(dataOf(await ads('GET', CRITERIA, { with_deleted: true })), [criterion])
      for (const method of ['GET', 'DELETE'])
        assert.deepEqual(mistakesOf(await ads(method, `${CRITERIA}/${criterion.id}`)), [404, 'TARGETING_CRITERION_NOT_FOUND'], method)
      assert.deepEqual(dataOf(await ads('GET', `${CRITERIA}/${criterion.id}`, { with_deleted: true })), criterion)
      const more = await ads('POST', CRITERIA, { line_item_id: 'l1', ...language })
      assert.deepEqual(mistakesOf(more), [404, 'LINE_ITEM_NOT_FOUND line_item_id'])
    })

    test('all errors of a criterion are reported, and a read-only member cannot create one', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      assert.deepEqual(mistakesOf(await ads('POST', CRITERIA, { targeting_type: 'LUCK', operator_type: 'GT' })).sort(), [
        400,
        'INVALID_PARAMETER operator_type',
        'INVALID_PARAMETER targeting_type',
        'MISSING_PARAMETER line_item_id',
        'MISSING_PARAMETER targeting_value',
      ])
      const refused = await adsCaller(stage, 'production', graces)('POST', CRITERIA, { line_item_id: 'l1', ...language })
      assert.deepEqual(mistakesOf(refused), [403, 'ACTION_NOT_ALLOWED'])
      assert.deepEqual(dataOf(await ads('GET', CRITERIA)), [])
    })
  })
