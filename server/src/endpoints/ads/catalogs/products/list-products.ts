import { listOf, optional, text } from '../../../../api/declare/words.ts'
import { adsEndpoint } from '../../../../api/records/ads-endpoint.ts'
import { type After, cursorAfter, cursorRule, readCursor } from '../../../../api/records/cursor.ts'
import { pagingParams } from '../../../../api/records/list-endpoint.ts'
import { type CatalogServices, catalogId, catalogUser, ownCatalog } from '../own-catalog.ts'
import { presentProduct, productSchema } from '../rules/product-schema.ts'

const BY_POSITION = { sort: [{ field: 'position', descending: true }] }

const CHOOSING = ['product_catalog_id', 'item_group_key']

const tiedTo = (params: Record<string, unknown>) => ['listProducts', ...CHOOSING.map((name) => params[name])]

const after: After = (params) => readCursor(params.cursor, BY_POSITION, () => ({ type: 'long', nullable: false }), tiedTo(params))

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
  async handle({ params, caller }, services: CatalogServices) {
    const { product_catalog_id: id, item_group_key: itemGroupKey, count } = params
    await ownCatalog(services, caller, id)
    const before = after(params)?.values[0] as number | undefined
    const found = await services.catalogs.products(id, { itemGroupKey, before, limit: count + 1 })
    const page = found.slice(0, count)
    const last = found.length > count ? page.at(-1) : undefined
    return { data: page.map(presentProduct), next_cursor: last ? cursorAfter(last, BY_POSITION, tiedTo(params)) : null }
  },
})
