import { decimalId } from '../../../api/declare/ads-words.ts'
import { listOf, optional } from '../../../api/declare/words.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { assertOwnUser, type CatalogServices, catalogSchema, catalogUser, presentCatalog } from './own-catalog.ts'

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
