import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CompiledQuery } from 'kysely'
import { createClock } from '../../src/lib/clock.ts'
import { selectAmong } from '../../src/storage/sql/catalogs/product-rows.ts'
import { openEngine } from '../../src/storage/sql/open-storage.ts'
import { migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { aUser, opened, openedAlone, rawRows } from './samples.ts'

const product = (id: string) => ({ productKey: id, id, itemGroupId: null, itemGroupKey: null, attributes: { id } })

for (const flavour of databasesOf(import.meta))
  suite(`stored catalogs on ${flavour}`, () => {
    test('the room of a catalog is what its maximum leaves, and deleted products make room', async () => {
      await using it = await openedAlone(flavour)
      const { catalogs, users } = it.storage
      await users.insert(aUser({ id: '7' }))
      await catalogs.create({ id: '1', host: 'ads', userId: '7', name: 'Spring' }, 5)
      const room = (wanted: number, max: number) => catalogs.change('1', (transaction) => transaction.room(wanted, max))
      assert.deepEqual([await room(2, 3), await room(3, 3), await room(4, 3)], [2, 3, 3])
      await catalogs.change('1', (transaction) => transaction.add(['11', '12', '13'].map(product)))
      assert.deepEqual([await room(1, 4), await room(2, 4), await room(1, 3), await room(1, 2)], [1, 1, 0, 0])
      await catalogs.change('1', (transaction) => transaction.remove(['12']))
      assert.deepEqual([await room(1, 3), await room(2, 3), await room(0, 3)], [1, 1, 0])
    })

    test('a list with a large group looks through 1,000 products at a time, and others get their turn after each', async () => {
      await using it = await openedAlone(flavour)
      const { catalogs, users } = it.storage
      await users.insert(aUser({ id: '7' }))
      await catalogs.create({ id: '1', host: 'ads', userId: '7', name: 'Spring' }, 5)
      const ids = Array.from({ length: 2500 }, (_, index) => String(10_000 + index))
      const alone = ['10000', '10002', '11499', '11500', '12499']
      const grouped = { itemGroupId: 'g', itemGroupKey: '5' }
      const products = ids.map((id) => ({ ...product(id), ...(!alone.includes(id) && grouped) }))
      await catalogs.change('1', async (transaction) => {
        for (let from = 0; from < products.length; from += 500) await transaction.add(products.slice(from, from + 500))
      })
      const list = async (limit: number, before?: number) => {
        let turns = 0
        const giveWay = () => {
          turns += 1
          return undefined
        }
        const found = await catalogs.products('1', { limit, ...(before !== undefined && { before }) }, giveWay)
        return [found.map(({ id }) => id), turns]
      }
      assert.deepEqual(await list(9), [['12499', '11500', '11499', '10002', '10001', '10000'], 3])
      assert.deepEqual(await list(2), [['12499', '11500'], 1])
      const { position } = (await catalogs.products('1', { limit: 2 }))[1]!
      assert.deepEqual(await list(3, position), [['11499', '10002', '10001'], 2])
      assert.deepEqual(await list(9, 1), [[], 1])
    })

    test('of a deleted catalog nothing is found, and what it has is deleted 500 rows at a time', async () => {
      await using it = await openedAlone(flavour)
      const { catalogs, users } = it.storage
      await users.insert(aUser({ id: '7' }))
      const catalog = { id: '1', host: 'ads', userId: '7', name: 'Spring' }
      await catalogs.create(catalog, 5)
      const keys = Array.from({ length: 1200 }, (_, index) => String(1000 + index))
      const set = { catalogId: '1', name: 'All', description: null, type: 'MANUAL', filters: [], processingStatus: 'DONE' } as const
      await catalogs.change('1', async (transaction) => {
        await transaction.add(keys.map(product))
        for (const id of ['21', '22']) await transaction.addSet({ ...set, id }, keys, 5, 9)
      })
      const counts = async () => {
        const tables = ['product_set_members', 'product_sets', 'products', 'product_catalogs']
        const counted = await Promise.all(tables.map((table) => rawRows(it.url, `select count(*) as n from ${table}`)))
        return counted.map(([row]) => Number(row!.n))
      }

      await catalogs.change('1', (transaction) => transaction.removeSet('22', '2', 6))
      assert.equal(await catalogs.set('1', '22'), undefined)
      assert.equal(await catalogs.change('1', async (transaction) => (await transaction.sets()).length), 1)
      assert.equal(await catalogs.dueRemovals.nextDueMs([]), 6)
      const ofSet = [await counts()]
      while (await catalogs.removeSlice('2')) ofSet.push(await counts())
      assert.deepEqual(
        ofSet.map(([members]) => members),
        [2400, 1900, 1400, 1200, 1200],
      )
      assert.deepEqual(await counts(), [1200, 1, 1200, 1])
      assert.deepEqual((await catalogs.products('1', { limit: 2 })).length, 2)
      assert.equal(await catalogs.removeSlice('1'), false)

      assert.equal(await catalogs.remove('1', 8), true)
      assert.equal(await catalogs.remove('1', 9), false)
      assert.equal(await catalogs.rename('1', 'Summer'), false)
      assert.equal(await catalogs.of('ads', '7'), undefined)
      assert.equal(await catalogs.change('1', async () => 'changed'), undefined)
      assert.equal(await catalogs.dueRemovals.nextDueMs([]), 8)
      assert.equal(await catalogs.create({ ...catalog, id: '3' }, 9), true)
      const all = [await counts()]
      while (await catalogs.removeSlice('1')) all.push(await counts())
      assert.deepEqual(all, [
        [1200, 1, 1200, 2],
        [700, 1, 1200, 2],
        [200, 1, 1200, 2],
        [0, 1, 1200, 2],
        [0, 0, 1200, 2],
        [0, 0, 700, 2],
        [0, 0, 200, 2],
        [0, 0, 0, 2],
      ])
      assert.deepEqual(await counts(), [0, 0, 0, 1])
    })

    if (flavour === 'postgres')
      test('a slice of a deleted set waits for no deletion of its products while it holds memberships', async () => {
        await using it = await opened(flavour)
        const { catalogs, users } = it.storage
        await users.insert(aUser({ id: '7' }))
        await catalogs.create({ id: '1', host: 'ads', userId: '7', name: 'Spring' }, 5)
        const set = { id: '21', catalogId: '1', name: 'All', description: null, type: 'MANUAL', filters: [] } as const
        const keys = ['11', '12', '13', '14']
        await catalogs.change('1', async (transaction) => {
          await transaction.add(keys.map(product))
          await transaction.addSet({ ...set, processingStatus: 'DONE' }, keys, 5, 9)
        })
        await catalogs.change('1', (transaction) => transaction.removeSet('21', '2', 6))
        const { removeSlice } = it.storages.at(-1)!.catalogs
        const slices: Promise<boolean>[] = []
        await catalogs.change('1', async (transaction) => {
          await transaction.remove(['12', '14'])
          assert.equal(await removeSlice('2'), true)
          // What is left is locked: this one waits for the commit.
          slices.push(removeSlice('2'))
          await transaction.remove(['11', '13'])
        })
        assert.deepEqual([await slices[0], await removeSlice('2')], [true, false])
        assert.equal((await rawRows(it.url, 'select id from product_sets')).length, 0)
      })
  })

test('on SQLite products are found by their ids and keys, however many others their catalog has', async () => {
  await using database = await migratedDatabase('sqlite')
  const engine = await openEngine({ url: database.url, clock: createClock() })
  const plans: string[] = []
  for (const column of ['id', 'product_key'] as const) {
    const { sql, parameters } = selectAmong(engine.db, engine.flavour, '1', column, ['2', '3']).compile()
    const { rows } = await engine.db.executeQuery<{ detail: string }>(CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]))
    plans.push(rows.map(({ detail }) => detail).find((detail) => detail.startsWith('SEARCH products'))!)
  }
  await engine.close()
  assert.deepEqual(plans, [
    'SEARCH products USING INDEX products_of_catalog (catalog_id=? AND id=?)',
    'SEARCH products USING INDEX sqlite_autoindex_products_1 (product_key=?)',
  ])
})
