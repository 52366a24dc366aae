import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../src/api/declare/problem.ts'
import { businessCategories, businessCategoryOf, IAB_CODE } from '../../src/endpoints/ads/business-categories/business-categories.ts'
import { curatedCategories, curatedCategoryWithId } from '../../src/endpoints/ads/curated-categories/curated-categories.ts'
import { expandCategories } from '../../src/endpoints/ads/line-items/expand-categories.ts'
import { defaultsOf } from '../../src/endpoints/ads/resources/line-item-defaults.ts'

const codes = (group: number, ...subgroups: number[]) => subgroups.map((subgroup) => `IAB${group}-${subgroup}`)
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)

/** The business categories in public use, with their IAB codes. */
const BUSINESS: readonly [id: string, name: string, codes: readonly string[]][] = [
  [
    '1jl',
    'Consumer Packaged Goods',
    ['IAB4', 'IAB6', ...codes(9, ...range(1, 6), ...range(8, 29), 31), 'IAB10', 'IAB16', 'IAB22', 'IAB23'],
  ],
  ['1jm', 'Health & Pharma', ['IAB7']],
  ['1jn', 'Alcohol', codes(8, 5, 18)],
  ['1jo', 'Dining', codes(8, ...range(1, 4), ...range(6, 17))],
  ['1jp', 'Financial Services', ['IAB3', 'IAB13', 'IAB21']],
  ['1jq', 'Retail', ['IAB18']],
  ['1jr', 'Travel', ['IAB20']],
  ['1js', 'Gaming', ['IAB9-30']],
  ['1jt', 'Technology', ['IAB5', 'IAB15', ...codes(19, ...range(1, 5), ...range(7, 17), ...range(19, 36))]],
  ['1ju', 'Telecommunication', codes(19, 6, 18)],
  ['1jv', 'Auto', ['IAB2']],
  ['1jw', 'Media & Entertainment', [...codes(1, ...range(1, 7)), 'IAB12', ...codes(14, ...range(2, 8)), 'IAB17', 'IAB25-1']],
  ['1jx', 'Politics', ['IAB11-4']],
  ['1jy', 'Gambling', ['IAB9-7']],
  ['1jz', 'Dating', ['IAB14-1']],
  ['1k0', 'Non-Profit', codes(11, 1, 2, 3, 5)],
]

const CURATED = {
  '9lav5usxfmdc': 'Baseball',
  '929wbl6ymlfk': 'Basketball',
  '9ys3jz3ktreo': 'Esports Teams',
  '8tujg1lvi8sn': 'Football',
  '94ngssfrr01x': 'Gaming Personalities',
  '9fg8gmz96qdg': 'Light-Hearted',
  '8tujj1ep7t34': "Men's Culture + Lifestyle",
  '9ddrgesiap6o': 'Soccer',
  '8tujl1p3yn0g': "Women's Culture + Lifestyle",
}

test('the sixteen business categories have their ids, names and codes', () => {
  assert.deepEqual(
    businessCategories.map(({ id, name, iab_categories }) => [id, name, iab_categories]),
    BUSINESS,
  )
  for (const [id, , all] of BUSINESS) for (const code of all) assert.equal(businessCategoryOf(code)?.id, id, code)
  assert.equal(businessCategoryOf('IAB24'), undefined)
})

test('an IAB code has one of 26 groups, and perhaps a subgroup', () => {
  for (const code of ['IAB1', 'IAB26', 'IAB10', 'IAB9-30', 'IAB19-6']) assert.match(code, IAB_CODE)
  for (const code of ['IAB0', 'IAB27', 'IAB', 'IAB1-', 'IAB1-100', 'iab1', '1']) assert.doesNotMatch(code, IAB_CODE)
})

test('the nine curated categories have their ids and names, and are available in the United States', () => {
  assert.deepEqual(Object.fromEntries(curatedCategories.map(({ id, name }) => [id, name])), CURATED)
  assert.deepEqual(
    curatedCategories.map(({ name }) => name),
    Object.values(CURATED),
    'by name',
  )
  for (const [id, name] of Object.entries(CURATED)) {
    const { description, created_at, updated_at, ...rest } = curatedCategoryWithId(id)!
    assert.deepEqual(rest, { id, name, country_codes: ['US'], publisher_user_ids: [], videos_monetized_in_last_thirty_days: 0 })
    assert.deepEqual([description, created_at], [`Publishers whose videos are about ${name}.`, updated_at])
  }
  assert.equal(curatedCategoryWithId('zzz'), undefined)
})

test('a code of a business category stands for all its codes where the objective is PREROLL_VIEWS, and elsewhere for itself', () => {
  const expanded = (categories: readonly string[] | null | undefined, objective: string, existing: string[] = []) =>
    expandCategories({ categories, name: 'x' }, { objective, categories: existing })
  assert.deepEqual(expanded(['IAB8-5'], 'PREROLL_VIEWS'), { name: 'x', categories: ['IAB8-5', 'IAB8-18'] })
  assert.deepEqual(expanded(['IAB8-5', 'IAB8-18', 'IAB18'], 'PREROLL_VIEWS'), { name: 'x', categories: ['IAB8-5', 'IAB8-18', 'IAB18'] })
  assert.deepEqual(expanded(['IAB8-5', 'IAB8-5'], 'ENGAGEMENTS'), { name: 'x', categories: ['IAB8-5'] })
  assert.deepEqual(expanded(null, 'ENGAGEMENTS', ['IAB1']), { name: 'x', categories: [] })
  for (const objective of ['PREROLL_VIEWS', 'ENGAGEMENTS']) {
    assert.deepEqual(expanded(undefined, objective, ['IAB1']), { name: 'x' })
    assert.deepEqual(expanded(['IAB8-5'], objective, ['IAB8-5']), { name: 'x' }, 'nothing has changed')
  }
  const refused = (categories: string[], objective: string) =>
    assert.throws(
      () => expanded(categories, objective),
      (error) => error instanceof Problem && JSON.stringify(error.members).includes('INVALID_IAB_CATEGORY'),
    )
  refused(['IAB24'], 'PREROLL_VIEWS')
  refused(['IAB8-5', 'IAB99'], 'ENGAGEMENTS')
  assert.deepEqual(expanded(['IAB24'], 'ENGAGEMENTS'), { name: 'x', categories: ['IAB24'] })
})

const BID = { bid_amount_local_micro: 5 }

test('goal, strategy and payment of a new line item depend on its objective, and on its bid (§4.8)', () => {
  for (const [objective, goal, payBy, strategy, payByWithBid] of [
    ['APP_ENGAGEMENTS', 'APP_CLICKS', 'APP_CLICK', 'MAX', 'APP_CLICK'],
    ['APP_INSTALLS', 'APP_INSTALLS', 'IMPRESSION', 'MAX', 'IMPRESSION'],
    ['ENGAGEMENTS', 'ENGAGEMENT', 'ENGAGEMENT', 'MAX', 'ENGAGEMENT'],
    ['FOLLOWERS', 'FOLLOWERS', 'FOLLOW', 'TARGET', 'FOLLOW'],
    ['PREROLL_VIEWS', 'PREROLL', 'VIEW', 'MAX', 'VIEW'],
    ['REACH', 'MAX_REACH', 'IMPRESSION', 'TARGET', 'LINK_CLICK'],
    ['VIDEO_VIEWS', 'VIDEO_VIEW', 'VIEW', 'MAX', 'VIEW'],
    ['WEBSITE_CLICKS', 'LINK_CLICKS', 'IMPRESSION', 'MAX', 'IMPRESSION'],
  ] as const) {
    const unbid = { goal, bid_strategy: 'AUTO', pay_by: payBy, bid_amount_local_micro: null }
    assert.deepEqual(defaultsOf({ objective }), unbid, objective)
    assert.deepEqual(defaultsOf({ objective, bid_amount_local_micro: null }), unbid, objective)
    assert.deepEqual(defaultsOf({ objective, ...BID }), { goal, bid_strategy: strategy, pay_by: payByWithBid }, objective)
  }
  assert.equal(defaultsOf({ objective: 'APP_INSTALLS', bid_strategy: 'TARGET', ...BID }).pay_by, 'APP_CLICK')
  assert.equal(defaultsOf({ objective: 'WEBSITE_CLICKS', bid_strategy: 'TARGET', ...BID }).pay_by, 'LINK_CLICK')
  assert.deepEqual(defaultsOf({ objective: 'REACH', goal: 'VIDEO_VIEW', bid_strategy: 'MAX', pay_by: 'VIEW' }), {
    goal: 'VIDEO_VIEW',
    bid_strategy: 'MAX',
    pay_by: 'VIEW',
  })
})
