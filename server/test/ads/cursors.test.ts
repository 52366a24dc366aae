import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adsEndpoints } from '../../src/endpoints/index.ts'
import { ACCOUNT, type AdsParams, adsCaller, adsSeed, dataOf, mistakesOf } from '../stage/ads.ts'
import { setStage } from '../stage/postern.ts'

const HISTORY = {
  entity_type: 'CAMPAIGN',
  entity_id: 'c1',
  start_time: '2026-03-01T00:00:00Z',
  end_time: '2026-03-02T00:00:00Z',
}

/** What a list must be asked with. */
const needed: Record<string, AdsParams> = { listAccountHistory: HISTORY }

const paged = adsEndpoints.filter(({ params }) => 'cursor' in params)
const pathTo = (path: string) => path.replace(':account_id', ACCOUNT)

test('every list reports an invalid cursor with all other errors, and does not echo it', async () => {
  await using stage = await setStage({ seed: adsSeed })
  const ads = adsCaller(stage)
  assert.ok(paged.length >= 10)
  for (const { name, path, pathNames } of paged) {
    const more = needed[name] ?? {}
    dataOf(await ads('GET', pathTo(path), more))
    const both = await ads('GET', pathTo(path), { ...more, cursor: 'bogus', count: 0 })
    assert.deepEqual(mistakesOf(both), [400, 'INVALID_PARAMETER count', 'INVALID_PARAMETER cursor'], name)
    const understood = Object.keys(both.body.request.params).sort()
    assert.deepEqual(understood, [...pathNames, ...Object.keys(more)].sort(), name)
    assert.match(both.body.errors[1].message, /^cursor must be the next_cursor/)
  }
})

test('a cursor is not checked if other parameters of the list are invalid', async () => {
  await using stage = await setStage({ seed: adsSeed })
  const ads = adsCaller(stage)
  const asked = { cursor: 'bogus', sort_by: 'color-asc', account_ids: '!' }
  assert.deepEqual(mistakesOf(await ads('GET', '/12/accounts', asked)), [400, 'INVALID_PARAMETER account_ids', 'INVALID_PARAMETER sort_by'])
})

test('a cursor of one account is invalid for another', async () => {
  const { members } = adsSeed.accounts![0]!
  await using stage = await setStage({ seed: { ...adsSeed, accounts: [...adsSeed.accounts!, { id: 'second', members }] } })
  const ads = adsCaller(stage)
  const { next_cursor: cursor } = (await ads('GET', `/12/accounts/${ACCOUNT}/curated_categories`, { count: 2 })).body
  const elsewhere = await ads('GET', '/12/accounts/second/curated_categories', { count: 2, cursor })
  assert.deepEqual(mistakesOf(elsewhere), [400, 'INVALID_PARAMETER cursor'])
})

test('a cursor must match exactly', async () => {
  await using stage = await setStage({ seed: adsSeed })
  const ads = adsCaller(stage)
  const at = `/12/accounts/${ACCOUNT}/curated_categories`
  const { next_cursor: cursor } = (await ads('GET', at, { count: 1 })).body
  dataOf(await ads('GET', at, { count: 1, cursor }))
  const [mark, place] = [cursor.slice(0, 12), cursor.slice(12)]
  const spaced = Buffer.from(` ${Buffer.from(place, 'base64url')}`).toString('base64url')
  for (const other of [`${cursor}!!`, `${cursor} `, ` ${cursor}`, `${cursor}=`, `${cursor}==`, `${mark}!${place}`, `${mark}${spaced}`])
    assert.deepEqual(mistakesOf(await ads('GET', at, { count: 1, cursor: other })), [400, 'INVALID_PARAMETER cursor'], other)
})
