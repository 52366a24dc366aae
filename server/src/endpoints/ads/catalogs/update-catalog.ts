import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import {
  type CatalogServices,
  catalogId,
  catalogName,
  catalogNotFound,
  catalogSchema,
  catalogUser,
  ownCatalog,
  presentCatalog,
} from './own-catalog.ts'

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
