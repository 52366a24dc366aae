import { putItems, type SentItem } from '../../ads/catalogs/products/put-items.ts'
import { assertFilters, MAX_SETS, type SentFilter } from '../../ads/catalogs/sets/set-view.ts'
import { PRODUCTION, SANDBOX } from '../../ads/resources/account.ts'
import { type Added, differences, invalidSeed, type SeedAdder, type Seeded, type SeedServices, takenId } from './seed-adder.ts'
import type { SeedOf } from './seed-document.ts'

/** So many are written before others get their turn. */
const SLICE = 25

type Seed = SeedOf<'product_catalogs'>

/** The catalog of the seed, created if the user has none. */
async function catalogOf(seed: Seed, { storage, ids, now }: SeedServices) {
  const { user_id: userId, name } = seed
  const host = seed.sandbox ? SANDBOX : PRODUCTION
  const existing = await storage.catalogs.of(host, userId)
  if (existing) return { catalog: existing, isNew: false }
  if (!(await storage.users.byId(userId))) throw invalidSeed('product_catalogs', 'user_id', userId, 'does not belong to any user')
  const catalog = { id: seed.id ?? ids.next(), host, userId, name }
  if (!(await storage.catalogs.create(catalog, now()))) throw takenId('product_catalogs', 'id', catalog.id)
  return { catalog, isNew: true }
}

/** The keys that the service makes are not taken from a seed. */
const withoutKeys = ({ product_key, item_group_key, ...item }: SentItem): SentItem => item

/** Adds products whose ids the catalog does not have. Throws `invalid-request` for one that breaks a rule. */
async function addProducts(catalogId: string, products: readonly SentItem[], services: SeedServices): Promise<Seeded[]> {
  const { storage, ids, loopbackCallbacks: loopbackHttp } = services
  const added: Seeded[] = []
  for (let from = 0; from < products.length; from += SLICE) {
    const slice = products.slice(from, from + SLICE).map(withoutKeys)
    const sent = slice.map(({ id }) => String(id))
    const known = await storage.catalogs.change(catalogId, async (transaction) => (await transaction.byIds(sent)).map(({ id }) => id))
    const missing = slice.filter(({ id }) => !known?.includes(String(id)))
    for (const { id, errors } of (await putItems(catalogId, missing, { catalogs: storage.catalogs, ids, loopbackHttp })) ?? []) {
      if (errors.length > 0) throw invalidSeed('product_catalogs', 'products', id ?? '', errors.join(', '))
      added.push({ kind: 'products', id: id! })
    }
  }
  return added
}

/** Adds sets whose names the catalog does not have. A MANUAL set names its products by their ids, as answers do. */
async function addSets(catalogId: string, { product_sets: sets = [] }: Seed, { storage, ids, now }: SeedServices): Promise<Seeded[]> {
  const added: Seeded[] = []
  await storage.catalogs.change(catalogId, async (transaction) => {
    const known = new Set((await transaction.sets()).map(({ name }) => name))
    for (const { id = ids.next(), name, description = null, type, filters = [], product_ids = [] } of sets) {
      if (known.has(name)) continue
      assertFilters(filters as SentFilter[])
      const products = type === 'MANUAL' ? await transaction.byIds(product_ids) : []
      const missing = product_ids.find((wanted) => type === 'MANUAL' && !products.some((product) => product.id === wanted))
      if (missing !== undefined) throw invalidSeed('product_catalogs', 'product_sets.product_ids', missing, 'is no product of the catalog')
      const processingStatus = type === 'FILTERED' ? 'PROCESSING' : 'DONE'
      const set = { id, catalogId, name, description, type, filters, processingStatus } as const
      const keys = products.map(({ productKey }) => productKey)
      const refusal = await transaction.addSet(set, keys, now(), MAX_SETS)
      if (refusal === 'id-taken') throw takenId('product_catalogs', 'product_sets.id', id)
      if (refusal === 'limit')
        throw invalidSeed('product_catalogs', 'product_sets.name', name, `is one more than the ${MAX_SETS} sets of a catalog`)
      known.add(name)
      added.push({ kind: 'product_sets', id })
    }
  })
  return added
}

/** Adds the catalog of a user with its products and sets. A catalog that exists gets what it lacks. */
export const addCatalog: SeedAdder<'product_catalogs'> = async (seed, services): Promise<Added> => {
  await services.storage.catalogs.finishRemovals(seed.user_id)
  const { catalog, isNew } = await catalogOf(seed, services)
  const products = await addProducts(catalog.id, (seed.products ?? []) as SentItem[], services)
  const sets = await addSets(catalog.id, seed, services)
  if (isNew) return { id: catalog.id }
  return { id: catalog.id, differing: differences({ id: seed.id, name: seed.name }, catalog), children: [...products, ...sets] }
}
