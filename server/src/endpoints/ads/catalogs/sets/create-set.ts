import { adsProblem } from '../../../../api/declare/problem.ts'
import type { Rule } from '../../../../api/declare/rules.ts'
import { optional } from '../../../../api/declare/words.ts'
import { adsEndpoint } from '../../../../api/records/ads-endpoint.ts'
import type { Ids } from '../../../../lib/ids.ts'
import type { ProductSet } from '../../../../storage/catalogs.ts'
import { type CatalogServices, catalogId, catalogNotFound, catalogUser, ownCatalog } from '../own-catalog.ts'
import { assertFilters, assertProducts, MAX_SETS, presentSet, setParams, setSchema } from './set-view.ts'

const isGiven = (value: unknown) => Array.isArray(value) && value.length > 0

/** `one` belongs to sets of a type: required there, and refused elsewhere. */
const onlyFor = (one: string, type: string): Rule[] => [
  {
    message: `\`${one}\` is required when \`type\` is ${type}`,
    parameters: [one, 'type'],
    code: 'MISSING_PARAMETER',
    holds: (params) => params.type !== type || isGiven(params[one]),
  },
  {
    message: `\`${one}\` must be left out unless \`type\` is ${type}`,
    parameters: [one, 'type'],
    code: 'EXCLUSIVE_PARAMETERS',
    holds: (params) => params.type === type || !isGiven(params[one]),
  },
]

export const createProductSet = adsEndpoint({
  name: 'createProductSet',
  route: 'POST /12/product_catalogs/:product_catalog_id/product_sets',
  section: '§4.5',
  summary: 'Create a product set. For apps with early access.',
  description:
    'A MANUAL set has up to 50 products. A FILTERED set has the products that match all of its filters, now and later; it is `PROCESSING` until it has all ' +
    'that exist. GREATER_THAN and LESS_THAN compare numbers, EQUAL_TO compares exactly (of a price or the inventory: numbers), MATCH compares whole texts ' +
    'and CONTAINS and NOT_CONTAINS search in them, without regard to case. A price without a currency compares the number alone. A catalog can have 200 sets.',
  auth: catalogUser,
  rateLimit: 100,
  body: 'json',
  bodyLimitBytes: 256 * 1024,
  params: {
    ...catalogId,
    name: setParams.name,
    description: optional(setParams.description),
    type: setParams.type,
    filters: optional(setParams.filters),
    product_keys: optional(setParams.product_keys),
  },
  rules: [...onlyFor('filters', 'FILTERED'), ...onlyFor('product_keys', 'MANUAL')],
  data: setSchema,
  async handle({ params, caller }, services: CatalogServices & { ids: Ids; now: () => number }) {
    const { product_catalog_id: catalogKey, name, description = null, type, filters = [], product_keys = [] } = params
    await ownCatalog(services, caller, catalogKey)
    assertFilters(filters)
    const keys = [...new Set(product_keys)]
    const processingStatus = type === 'FILTERED' ? 'PROCESSING' : 'DONE'
    const set: ProductSet = { id: services.ids.next(), catalogId: catalogKey, name, description, type, filters, processingStatus }
    const productIds = await services.catalogs.change(catalogKey, async (transaction) => {
      await assertProducts(transaction, keys)
      if (!(await transaction.addSet(set, keys, services.now(), MAX_SETS)))
        throw adsProblem('INVALID', `A product catalog can have at most ${MAX_SETS} product sets`)
      return (await transaction.byKeys(keys)).map(({ id }) => id)
    })
    if (!productIds) throw catalogNotFound(catalogKey)
    return { data: presentSet({ ...set, productIds }) }
  },
})
