import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { SeedDocument } from '../../../src/endpoints/operator/seed/seed-document.ts'
import { adsCaller, adsSeed, dataOf } from '../../stage/ads.ts'
import { CATALOGS, cup } from '../../stage/catalogs.ts'
import { databasesOf } from '../../stage/databases.ts'
import { setStage } from '../../stage/postern.ts'
import { ada } from '../../stage/sign-in.ts'
import { rawRows } from '../../storage/samples.ts'

const CATALOG = '1486798615022686208'

const catalog = {
  id: CATALOG,
  user_id: ada.id,
  name: 'Spring',
  products: Array.from({ length: 30 }, (_, index) => cup({ id: `p${index}`, inventory: index + 1 })),
  product_sets: [
    { id: '11', name: 'Two', type: 'MANUAL', product_ids: ['p1', 'p0'] },
    { id: '12', name: 'Few', type: 'FILTERED', filters: [{ attribute: 'inventory', operator: 'LESS_THAN', value: '3' }] },
  ],
}

const seedWith = (...product_catalogs: object[]) => ({ ...adsSeed, product_catalogs }) as object as SeedDocument

for (const flavour of databasesOf(import.meta))
  suite(`seeds of product catalogs on ${flavour}`, () => {
    test('a seed adds a catalog again of which not everything is deleted yet, with the same ids', async () => {
      await using stage = await setStage({ flavour, seed: seedWith(catalog) })
      const later = stage.clock.now() + 1_000_000
      await rawRows(stage.databaseUrl, `update product_catalogs set host = 'removed ${CATALOG}', due_at_ms = ${later} returning id`)
      const { data } = (await stage.operator('POST', '/operator/seed', { product_catalogs: [catalog] })).body
      assert.equal(data.created.filter(({ kind }: { kind: string }) => kind === 'product_catalogs').length, 1)
      const ads = adsCaller(stage)
      assert.deepEqual(dataOf(await ads('GET', CATALOGS)), [{ id: CATALOG, name: 'Spring' }])
      assert.deepEqual(dataOf(await ads('GET', `${CATALOGS}/${CATALOG}/product_sets/11`)).product_ids, ['p0', 'p1'])
    })

    test('a seed adds a catalog with its products and sets, once; a later one adds what is missing', async () => {
      await using stage = await setStage({ flavour, seed: seedWith(catalog) })
      const ads = adsCaller(stage)
      assert.deepEqual(dataOf(await ads('GET', CATALOGS)), [{ id: CATALOG, name: 'Spring' }])
      assert.equal(dataOf(await ads('GET', `${CATALOGS}/${CATALOG}/products`)).length, 30)
      assert.deepEqual(dataOf(await ads('GET', `${CATALOGS}/${CATALOG}/product_sets/11`)).product_ids, ['p0', 'p1'])
      await stage.until(async () => dataOf(await ads('GET', `${CATALOGS}/${CATALOG}/product_sets/12`)).product_ids.length === 2)
      const load = async (document: object) => (await stage.operator('POST', '/operator/seed', document)).body
      const again = await load({ product_catalogs: [catalog] })
      assert.deepEqual([again.data.created, again.data.existing], [[], [{ kind: 'product_catalogs', id: CATALOG }]])
      const changed = { ...catalog, name: 'Summer', products: [cup({ id: 'p0', title: 'Kept as it is' }), cup({ id: 'new' })] }
      const { data } = await load({ product_catalogs: [changed] })
      assert.deepEqual(data.created, [{ kind: 'products', id: 'new' }])
      assert.deepEqual(data.differing, [{ kind: 'product_catalogs', id: CATALOG, fields: ['name'] }])
      const [newest] = dataOf(await ads('GET', `${CATALOGS}/${CATALOG}/products`, { count: 1 }))
      assert.equal(newest.id, 'new')
    })

    test('a product that breaks a rule, an unknown user and an unknown product of a set are refused by name', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const refused = async (change: object) => {
        const { status, body } = await stage.operator('POST', '/operator/seed', { product_catalogs: [{ ...catalog, ...change }] })
        assert.equal(status, 400)
        return body.errors[0].message
      }
      assert.equal(await refused({ user_id: '404' }), '$.product_catalogs: user_id 404 does not belong to any user')
      assert.equal(await refused({ products: [cup({ title: '' })] }), '$.product_catalogs: products cup title is required')
      const product_sets = [{ name: 'x', type: 'MANUAL', product_ids: ['nowhere'] }]
      assert.equal(await refused({ product_sets }), '$.product_catalogs: product_sets.product_ids nowhere is no product of the catalog')
      const namesakes = ['x', 'y'].map((name) => ({ id: '11', name, type: 'FILTERED' }))
      const inUse = '$.product_catalogs.product_sets.id: the id 11 is already in use by another record'
      assert.equal(await refused({ product_sets: namesakes }), inUse)
    })

    test('a set that a seed names twice is added once', async () => {
      await using stage = await setStage({ flavour, seed: seedWith({ ...catalog, product_sets: Array(2).fill(catalog.product_sets[0]) }) })
      const sets = dataOf(await adsCaller(stage)('GET', `${CATALOGS}/${CATALOG}/product_sets`))
      assert.deepEqual(
        sets.map(({ id }: { id: string }) => id),
        ['11'],
      )
    })
  })
