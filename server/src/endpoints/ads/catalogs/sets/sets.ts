import { adsProblem } from '../../../../api/declare/problem.ts'
import type { Rule } from '../../../../api/declare/rules.ts'
import { listOf, optional } from '../../../../api/declare/words.ts'
import { adsEndpoint } from '../../../../api/records/ads-endpoint.ts'
import { cursorRule, pagesBy } from '../../../../api/records/cursor.ts'
import { pagingParams } from '../../../../api/records/list-endpoint.ts'
import type { Ids } from '../../../../lib/ids.ts'
import type { ProductSet } from '../../../../storage/catalogs.ts'
import { type CatalogServices, catalogId, catalogNotFound, catalogUser, ownCatalog } from '../own-catalog.ts'
import { assertFilters, assertProducts, MAX_SETS, mustGetSet, presentSet, setId, setNotFound, setParams, setSchema } from './set-view.ts'

export const getProductSet = adsEndpoint({
  name: 'getProductSet',
  route: 'GET /12/product_catalogs/:product_catalog_id/product_sets/:product_set_id',
  section: '§4.5',
  summary: 'Get a product set with the ids of its products. For apps with early access.',
  auth: catalogUser,
  rateLimit: 2000,
  params: { ...catalogId, ...setId },
  data: setSchema,
  async handle({ params: { product_catalog_id: catalogKey, product_set_id: setKey }, caller, giveWay }, services: CatalogServices) {
    await ownCatalog(services, caller, catalogKey)
    const set = await services.catalogs.set(catalogKey, setKey, giveWay)
    if (!set) throw setNotFound(setKey)
    return { data: presentSet(set) }
  },
})

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
      const refusal = await transaction.addSet(set, keys, services.now(), MAX_SETS)
      if (refusal === 'limit') throw adsProblem('INVALID', `A product catalog can have at most ${MAX_SETS} product sets`)
      if (refusal === 'id-taken') throw new Error(`the id ${set.id} was generated twice`)
      return (await transaction.byKeys(keys)).map(({ id }) => id)
    })
    if (!productIds) throw catalogNotFound(catalogKey)
    return { data: presentSet({ ...set, productIds }) }
  },
})

const tiedTo = ({ product_catalog_id }: Record<string, unknown>) => ['listProductSets', product_catalog_id]

const { after, pageOf } = pagesBy('id', 'text', tiedTo)

export const listProductSets = adsEndpoint({
  name: 'listProductSets',
  route: 'GET /12/product_catalogs/:product_catalog_id/product_sets',
  section: '§4.5',
  summary: 'List the product sets of a catalog, newest first. For apps with early access.',
  auth: catalogUser,
  rateLimit: 2000,
  params: { ...catalogId, ...pagingParams({ default: 20, max: 50 }) },
  rules: [cursorRule(['product_catalog_id'], after)],
  data: listOf(setSchema),
  isList: true,
  async handle({ params, caller, giveWay }, services: CatalogServices) {
    const { product_catalog_id: catalogKey, count } = params
    await ownCatalog(services, caller, catalogKey)
    const found = await services.catalogs.sets(catalogKey, after(params)?.key, count + 1, giveWay)
    const { page, next_cursor } = pageOf(found, params)
    return { data: page.map(presentSet), next_cursor }
  },
})

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
    const set = await services.catalogs.change(catalogKey, async (transaction) => {
      const { type } = await mustGetSet(transaction, setKey)
      if (type === 'FILTERED') throw adsProblem('INVALID', 'A FILTERED product set cannot be updated: delete it and create another', 'type')
      if (keys) await assertProducts(transaction, keys)
      return transaction.updateSet(setKey, { name, description }, keys)
    })
    if (!set) throw setNotFound(setKey)
    return { data: presentSet(set) }
  },
})

export const deleteProductSet = adsEndpoint({
  name: 'deleteProductSet',
  route: 'DELETE /12/product_catalogs/:product_catalog_id/product_sets/:product_set_id',
  section: '§4.5',
  summary: 'Delete a product set permanently; its products stay. The answer has no products. For apps with early access.',
  auth: catalogUser,
  rateLimit: 100,
  params: { ...catalogId, ...setId },
  data: setSchema,
  async handle(
    { params: { product_catalog_id: catalogKey, product_set_id: setKey }, caller },
    services: CatalogServices & { ids: Ids; now: () => number },
  ) {
    await ownCatalog(services, caller, catalogKey)
    const set = await services.catalogs.change(catalogKey, async (transaction) => {
      const found = await mustGetSet(transaction, setKey)
      await transaction.removeSet(setKey, services.ids.next(), services.now())
      return found
    })
    if (!set) throw setNotFound(setKey)
    return { data: presentSet({ ...set, productIds: [] }) }
  },
})
