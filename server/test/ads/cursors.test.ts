import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adsEndpoints } from '../../scripts/all-endpoints.ts'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { ACCOUNT, type AdsParams, adsCaller, adsSeed, dataOf, mistakesOf } from '../stage/ads.ts'
import { setStage } from '../stage/postern.ts'
import { ada } from '../stage/sign-in.ts'

const HISTORY = {
  entity_type: 'CAMPAIGN',
  entity_id: 'c1',
  start_time: '2026-03-01T00:00:00Z',
  end_time: '2026-03-02T00:00:00Z',
}

/** What a list must be asked with. */
const needed: Record<string, AdsParams> = { listAccountHistory: HISTORY, listAdsPosts: { post_type: 'PUBLISHED' } }

/** A list of what must exist first: a catalog with its feed, and an audience. */
const [CATALOG, AUDIENCE] = ['1486798615022686208', 'a1']
const seed = {
  ...adsSeed,
  accounts: adsSeed.accounts!.map((account) =>
    account.id === ACCOUNT ? { ...account, custom_audiences: [{ id: AUDIENCE, name: 'All' }] } : account,
  ),
  product_catalogs: [{ id: CATALOG, user_id: ada.id, name: 'Spring' }],
} as SeedDocument

const FEED = { feed_url: 'https://shop.example/feed.csv', feed_format: 'CSV', frequency: 'DAILY', start_time: '03:00' }

const paged = adsEndpoints.filter(({ params }) => 'cursor' in params)

test('every list reports an invalid cursor with all other errors, and echoes what was sent', async () => {
  await using stage = await setStage({ seed })
  const ads = adsCaller(stage)
  const ids: Record<string, string> = {
    account_id: ACCOUNT,
    product_catalog_id: CATALOG,
    custom_audience_id: AUDIENCE,
    tailored_audience_id: AUDIENCE,
    scheduled_feed_id: dataOf(await ads('POST', `/12/product_catalogs/${CATALOG}/scheduled_feeds`, FEED)).id,
  }
  const pathTo = (path: string) => path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name]!)
  assert.ok(paged.length >= 10, `${paged.length} endpoints have cursors`)
  for (const { name, path, pathNames, params } of paged) {
    const more = needed[name] ?? {}
    dataOf(await ads('GET', pathTo(path), more))
    const both = await ads('GET', pathTo(path), { ...more, cursor: 'bogus', count: 0 })
    const mistakes = ['count', 'cursor'].filter((parameter) => parameter in params).map((parameter) => `INVALID_PARAMETER ${parameter}`)
    assert.deepEqual(mistakesOf(both), [400, ...mistakes], name)
    const { cursor, count } = both.body.request.params
    assert.deepEqual([cursor, count], ['bogus', 'count' in params ? 0 : '0'], name)
    const repeated = Object.keys(both.body.request.params).filter((parameter) => !['cursor', 'count'].includes(parameter))
    assert.deepEqual(repeated.sort(), [...pathNames, ...Object.keys(more)].sort(), name)
    assert.match(both.body.errors.at(-1).message, /^cursor must be the next_cursor/)
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
