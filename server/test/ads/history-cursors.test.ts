import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCOUNT, type AdsParams, adsCaller, dataOf, mistakesOf } from '../stage/ads.ts'
import { CAMPAIGN, seedWithLineItems } from '../stage/ads-line-items.ts'
import { setStage } from '../stage/postern.ts'

const HISTORY = `/12/accounts/${ACCOUNT}/account_history`
const HOUR_MS = 3_600_000

const hour = (ms: number) => new Date(Math.floor(ms / HOUR_MS) * HOUR_MS).toISOString().replace('.000', '')

test('a cursor of the account history belongs to its record, its time and its user', async () => {
  await using stage = await setStage({ seed: seedWithLineItems('l1') })
  const ads = adsCaller(stage)
  for (const name of ['One', 'Two', 'Three']) dataOf(await ads('PUT', `/12/accounts/${ACCOUNT}/campaigns/${CAMPAIGN}`, { name }))
  const nowMs = stage.clock.now()
  const asked: AdsParams = {
    entity_type: 'CAMPAIGN',
    entity_id: CAMPAIGN,
    count: 1,
    start_time: hour(nowMs - HOUR_MS),
    end_time: hour(nowMs + 2 * HOUR_MS),
  }
  const { next_cursor: cursor } = (await ads('GET', HISTORY, asked)).body
  assert.equal(dataOf(await ads('GET', HISTORY, { ...asked, cursor })).length, 1)
  for (const other of [
    { entity_type: 'LINE_ITEM' },
    { entity_id: 'l1' },
    { start_time: hour(nowMs - 2 * HOUR_MS) },
    { end_time: hour(nowMs + 3 * HOUR_MS) },
    { user_id: '101' },
  ] as AdsParams[])
    assert.deepEqual(
      mistakesOf(await ads('GET', HISTORY, { ...asked, cursor, ...other })),
      [400, 'INVALID_PARAMETER cursor'],
      JSON.stringify(other),
    )
})
