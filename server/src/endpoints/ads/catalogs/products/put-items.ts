import { isDeepStrictEqual } from 'node:util'
import { endOfTurn } from '../../../../lib/clock.ts'
import type { Ids } from '../../../../lib/ids.ts'
import type { Catalogs, CatalogTransaction, Membership, NewProduct, Product, ProductSet } from '../../../../storage/catalogs.ts'
import { compileFilters } from '../filters/matches.ts'
import type { RuleContext } from '../rules/attributes.ts'
import { type Judged, judgeItem } from '../rules/judge-item.ts'

export type SentItem = Readonly<Record<string, unknown>>

const MAX_PRODUCTS = 1_000_000

export const putStatuses = ['CREATE_SUCCESS', 'UPDATE_SUCCESS', 'ERROR', 'NO_CHANGE'] as const

/** What became of an item. */
export interface PutResult {
  warnings: string[]
  errors: string[]
  product_key: string | null
  id: string | null
  status: (typeof putStatuses)[number]
}

export interface PutServices extends RuleContext {
  catalogs: Catalogs
  ids: Ids
}

/** What of the catalog items are judged by. */
interface Existing {
  products: Map<string, Product>
  groupKeys: Map<string, string>
}

const idOf = ({ attributes }: Judged) => attributes.id as string | null
const groupOf = ({ attributes }: Judged) => attributes.item_group_id as string | null

/** Items that share an id are all refused (§2.5). */
function refuseRepeatedIds(items: readonly Judged[]) {
  const byId = Map.groupBy(items, idOf)
  for (const [id, sharing] of byId)
    if (id !== null && sharing.length > 1) for (const { errors } of sharing) errors.push(`id ${id} occurs more than once in this request`)
}

/** Keys that were sent must be those of the service. */
function refuseForeignKeys(item: Judged, { products, groupKeys }: Existing) {
  const id = idOf(item)
  const group = groupOf(item)
  const { productKey, itemGroupKey, errors } = item
  if (productKey !== undefined && id !== null && products.get(id)?.productKey !== productKey)
    errors.push(`product_key must be the one of id ${id}, or left out`)
  if (itemGroupKey !== undefined && (group === null || groupKeys.get(group) !== itemGroupKey))
    errors.push('item_group_key must be the one of item_group_id, or left out')
}

async function existingFor(transaction: CatalogTransaction, items: readonly Judged[]): Promise<Existing> {
  const ids = new Set(items.flatMap((item) => idOf(item) ?? []))
  const groups = new Set(items.flatMap((item) => groupOf(item) ?? []))
  const products = await transaction.byIds([...ids])
  return { products: new Map(products.map((product) => [product.id, product])), groupKeys: await transaction.groupKeys([...groups]) }
}

/** The key of a group, which is made with its first product. */
function keyOfGroup(group: string | null, { groupKeys }: Existing, ids: Ids): string | null {
  if (group === null) return null
  const key = groupKeys.get(group) ?? ids.next()
  groupKeys.set(group, key)
  return key
}

const productOf = (item: Judged, existing: Existing, ids: Ids): NewProduct => ({
  productKey: existing.products.get(idOf(item)!)?.productKey ?? ids.next(),
  id: idOf(item)!,
  itemGroupId: groupOf(item),
  itemGroupKey: keyOfGroup(groupOf(item), existing, ids),
  attributes: item.attributes,
})

/** So many sets are read at once. */
const SETS_AT_ONCE = 20
/** So many memberships are written at once. */
const MEMBERS_AT_ONCE = 1000

/**
 * Puts changed products into the filtered sets that they match, and takes them out of the others. The turn of the event loop ends after each
 * set; it does not wait for the turns of other apps, which would hold the catalog for as long, and on SQLite all writers.
 */
async function updateSets(transaction: CatalogTransaction, changed: readonly NewProduct[]) {
  if (changed.length === 0) return
  let added: Membership[] = []
  let removed: Membership[] = []
  const write = async () => {
    await transaction.changeMembers(added, removed)
    added = []
    removed = []
  }
  let sets: ProductSet[] = []
  do {
    sets = await transaction.filteredSets(sets.at(-1)?.id ?? '', SETS_AT_ONCE)
    for (const { id, filters } of sets) {
      const matches = compileFilters(filters)
      for (const { productKey, attributes } of changed) (matches(attributes) ? added : removed).push([id, productKey])
      if (added.length + removed.length >= MEMBERS_AT_ONCE) await write()
      await endOfTurn()
    }
  } while (sets.length === SETS_AT_ONCE)
  await write()
}

/** Compares by value: the order of names does not count, and an attribute that is missing in an older row is unset. */
const isSame = (one: NewProduct['attributes'], other: NewProduct['attributes']) =>
  isDeepStrictEqual(one, { ...Object.fromEntries(Object.keys(one).map((name) => [name, null])), ...other })

/** New items for which the catalog has no room are refused; those that came first are taken. */
async function refuseBeyondRoom(transaction: CatalogTransaction, items: readonly Judged[], { products }: Existing) {
  const added = items.filter((item) => item.errors.length === 0 && !products.has(idOf(item)!))
  const room = await transaction.room(added.length, MAX_PRODUCTS)
  for (const { errors } of added.slice(room)) errors.push(`the catalog must have at most ${MAX_PRODUCTS} products`)
}

async function putJudged(transaction: CatalogTransaction, items: readonly Judged[], ids: Ids): Promise<PutResult[]> {
  const existing = await existingFor(transaction, items)
  for (const item of items) refuseForeignKeys(item, existing)
  await refuseBeyondRoom(transaction, items, existing)
  const added: NewProduct[] = []
  const replaced: NewProduct[] = []
  const results = items.map((item): PutResult => {
    const { errors, warnings } = item
    const id = idOf(item)
    const known = id === null ? undefined : existing.products.get(id)
    if (errors.length > 0) return { warnings, errors, product_key: known?.productKey ?? null, id, status: 'ERROR' }
    const product = productOf(item, existing, ids)
    const isUnchanged = known !== undefined && isSame(product.attributes, known.attributes)
    if (!isUnchanged) (known ? replaced : added).push(product)
    const status = isUnchanged ? 'NO_CHANGE' : known ? 'UPDATE_SUCCESS' : 'CREATE_SUCCESS'
    return { warnings, errors, product_key: product.productKey, id, status }
  })
  await transaction.add(added)
  await transaction.replace(replaced)
  await updateSets(transaction, [...added, ...replaced])
  return results
}

/** The id that an item was sent with, also where the item has errors. */
const withSentId = (result: PutResult, { id }: SentItem): PutResult => ({
  ...result,
  id: result.id ?? (typeof id === 'string' && id !== '' ? id.toWellFormed().replaceAll('\u0000', '\ufffd') : null),
})

/**
 * Adds or updates products, each judged by itself. Items are written in one transaction on the catalog, so that no update of another client
 * is lost. Undefined if there is no such catalog.
 */
export async function putItems(catalogId: string, sent: readonly SentItem[], services: PutServices): Promise<PutResult[] | undefined> {
  const items = sent.map((item) => judgeItem(item, services))
  refuseRepeatedIds(items)
  const results = await services.catalogs.change(catalogId, (transaction) => putJudged(transaction, items, services.ids))
  return results?.map((result, place) => withSentId(result, sent[place]!))
}
