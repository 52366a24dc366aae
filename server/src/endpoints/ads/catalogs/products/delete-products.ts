import { listOf, nullable, object, text } from '../../../../api/declare/words.ts'
import { adsEndpoint } from '../../../../api/records/ads-endpoint.ts'
import { type CatalogServices, catalogId, catalogNotFound, catalogUser, ownCatalog } from '../own-catalog.ts'

const MAX_KEYS = 1000

const result = object({ product_key: nullable(text()), failed_product_key: nullable(text()), message: nullable(text()) })

const deleted = (key: string) => ({ product_key: key, failed_product_key: null, message: null })

const failed = (key: string) => ({ product_key: null, failed_product_key: key, message: `Product ${key} was not found in this catalog` })

export const deleteProducts = adsEndpoint({
  name: 'deleteProducts',
  route: 'DELETE /12/product_catalogs/:product_catalog_id/products',
  section: '§4.5',
  summary: 'Delete products permanently, by their keys. For apps with early access.',
  description: 'Each key is answered, in the order of the request. The products leave every product set.',
  auth: catalogUser,
  rateLimit: 150,
  body: 'json',
  isQueryRead: true,
  params: { ...catalogId, product_keys: listOf(text({ max: 40 }), { min: 1, max: MAX_KEYS, example: ['1486798615022686208'] }) },
  data: object({ delete_products: listOf(result) }),
  async handle({ params: { product_catalog_id: id, product_keys: keys }, caller }, services: CatalogServices) {
    await ownCatalog(services, caller, id)
    const removed = await services.catalogs.change(id, async (transaction) => {
      const found = (await transaction.byKeys(keys)).map(({ productKey }) => productKey)
      await transaction.remove(found)
      return new Set(found)
    })
    if (!removed) throw catalogNotFound(id)
    return { data: { delete_products: keys.map((key) => (removed.has(key) ? deleted(key) : failed(key))) } }
  },
})
