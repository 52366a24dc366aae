import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { adsSeed, dataOf, mistakesOf } from '../../stage/ads.ts'
import { createCatalog, cup, sendJson } from '../../stage/catalogs.ts'
import { databasesOf } from '../../stage/databases.ts'
import { setStage } from '../../stage/postern.ts'

const UNSET = {
  gtin: null,
  mpn: null,
  mobile_link: null,
  additional_image_link: null,
  google_product_category: null,
  product_type: null,
  inventory: null,
  sale_price: null,
  sale_price_effective_date: null,
  item_group_id: null,
  item_group_key: null,
  gender: null,
  color: null,
  size: null,
  age_group: null,
  custom_label_0: null,
  custom_label_1: null,
  custom_label_2: null,
  custom_label_3: null,
  custom_label_4: null,
}

const ids = (products: readonly Record<string, unknown>[]) => products.map(({ id }) => id)

for (const flavour of databasesOf(import.meta))
  suite(`products on ${flavour}`, () => {
    test('a product is created, unchanged, updated, read with every attribute and deleted', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const { path, put, list, remove } = await createCatalog(stage)
      const [created] = await put(cup())
      assert.match(created!.product_key, /^[0-9]{15,19}$/)
      const product_key = created!.product_key
      assert.deepEqual(created, { warnings: [], errors: [], product_key, id: 'cup', status: 'CREATE_SUCCESS' })
      assert.deepEqual(await list(), [{ ...UNSET, ...cup(), product_key }])
      const [unchanged] = await put(cup({ color: null, size: '' }))
      assert.deepEqual({ ...unchanged, warnings: [] }, { warnings: [], errors: [], product_key, id: 'cup', status: 'NO_CHANGE' })
      const [updated] = await put(cup({ price: '11 USD', inventory: 3, product_key }))
      assert.deepEqual([updated!.status, updated!.product_key], ['UPDATE_SUCCESS', product_key])
      assert.deepEqual(await list(), [{ ...UNSET, ...cup({ price: '11 USD', inventory: 3 }), product_key }])
      const [replaced] = await put(cup())
      assert.equal(replaced!.status, 'UPDATE_SUCCESS')
      assert.deepEqual(await list(), [{ ...UNSET, ...cup(), product_key }])
      assert.deepEqual(await remove('7', product_key, product_key), [
        { product_key: null, failed_product_key: '7', message: 'Product 7 was not found in this catalog' },
        { product_key, failed_product_key: null, message: null },
        { product_key, failed_product_key: null, message: null },
      ])
      assert.deepEqual(await list(), [])
      const [again] = await put(cup())
      assert.equal(again!.status, 'CREATE_SUCCESS')
      assert.notEqual(again!.product_key, product_key)
      const answer = await sendJson(stage, 'PUT', `${path}/products?trace=1`, { products: [cup()] })
      assert.deepEqual(answer.body.request, { params: { product_catalog_id: path.split('/').at(-1), trace: '1' } })
    })

    test('items are judged one by one: a wrong one is refused and the others are stored', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const { put, list } = await createCatalog(stage)
      const results = await put(cup({ id: 'a' }), cup({ id: 'b', price: 'free' }), {}, cup({ id: 'd' }))
      assert.deepEqual(
        results.map(({ id, status }) => [id, status]),
        [
          ['a', 'CREATE_SUCCESS'],
          ['b', 'ERROR'],
          [null, 'ERROR'],
          ['d', 'CREATE_SUCCESS'],
        ],
      )
      assert.deepEqual(results[1]!.errors, [
        'price must be a number, a space and the three capital letters of a currency, such as 12.50 USD',
      ])
      assert.deepEqual(results[2]!.errors, [
        ...['id', 'title', 'description', 'availability', 'condition', 'price', 'link', 'image_link'].map((name) => `${name} is required`),
        'brand, gtin or mpn is required',
      ])
      assert.deepEqual(ids(await list()), ['d', 'a'])
    })

    test('items that share an id are all refused, and each says why', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const { put, list } = await createCatalog(stage)
      const [first, other, second] = await put(cup(), cup({ id: 'other' }), cup({ title: 'Another' }))
      for (const result of [first, second])
        assert.deepEqual([result!.status, result!.errors], ['ERROR', ['id cup occurs more than once in this request']])
      assert.equal(other!.status, 'CREATE_SUCCESS')
      assert.deepEqual(ids(await list()), ['other'])
    })

    test('a product_key or item_group_key that is sent must be that of the id or group', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const { put, add, list } = await createCatalog(stage)
      const [key] = await add(cup())
      const [wrong, fresh] = await put(cup({ product_key: '7' }), cup({ id: 'new', product_key: key }))
      assert.deepEqual([wrong!.status, wrong!.errors], ['ERROR', ['product_key must be the one of id cup, or left out']])
      assert.deepEqual([fresh!.status, fresh!.errors], ['ERROR', ['product_key must be the one of id new, or left out']])
      await add(cup({ item_group_id: 'cups' }))
      const [product] = await list()
      assert.match(product!.item_group_key as string, /^[0-9]{15,19}$/)
      const [same] = await put(product!)
      assert.equal(same!.status, 'NO_CHANGE')
      const [foreign] = await put({ ...product!, item_group_id: 'plates' })
      assert.deepEqual([foreign!.status, foreign!.errors], ['ERROR', ['item_group_key must be the one of item_group_id, or left out']])
    })

    test('of a group only the product that was submitted first is listed; the key of the group lists all', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const { add, list, remove } = await createCatalog(stage)
      const [first] = await add(
        cup({ id: 'red', item_group_id: 'cups' }),
        cup({ id: 'plate' }),
        cup({ id: 'blue', item_group_id: 'cups' }),
        cup({ id: 'green', item_group_id: 'cups' }),
      )
      assert.deepEqual(ids(await list()), ['plate', 'red'])
      const { item_group_key } = (await list())[1] as { item_group_key: string }
      assert.deepEqual(ids(await list({ item_group_key })), ['green', 'blue', 'red'])
      assert.deepEqual(ids(await list({ item_group_key: '7' })), [])
      await remove(first!)
      assert.deepEqual(ids(await list()), ['blue', 'plate'])
      await add(cup({ id: 'blue' }))
      assert.deepEqual(ids(await list()), ['green', 'blue', 'plate'])
    })

    test('a list is paged by 1 to 100 products, 100 without a count; a cursor is valid for its list alone', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const { path, ads, add } = await createCatalog(stage)
      const all = Array.from({ length: 102 }, (_, index) => `p${index}`)
      for (let from = 0; from < all.length; from += 25) await add(...all.slice(from, from + 25).map((id) => cup({ id })))
      const first = await ads('GET', `${path}/products`)
      assert.deepEqual(ids(first.body.data), all.slice(2).toReversed())
      const second = await ads('GET', `${path}/products`, { cursor: first.body.next_cursor })
      assert.deepEqual([ids(second.body.data), second.body.next_cursor], [['p1', 'p0'], null])
      const short = await ads('GET', `${path}/products`, { count: 1 })
      assert.deepEqual(ids(short.body.data), ['p101'])
      for (const count of [0, 101])
        assert.deepEqual(mistakesOf(await ads('GET', `${path}/products`, { count })), [400, 'INVALID_PARAMETER count'])
      const foreign = { cursor: first.body.next_cursor, item_group_key: '7' }
      assert.deepEqual(mistakesOf(await ads('GET', `${path}/products`, foreign)), [400, 'INVALID_PARAMETER cursor'])
    })

    test('a request has 1 to 25 items, each an object', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const { path, list } = await createCatalog(stage)
      const send = (products: unknown) => sendJson(stage, 'PUT', `${path}/products`, { products })
      const many = (count: number) => Array.from({ length: count }, (_, index) => cup({ id: `p${index}` }))
      assert.equal(dataOf(await send(many(25))).products_response.length, 25)
      for (const wrong of [many(26), [], 'cup', ['cup'], [[]], [null], undefined]) {
        const answer = await send(wrong)
        assert.equal(answer.status, 400, answer.text)
        assert.equal(answer.body.errors[0].parameter, 'products')
      }
      assert.equal((await list()).length, 25)
    })

    test('a body that is too large, cut off, nested too deep or not JSON is refused with the reason, and stores nothing', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const { path, list } = await createCatalog(stage)
      const put = (body: string) => sendJson(stage, 'PUT', `${path}/products`, body)
      const whole = JSON.stringify({ products: [cup()] })
      const wrong: [body: string, status: number, code: string, message: RegExp][] = [
        [`{"products":[${' '.repeat(4 * 1024 * 1024)}]}`, 413, 'REQUEST_TOO_LARGE', /4194304/],
        [whole.slice(0, -1), 400, 'INVALID_PARAMETER', /not valid JSON/],
        [whole.slice(0, 30), 400, 'INVALID_PARAMETER', /not valid JSON/],
        [`{"products":${'['.repeat(100_000)}`, 400, 'INVALID_PARAMETER', /more than 64 levels deep/],
        [`{"products":[{"id":${'{"a":'.repeat(70)}1${'}'.repeat(70)}}]}`, 400, 'INVALID_PARAMETER', /more than 64 levels deep/],
        ['products=cup', 400, 'INVALID_PARAMETER', /not valid JSON/],
        ['{"products":[{"id":"a","id":"b"}]}', 400, 'INVALID_PARAMETER', /repeats a member name/],
        ['', 400, 'MISSING_PARAMETER', /"products" is a required parameter/],
      ]
      for (const [body, status, code, message] of wrong) {
        const answer = await put(body)
        assert.deepEqual([answer.status, answer.body.errors[0].code], [status, code], answer.text)
        assert.match(answer.body.errors[0].message, message)
      }
      const large = Array.from({ length: 25 }, (_, index) =>
        cup({ id: `p${index}`, title: '😀'.repeat(150), description: '😀'.repeat(5000) }),
      )
      const escaped = JSON.stringify({ products: large }).replaceAll('😀', '\\ud83d\\ude00')
      assert.ok(escaped.length > 1_500_000)
      assert.deepEqual(
        [...new Set(dataOf(await put(escaped)).products_response.map(({ status }: { status: string }) => status))],
        ['CREATE_SUCCESS'],
      )
      assert.equal((await list()).length, 25)
    })

    test('what can be deleted is named in JSON or in the query', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const { path, ads, add, list } = await createCatalog(stage)
      const [one, other] = await add(cup(), cup({ id: 'other' }))
      const deleted = await ads('DELETE', `${path}/products`, { product_keys: [one!, other!] })
      assert.deepEqual(
        dataOf(deleted).delete_products.map(({ product_key }: { product_key: string }) => product_key),
        [one, other],
      )
      assert.deepEqual(await list(), [])
      assert.deepEqual(mistakesOf(await ads('DELETE', `${path}/products`)), [400, 'MISSING_PARAMETER product_keys'])
    })
  })
