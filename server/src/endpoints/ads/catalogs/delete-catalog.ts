import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { type CatalogServices, catalogId, catalogNotFound, catalogSchema, catalogUser, ownCatalog, presentCatalog } from './own-catalog.ts'

export const deleteProductCatalog = adsEndpoint({
  name: 'deleteProductCatalog',
  route: 'DELETE /12/product_catalogs/:product_catalog_id',
  section: '§4.5',
  summary: 'Delete a product catalog permanently, with its products, product sets and scheduled feed. For apps with early access.',
  auth: catalogUser,
  rateLimit: 20,
  params: catalogId,
  data: catalogSchema,
  async handle({ params: { product_catalog_id: id }, caller }, services: CatalogServices) {
    const catalog = await ownCatalog(services, caller, id)
    if (!(await services.catalogs.remove(id))) throw catalogNotFound(id)
    return { data: presentCatalog(catalog) }
  },
})
