import { decimalId } from '../../../api/declare/ads-words.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import { optional } from '../../../api/declare/words.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import type { Ids } from '../../../lib/ids.ts'
import { assertOwnUser, type CatalogServices, catalogName, catalogSchema, catalogUser, presentCatalog } from './own-catalog.ts'

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
