import { adsEndpoint } from '../../../../api/records/ads-endpoint.ts'
import { type CatalogServices, catalogId, catalogUser, ownCatalog } from '../own-catalog.ts'
import { presentSet, setId, setNotFound, setSchema } from './set-view.ts'

export const getProductSet = adsEndpoint({
  name: 'getProductSet',
  route: 'GET /12/product_catalogs/:product_catalog_id/product_sets/:product_set_id',
  section: '§4.5',
  summary: 'Get a product set with the ids of its products. For apps with early access.',
  auth: catalogUser,
  rateLimit: 2000,
  params: { ...catalogId, ...setId },
  data: setSchema,
  async handle({ params: { product_catalog_id: catalogKey, product_set_id: setKey }, caller }, services: CatalogServices) {
    await ownCatalog(services, caller, catalogKey)
    const set = await services.catalogs.set(catalogKey, setKey)
    if (!set) throw setNotFound(setKey)
    return { data: presentSet(set) }
  },
})
