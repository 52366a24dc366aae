import { listOf } from '../../../../api/declare/words.ts'
import { adsEndpoint } from '../../../../api/records/ads-endpoint.ts'
import { type After, cursorAfter, cursorRule, readCursor } from '../../../../api/records/cursor.ts'
import { pagingParams } from '../../../../api/records/list-endpoint.ts'
import { type CatalogServices, catalogId, catalogUser, ownCatalog } from '../own-catalog.ts'
import { presentSet, setSchema } from './set-view.ts'

const BY_ID = { sort: [{ field: 'id', descending: true }] }

const tiedTo = ({ product_catalog_id }: Record<string, unknown>) => ['listProductSets', product_catalog_id]

const after: After = (params) => readCursor(params.cursor, BY_ID, () => ({ type: 'text', nullable: false }), tiedTo(params))

export const listProductSets = adsEndpoint({
  name: 'listProductSets',
  route: 'GET /12/product_catalogs/:product_catalog_id/product_sets',
  section: '§4.5',
  summary: 'List the product sets of a catalog, newest first. For apps with early access.',
  auth: catalogUser,
  rateLimit: 2000,
  params: { ...catalogId, ...pagingParams({ default: 20, max: 50 }) },
  rules: [cursorRule(['product_catalog_id'], after)],
  data: listOf(setSchema),
  isList: true,
  async handle({ params, caller }, services: CatalogServices) {
    const { product_catalog_id: catalogKey, count } = params
    await ownCatalog(services, caller, catalogKey)
    const found = await services.catalogs.sets(catalogKey, after(params)?.key, count + 1)
    const page = found.slice(0, count)
    const last = found.length > count ? page.at(-1) : undefined
    return { data: page.map(presentSet), next_cursor: last ? cursorAfter(last, BY_ID, tiedTo(params)) : null }
  },
})
