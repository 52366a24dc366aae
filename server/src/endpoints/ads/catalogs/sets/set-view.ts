import { adsError, adsProblem, type ErrorDetail, invalidRequest } from '../../../../api/declare/problem.ts'
import { id, listOf, nullable, object, oneOf, type Static, text } from '../../../../api/declare/words.ts'
import type { CatalogTransaction, ProductSet, ProductSetWithIds } from '../../../../storage/catalogs.ts'
import { filterAttributes, filterMistake, filterOperators } from '../filters/matches.ts'

export const MAX_KEYS = 50
export const MAX_FILTERS = 30
/** Each changed product is held against all sets of its catalog. */
export const MAX_SETS = 200

const filter = object({ attribute: oneOf(filterAttributes), operator: oneOf(filterOperators), value: text({ max: 1000 }) })
export type SentFilter = Static<typeof filter>

/** The parameters of a product set. */
export const setParams = {
  name: text({ max: 255, example: 'Cups' }),
  description: nullable(text({ max: 1000 })),
  type: oneOf(['MANUAL', 'FILTERED'], { example: 'MANUAL' }),
  filters: listOf(filter, { max: MAX_FILTERS }),
  product_keys: listOf(text({ max: 40 }), { min: 1, max: MAX_KEYS }),
}

export const setId = { product_set_id: id() }

export const setSchema = object({
  id: id(),
  name: setParams.name,
  description: setParams.description,
  type: setParams.type,
  product_ids: listOf(
    text({ description: 'The `id` of each product, in the order of their first submission: the first 10,000, in a list 200.' }),
  ),
  filters: setParams.filters,
  processing_status: oneOf(['PROCESSING', 'DONE', 'FAILED']),
})

export const presentSet = ({ id: setKey, name, description, type, productIds, filters, processingStatus }: ProductSetWithIds) => ({
  id: setKey,
  name,
  description,
  type,
  product_ids: productIds,
  filters,
  processing_status: processingStatus,
})

export const setNotFound = (setKey: string) => adsProblem('NOT_FOUND', `Product set ${setKey} was not found`)

/** Throws 400 with each filter whose value has no meaning for its operator. */
export function assertFilters(filters: readonly SentFilter[]) {
  const errors = filters.flatMap((one, place): ErrorDetail[] => {
    const mistake = filterMistake(one)
    return mistake === undefined ? [] : [adsError('INVALID_PARAMETER', `filters.${place}.value ${mistake}, not "${one.value}"`, 'filters')]
  })
  if (errors.length > 0) throw invalidRequest(errors)
}

/** Throws 400 with the keys that no product of the catalog has. */
export async function assertProducts(transaction: CatalogTransaction, keys: readonly string[]) {
  const found = new Set((await transaction.byKeys(keys)).map(({ productKey }) => productKey))
  const missing = keys.filter((key) => !found.has(key))
  if (missing.length === 0) return
  const message = `product_keys must be keys of products in this catalog; it does not have ${missing.join(', ')}`
  throw adsProblem('INVALID_PARAMETER', message, 'product_keys')
}

/** The set that a transaction is about. Throws 404. */
export async function mustGetSet(transaction: CatalogTransaction, setKey: string): Promise<ProductSet> {
  const set = await transaction.set(setKey)
  if (!set) throw setNotFound(setKey)
  return set
}
