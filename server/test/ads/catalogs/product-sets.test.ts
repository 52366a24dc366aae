import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createProductSet, updateProductSet } from '../../../src/endpoints/ads/catalogs/sets/sets.ts'
import { adsSeed, dataOf, mistakesOf } from '../../stage/ads.ts'
import { createCatalog, cup, sendJson } from '../../stage/catalogs.ts'
import { databasesOf } from '../../stage/databases.ts'
import { type Stage, setStage } from '../../stage/postern.ts'
import { aUser, openedAlone } from '../../storage/samples.ts'

/** A catalog with calls on its sets. */
async function withSets(stage: Stage) {
  const catalog = await createCatalog(stage)
  const path = `${catalog.path}/product_sets`
  const send = (body: Record<string, unknown>) => sendJson(stage, 'POST', path, body)
  const get = async (id: string) => dataOf(await catalog.ads('GET', `${path}/${id}`))
  return {
    ...catalog,
    setsPath: path,
    send,
    get,
    create: async (body: Record<string, unknown>) => dataOf(await send(body)),
    done: (id: string) =>
      stage.until(async () => {
        const set = await get(id)
        return set.processing_status === 'DONE' && set
      }),
  }
}

const filter = (attribute: string, operator: string, value: string) => ({ attribute, operator, value })

for (const flavour of databasesOf(import.meta))
  suite(`product sets on ${flavour}`, () => {
    test('a MANUAL set is created, read, updated, loses deleted products, and is deleted', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const { ads, add, remove, setsPath, create, get } = await withSets(stage)
      const [a, b, c] = (await add(cup({ id: 'a' }), cup({ id: 'b' }), cup({ id: 'c' }))) as [string, string, string]
      const created = await create({ name: 'Two', type: 'MANUAL', product_keys: [b, a, b] })
      const expected = {
        id: created.id,
        name: 'Two',
        description: null,
        type: 'MANUAL',
        product_ids: ['a', 'b'],
        filters: [],
        processing_status: 'DONE',
      }
      assert.deepEqual(created, expected)
      assert.deepEqual(await get(created.id), expected)
      await remove(a)
      assert.deepEqual(await get(created.id), { ...expected, product_ids: ['b'] })
      const path = `${setsPath}/${created.id}`
      const changed = dataOf(await sendJson(stage, 'PUT', path, { name: 'Other', description: 'New', product_keys: [c] }))
      const updated = { ...expected, name: 'Other', description: 'New', product_ids: ['c'] }
      assert.deepEqual(changed, updated)
      assert.deepEqual(dataOf(await sendJson(stage, 'PUT', path, {})), updated)
      assert.deepEqual(dataOf(await ads('DELETE', path)), { ...updated, product_ids: [] })
      assert.deepEqual(mistakesOf(await ads('GET', path)), [404, 'NOT_FOUND'])
      assert.deepEqual(mistakesOf(await ads('DELETE', path)), [404, 'NOT_FOUND'])
    })

    test('the answer to an update needs nothing of the database after its commit', async () => {
      await using it = await openedAlone(flavour)
      const { catalogs, users } = it.storage
      await users.insert(aUser())
      await catalogs.create({ id: '1', host: 'production', userId: '101', name: 'All' }, 1)
      const set = {
        id: '3',
        catalogId: '1',
        name: 'All',
        description: null,
        type: 'MANUAL',
        filters: [],
        processingStatus: 'DONE',
      } as const
      await catalogs.change('1', async (transaction) => {
        await transaction.add([{ productKey: '11', id: 'a', itemGroupId: null, itemGroupKey: null, attributes: {} }])
        await transaction.addSet(set, [], 1, 9)
      })
      const away = { ...catalogs, set: () => assert.fail('read after the commit') }
      const params = { product_catalog_id: '1', product_set_id: '3', name: 'Cups', product_keys: ['11'] }
      const call = { params, caller: { user: { id: '101' }, adsHost: 'production' } }
      const { data } = (await updateProductSet.handle(call as never, { catalogs: away } as never)) as { data: Record<string, unknown> }
      assert.deepEqual([data.name, data.product_ids], ['Cups', ['a']])
    })

    test('a list has the first 200 products of each set, and a set alone 10,000; others get their turn after each 1,000', async () => {
      await using it = await openedAlone(flavour)
      const { catalogs, users } = it.storage
      await users.insert(aUser())
      await catalogs.create({ id: '1', host: 'production', userId: '101', name: 'All' }, 1)
      const keys = Array.from({ length: 10_001 }, (_, index) => String(10_000 + index))
      const product = (productKey: string) => ({ productKey, id: `p${productKey}`, itemGroupId: null, itemGroupKey: null, attributes: {} })
      const set = { catalogId: '1', name: 'All', description: null, type: 'FILTERED', filters: [], processingStatus: 'DONE' } as const
      await catalogs.change('1', async (transaction) => {
        for (const id of ['3', '4']) await transaction.addSet({ ...set, id }, [], 1, 9)
        for (let from = 0; from < keys.length; from += 1000) {
          const slice = keys.slice(from, from + 1000)
          await transaction.add(slice.map(product))
          await transaction.changeMembers(
            slice.flatMap((key) => [['3', key] as const, ['4', key] as const]),
            [],
          )
        }
      })
      let turns = 0
      const giveWay = () => {
        turns += 1
        return undefined
      }
      const shown = (most: number) => keys.slice(0, most).map((key) => `p${key}`)
      assert.deepEqual((await catalogs.set('1', '3', giveWay))!.productIds, shown(10_000))
      assert.equal(turns, 10)
      turns = 0
      const list = await catalogs.sets('1', undefined, 9, giveWay)
      assert.deepEqual(
        list.map(({ id, productIds }) => [id, productIds]),
        [
          ['4', shown(200)],
          ['3', shown(200)],
        ],
      )
      assert.equal(turns, 2)
    })

    test('a MANUAL set has up to 50 products, each of them existing in its catalog', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const { add, send } = await withSets(stage)
      const ids = Array.from({ length: 51 }, (_, index) => `p${index}`)
      const keys: string[] = []
      for (let from = 0; from < 51; from += 25) keys.push(...(await add(...ids.slice(from, from + 25).map((id) => cup({ id })))))
      const set = dataOf(await send({ name: 'All', type: 'MANUAL', product_keys: keys.slice(0, 50) }))
      assert.deepEqual(set.product_ids, ids.slice(0, 50))
      for (const product_keys of [keys, [], undefined])
        assert.equal((await send({ name: 'x', type: 'MANUAL', product_keys })).body.errors[0].parameter, 'product_keys')
      const unknown = await send({ name: 'x', type: 'MANUAL', product_keys: [keys[0], '7', '8'] })
      assert.deepEqual(mistakesOf(unknown), [400, 'INVALID_PARAMETER product_keys'])
      assert.match(unknown.body.errors[0].message, /does not have 7, 8$/)
    })

    test('a FILTERED set is filled with what exists, and follows every change of products', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const { add, remove, create, done, get } = await withSets(stage)
      const [red] = await add(
        cup({ id: 'red', price: '5 USD', custom_label_0: 'Sale' }),
        cup({ id: 'blue', price: '15 USD', custom_label_0: 'sale' }),
        cup({ id: 'plain', price: '15 USD' }),
      )
      const filters = [filter('custom_label_0', 'MATCH', 'SALE'), filter('price', 'LESS_THAN', '10')]
      const created = await create({ name: 'Cheap', description: 'On sale', type: 'FILTERED', filters })
      assert.deepEqual(created, {
        id: created.id,
        name: 'Cheap',
        description: 'On sale',
        type: 'FILTERED',
        product_ids: [],
        filters,
        processing_status: 'PROCESSING',
      })
      assert.deepEqual((await done(created.id)).product_ids, ['red'])
      await add(cup({ id: 'blue', price: '9 USD', custom_label_0: 'sale' }), cup({ id: 'new', price: '1 EUR', custom_label_0: 'SALE' }))
      assert.deepEqual((await get(created.id)).product_ids, ['red', 'blue', 'new'])
      await add(cup({ id: 'blue', price: '9 USD' }))
      assert.deepEqual((await get(created.id)).product_ids, ['red', 'new'])
      await remove(red!)
      assert.deepEqual((await get(created.id)).product_ids, ['new'])
    })

    test('a FILTERED set cannot be updated', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const { create, setsPath } = await withSets(stage)
      const { id } = await create({ name: 'x', type: 'FILTERED', filters: [filter('inventory', 'EQUAL_TO', '1')] })
      assert.deepEqual(mistakesOf(await sendJson(stage, 'PUT', `${setsPath}/${id}`, { name: 'y' })), [400, 'INVALID type'])
    })

    test('a filter with a wrong attribute, operator or value is refused by name', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const { send } = await withSets(stage)
      const right = filter('inventory', 'EQUAL_TO', '1')
      const says = async (filters: unknown) => {
        const answer = await send({ name: 'x', type: 'FILTERED', filters })
        assert.equal(answer.status, 400, answer.text)
        assert.equal(answer.body.errors[0].parameter, 'filters')
        return answer.body.errors[0].message
      }
      const attributes =
        'price, product_type, google_product_category, sale_price, inventory, custom_label_0, custom_label_1, custom_label_2, custom_label_3, custom_label_4'
      assert.equal(
        await says([right, filter('colour', 'MATCH', 'red')]),
        `Expected a value in ${attributes}, got "colour" for filters.1.attribute`,
      )
      assert.equal(
        await says([filter('price', 'ABOVE', '1')]),
        'Expected a value in GREATER_THAN, EQUAL_TO, LESS_THAN, MATCH, NOT_CONTAINS, CONTAINS, got "ABOVE" for filters.0.operator',
      )
      assert.equal(
        await says([right, filter('price', 'LESS_THAN', 'cheap')]),
        'filters.1.value must be a number such as 12.50, or a price such as 12.50 USD for LESS_THAN of price, not "cheap"',
      )
      assert.equal(await says([{ attribute: 'price', operator: 'MATCH' }]), '"filters.0.value" is a required parameter')
      assert.equal(await says([]), 'filters is required when type is FILTERED')
      assert.equal(await says(undefined), 'filters is required when type is FILTERED')
      assert.match(await says(Array.from({ length: 31 }, () => right)), /^Expected a list of/)
      assert.equal((await send({ name: 'x', type: 'FILTERED', filters: Array.from({ length: 30 }, () => right) })).status, 200)
      assert.deepEqual(mistakesOf(await send({ name: 'x', type: 'MANUAL', product_keys: ['1'], filters: [right] })), [
        400,
        'EXCLUSIVE_PARAMETERS filters',
      ])
      assert.deepEqual(mistakesOf(await send({ type: 'FILTERED', filters: [right] })), [400, 'MISSING_PARAMETER name'])
      assert.deepEqual(mistakesOf(await send({ name: 'x', filters: [right] })), [400, 'MISSING_PARAMETER type'])
    })

    test('sets are listed newest first, page by page', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const { ads, add, create, setsPath } = await withSets(stage)
      const product_keys = await add(cup())
      const ids: string[] = []
      for (const name of ['a', 'b', 'c']) ids.push((await create({ name, type: 'MANUAL', product_keys })).id)
      const first = await ads('GET', setsPath, { count: 2 })
      assert.deepEqual(
        first.body.data.map(({ id, product_ids }: { id: string; product_ids: string[] }) => [id, product_ids]),
        [
          [ids[2], ['cup']],
          [ids[1], ['cup']],
        ],
      )
      const second = await ads('GET', setsPath, { count: 2, cursor: first.body.next_cursor })
      assert.deepEqual([second.body.data.map(({ id }: { id: string }) => id), second.body.next_cursor], [[ids[0]], null])
    })

    test('a set that was being processed when the server stopped is processed after the next start', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const { add, create, done } = await withSets(stage)
      for (let slice = 0; slice < 4; slice++)
        await add(...Array.from({ length: 25 }, (_, index) => cup({ id: `${slice}-${index}`, inventory: 5 })))
      const { id } = await create({ name: 'x', type: 'FILTERED', filters: [filter('inventory', 'EQUAL_TO', '5')] })
      await stage.restart()
      assert.equal((await done(id)).product_ids.length, 100)
    })
  })

test('a set that is not stored, because another has its id, is not answered as created', async () => {
  const transaction = { byKeys: async () => [], addSet: async () => 'id-taken' }
  const catalogs = {
    byId: async () => ({ id: '1', host: 'production', userId: '101', name: 'x' }),
    change: async (_: string, run: (it: object) => Promise<unknown>) => run(transaction),
  }
  const filters = [filter('price', 'LESS_THAN', '5')]
  const call = {
    params: { product_catalog_id: '1', name: 'x', type: 'FILTERED', filters },
    caller: { user: { id: '101' }, adsHost: 'production' },
  }
  const services = { catalogs, ids: { next: () => '7' }, now: () => 5 }
  await assert.rejects(createProductSet.handle(call as never, services as never) as Promise<unknown>, /the id 7 was generated twice/)
})
