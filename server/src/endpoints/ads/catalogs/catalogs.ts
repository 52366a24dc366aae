import { decimalId } from '../../../api/declare/ads-words.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import { listOf, optional } from '../../../api/declare/words.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import type { Ids } from '../../../lib/ids.ts'
import {
  assertOwnUser,
  type CatalogServices,
  catalogId,
  catalogName,
  catalogNotFound,
  catalogSchema,
  catalogUser,
  ownCatalog,
  presentCatalog,
} from './own-catalog.ts'

export const listProductCatalogs = adsEndpoint({
  name: 'listProductCatalogs',
  route: 'GET /12/product_catalogs',
  section: '§4.5',
  summary: 'List the product catalogs of the user: one or none. For apps with early access.',
  description: 'A `user_id` other than your own is refused with 403.',
  auth: catalogUser,
  rateLimit: 1000,
  params: { user_id: optional(decimalId()) },
  data: listOf(catalogSchema),
  isList: true,
  async handle({ params, caller }, { catalogs }: CatalogServices) {
    assertOwnUser(caller, params.user_id)
    const catalog = await catalogs.of(caller.adsHost, caller.user.id)
    return { data: catalog ? [presentCatalog(catalog)] : [], next_cursor: null }
  },
})

export const createProductCatalog = adsEndpoint({
  name: 'createProductCatalog',
  route: 'POST /12/product_catalogs',
  section: '§4.5',
  summary: 'Create the product catalog of the user. For apps with early access.',
  description: 'A user can have one catalog, which holds all products. A `user_id` other than your own is refused with 403.',
  auth: catalogUser,
  rateLimit: 20,
  params: { name: catalogName, user_id: optional(decimalId()) },
  data: catalogSchema,
  async handle({ params, caller }, { catalogs, ids, now }: CatalogServices & { ids: Ids; now: () => number }) {
    assertOwnUser(caller, params.user_id)
    const catalog = { id: ids.next(), host: caller.adsHost, userId: caller.user.id, name: params.name }
    if (!(await catalogs.create(catalog, now())))
      throw adsProblem('INVALID', 'A user can have only one product catalog: use the one that GET /12/product_catalogs lists', 'user_id')
    return { data: presentCatalog(catalog) }
  },
})

export const updateProductCatalog = adsEndpoint({
  name: 'updateProductCatalog',
  route: 'PUT /12/product_catalogs/:product_catalog_id',
  section: '§4.5',
  summary: 'Rename a product catalog. For apps with early access.',
  auth: catalogUser,
  rateLimit: 20,
  params: { ...catalogId, name: catalogName },
  data: catalogSchema,
  async handle({ params: { product_catalog_id: id, name }, caller }, services: CatalogServices) {
    const catalog = await ownCatalog(services, caller, id)
    if (!(await services.catalogs.rename(id, name))) throw catalogNotFound(id)
    return { data: presentCatalog({ ...catalog, name }) }
  },
})

export const deleteProductCatalog = adsEndpoint({
  name: 'deleteProductCatalog',
  route: 'DELETE /12/product_catalogs/:product_catalog_id',
  section: '§4.5',
  summary: 'Delete a product catalog permanently, with its products, product sets and scheduled feed. For apps with early access.',
  auth: catalogUser,
  rateLimit: 20,
  params: catalogId,
  data: catalogSchema,
  async handle({ params: { product_catalog_id: id }, caller }, services: CatalogServices & { now: () => number }) {
    const catalog = await ownCatalog(services, caller, id)
    if (!(await services.catalogs.remove(id, services.now()))) throw catalogNotFound(id)
    return { data: presentCatalog(catalog) }
  },
})
