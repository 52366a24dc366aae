import { adsEndpoint } from '../../../../api/records/ads-endpoint.ts'
import { type CatalogServices, catalogId, catalogUser, ownCatalog } from '../own-catalog.ts'
import { mustGetSet, presentSet, setId, setNotFound, setSchema } from './set-view.ts'

export const deleteProductSet = adsEndpoint({
  name: 'deleteProductSet',
  route: 'DELETE /12/product_catalogs/:product_catalog_id/product_sets/:product_set_id',
  section: '§4.5',
  summary: 'Delete a product set permanently; its products stay. The answer has no products. For apps with early access.',
  auth: catalogUser,
  rateLimit: 100,
  params: { ...catalogId, ...setId },
  data: setSchema,
  async handle({ params: { product_catalog_id: catalogKey, product_set_id: setKey }, caller }, services: CatalogServices) {
    await ownCatalog(services, caller, catalogKey)
    const set = await services.catalogs.change(catalogKey, async (transaction) => {
      const found = await mustGetSet(transaction, setKey)
      await transaction.removeSet(setKey)
      return found
    })
    if (!set) throw setNotFound(setKey)
    return { data: presentSet({ ...set, productIds: [] }) }
  },
})
