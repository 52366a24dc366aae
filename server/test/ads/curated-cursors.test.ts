import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCOUNT, adsCaller, adsSeed, dataOf, mistakesOf } from '../stage/ads.ts'
import { setStage } from '../stage/postern.ts'

const LIST = `/12/accounts/${ACCOUNT}/curated_categories`

test('a cursor of curated categories belongs to its list: with_deleted left out is false, and nothing else', async () => {
  await using stage = await setStage({ seed: adsSeed })
  const ads = adsCaller(stage)
  const cursorOf = async (params: Record<string, boolean>) => (await ads('GET', LIST, { count: 2, ...params })).body.next_cursor
  const next = async (cursor: string, params: Record<string, boolean>) => ads('GET', LIST, { count: 2, cursor, ...params })
  const [usual, all] = [await cursorOf({}), await cursorOf({ with_deleted: true })]
  for (const params of [{}, { with_deleted: false }] as Record<string, boolean>[]) assert.equal(dataOf(await next(usual, params)).length, 2)
  assert.equal(dataOf(await next(all, { with_deleted: true })).length, 2)
  assert.deepEqual(mistakesOf(await next(usual, { with_deleted: true })), [400, 'INVALID_PARAMETER cursor'])
  assert.deepEqual(mistakesOf(await next(all, {})), [400, 'INVALID_PARAMETER cursor'])
})
