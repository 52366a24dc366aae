import { listOf, nullable, object, oneOf, optional, text } from '../../../../api/declare/words.ts'
import { adsEndpoint } from '../../../../api/records/ads-endpoint.ts'
import { cursorRule, pagesBy } from '../../../../api/records/cursor.ts'
import { pagingParams } from '../../../../api/records/list-endpoint.ts'
import { endOfTurn } from '../../../../lib/clock.ts'
import type { ImageChecks } from '../../../../storage/catalogs.ts'
import { addImageWarnings } from '../images/image-warnings.ts'
import { type CatalogServices, catalogId, catalogNotFound, catalogUser, ownCatalog } from '../own-catalog.ts'
import { presentProduct, productSchema, sentProduct } from '../rules/product-schema.ts'
import { type PutServices, putItems, putStatuses, type SentItem } from './put-items.ts'

const CHOOSING = ['product_catalog_id', 'item_group_key']

const tiedTo = (params: Record<string, unknown>) => ['listProducts', ...CHOOSING.map((name) => params[name])]

const { after, pageOf } = pagesBy('position', 'long', tiedTo)

export const listProducts = adsEndpoint({
  name: 'listProducts',
  route: 'GET /12/product_catalogs/:product_catalog_id/products',
  section: '§4.5',
  summary: 'List the products of a catalog, newest first. For apps with early access.',
  description:
    'Of the products of a group only the one that was submitted first is listed. `item_group_key` lists all products of one group.',
  auth: catalogUser,
  rateLimit: 1000,
  params: { ...catalogId, item_group_key: optional(text({ max: 20 })), ...pagingParams({ default: 100, max: 100 }) },
  rules: [cursorRule(CHOOSING, after)],
  data: listOf(productSchema),
  isList: true,
  async handle({ params, caller, giveWay }, services: CatalogServices) {
    const { product_catalog_id: id, item_group_key: itemGroupKey, count } = params
    await ownCatalog(services, caller, id)
    const before = after(params)?.values[0] as number | undefined
    const found = await services.catalogs.products(id, { itemGroupKey, before, limit: count + 1 }, giveWay)
    const { page, next_cursor } = pageOf(found, params)
    return { data: page.map(presentProduct), next_cursor }
  },
})

/** 25 products with every attribute at its maximum, in escaped characters. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024

const MAX_ITEMS = 25

const example = {
  id: 'SKU-1',
  title: 'Cup',
  description: 'A cup.',
  availability: 'in stock',
  condition: 'new',
  price: '12.50 USD',
  link: 'https://shop.example/cup',
  image_link: 'https://shop.example/cup.png',
  brand: 'Cups',
}

const putSchema = object({
  warnings: listOf(text()),
  errors: listOf(text()),
  product_key: nullable(text()),
  id: nullable(text()),
  status: oneOf(putStatuses),
})

export const putProducts = adsEndpoint({
  name: 'putProducts',
  route: 'PUT /12/product_catalogs/:product_catalog_id/products',
  section: '§4.5',
  summary: 'Create products, or replace those whose `id` exists. For apps with early access.',
  description:
    'Each item is judged by itself: `errors` refuse it, `warnings` do not. Items that share an `id` are all refused. An attribute that is missing, ' +
    'null or empty is unset. `NO_CHANGE`: the product had these values already. `product_key` and `item_group_key` are generated; if sent, they ' +
    'must belong to the `id` and the `item_group_id`. Images are fetched in the background, each at most once a day; what is wrong with one is a ' +
    'warning of the next request with its product. Unknown attributes are ignored with a warning. A catalog can have 1,000,000 products.',
  auth: catalogUser,
  rateLimit: 600,
  body: 'json',
  bodyLimitBytes: BODY_LIMIT_BYTES,
  params: { ...catalogId, products: listOf(sentProduct, { min: 1, max: MAX_ITEMS, example: [example] }) },
  data: object({ products_response: listOf(putSchema) }),
  async handle(
    { params: { product_catalog_id: id, products }, caller },
    services: CatalogServices & PutServices & { imageChecks: ImageChecks; now: () => number },
  ) {
    await ownCatalog(services, caller, id)
    const items = products as SentItem[]
    const results = await putItems(id, items, services)
    if (!results) throw catalogNotFound(id)
    await addImageWarnings(id, items, results, services)
    return { data: { products_response: results } }
  },
})

const MAX_KEYS = 1000
/** So many products are deleted at once: each can be in all sets. */
const DELETED_AT_ONCE = 10

const deletionSchema = object({ product_key: nullable(text()), failed_product_key: nullable(text()), message: nullable(text()) })

const deleted = (key: string) => ({ product_key: key, failed_product_key: null, message: null })

const failed = (key: string) => ({ product_key: null, failed_product_key: key, message: `Product ${key} was not found in this catalog` })

export const deleteProducts = adsEndpoint({
  name: 'deleteProducts',
  route: 'DELETE /12/product_catalogs/:product_catalog_id/products',
  section: '§4.5',
  summary: 'Delete products permanently, by their keys. For apps with early access.',
  description: 'Each key is answered, in the order of the request. The products leave every product set.',
  auth: catalogUser,
  rateLimit: 150,
  body: 'json',
  isQueryRead: true,
  params: { ...catalogId, product_keys: listOf(text({ max: 40 }), { min: 1, max: MAX_KEYS, example: ['1486798615022686208'] }) },
  data: object({ delete_products: listOf(deletionSchema) }),
  async handle({ params: { product_catalog_id: id, product_keys: keys }, caller }, services: CatalogServices) {
    await ownCatalog(services, caller, id)
    const removed = await services.catalogs.change(id, async (transaction) => {
      const found = (await transaction.byKeys(keys)).map(({ productKey }) => productKey)
      for (let from = 0; from < found.length; from += DELETED_AT_ONCE) {
        await transaction.remove(found.slice(from, from + DELETED_AT_ONCE))
        // No turn of other apps is waited for while the catalog is held.
        await endOfTurn()
      }
      return new Set(found)
    })
    if (!removed) throw catalogNotFound(id)
    return { data: { delete_products: keys.map((key) => (removed.has(key) ? deleted(key) : failed(key))) } }
  },
})
