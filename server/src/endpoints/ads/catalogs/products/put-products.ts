import { listOf, nullable, object, oneOf, text } from '../../../../api/declare/words.ts'
import { adsEndpoint } from '../../../../api/records/ads-endpoint.ts'
import type { ImageChecks } from '../../../../storage/image-checks.ts'
import { addImageWarnings } from '../images/image-warnings.ts'
import { type CatalogServices, catalogId, catalogNotFound, catalogUser, ownCatalog } from '../own-catalog.ts'
import { sentProduct } from '../rules/product-schema.ts'
import { type PutServices, putItems, putStatuses, type SentItem } from './put-items.ts'

/** 25 products with every attribute at its maximum, in escaped characters. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024

export const MAX_ITEMS = 25

const example = {
  id: 'SKU-1',
  title: 'Cup',
  description: 'A cup.',
  availability: 'in stock',
  condition: 'new',
  price: '12.50 USD',
  link: 'https://shop.example/cup',
  image_link: 'https://shop.example/cup.png',
  brand: 'Cups',
}

const result = object({
  warnings: listOf(text()),
  errors: listOf(text()),
  product_key: nullable(text()),
  id: nullable(text()),
  status: oneOf(putStatuses),
})

export const putProducts = adsEndpoint({
  name: 'putProducts',
  route: 'PUT /12/product_catalogs/:product_catalog_id/products',
  section: '§4.5',
  summary: 'Create products, or replace those whose `id` exists. For apps with early access.',
  description:
    'Each item is judged by itself: `errors` refuse it, `warnings` do not. Items that share an `id` are all refused. An attribute that is missing, ' +
    'null or empty is unset. `NO_CHANGE`: the product had these values already. `product_key` and `item_group_key` are generated; if sent, they ' +
    'must belong to the `id` and the `item_group_id`. Images are fetched in the background, each at most once a day; what is wrong with one is a ' +
    'warning of the next request with its product. Unknown attributes are ignored with a warning. A catalog can have 1,000,000 products.',
  auth: catalogUser,
  rateLimit: 600,
  body: 'json',
  bodyLimitBytes: BODY_LIMIT_BYTES,
  params: { ...catalogId, products: listOf(sentProduct, { min: 1, max: MAX_ITEMS, example: [example] }) },
  data: object({ products_response: listOf(result) }),
  async handle(
    { params: { product_catalog_id: id, products }, caller },
    services: CatalogServices & PutServices & { imageChecks: ImageChecks; now: () => number },
  ) {
    await ownCatalog(services, caller, id)
    const items = products as SentItem[]
    const results = await putItems(id, items, services)
    if (!results) throw catalogNotFound(id)
    await addImageWarnings(id, items, results, services)
    return { data: { products_response: results } }
  },
})
