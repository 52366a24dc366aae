import { adsProblem } from '../../../../api/declare/problem.ts'
import { optional } from '../../../../api/declare/words.ts'
import { adsEndpoint } from '../../../../api/records/ads-endpoint.ts'
import { type CatalogServices, catalogId, catalogUser, ownCatalog } from '../own-catalog.ts'
import { assertProducts, mustGetSet, presentSet, setId, setNotFound, setParams, setSchema } from './set-view.ts'

export const updateProductSet = adsEndpoint({
  name: 'updateProductSet',
  route: 'PUT /12/product_catalogs/:product_catalog_id/product_sets/:product_set_id',
  section: '§4.5',
  summary: 'Update a MANUAL product set. For apps with early access.',
  description: '`product_keys` replaces the products of the set. A FILTERED set cannot be updated: delete it and create another.',
  auth: catalogUser,
  rateLimit: 500,
  body: 'json',
  params: {
    ...catalogId,
    ...setId,
    name: optional(setParams.name),
    description: optional(setParams.description),
    product_keys: optional(setParams.product_keys),
  },
  data: setSchema,
  async handle({ params, caller }, services: CatalogServices) {
    const { product_catalog_id: catalogKey, product_set_id: setKey, name, description, product_keys } = params
    await ownCatalog(services, caller, catalogKey)
    const keys = product_keys && [...new Set(product_keys)]
    await services.catalogs.change(catalogKey, async (transaction) => {
      const { type } = await mustGetSet(transaction, setKey)
      if (type === 'FILTERED') throw adsProblem('INVALID', 'A FILTERED product set cannot be updated: delete it and create another', 'type')
      if (keys) await assertProducts(transaction, keys)
      await transaction.updateSet(setKey, { name, description }, keys)
    })
    const set = await services.catalogs.set(catalogKey, setKey)
    if (!set) throw setNotFound(setKey)
    return { data: presentSet(set) }
  },
})
