import { type Kysely, sql, type Transaction } from 'kysely'
import { endOfTurn } from '../../../lib/clock.ts'
import type { GiveWay } from '../../../lib/fair-turns.ts'
import type { NewProduct, Product, ProductFilter, ProductSet, ProductSetWithIds, ProductsQuery } from '../../catalogs.ts'
import type { Flavour } from '../flavour.ts'
import type { Database, Row } from '../schema.ts'

export const productFromRow = (row: Row<'products'>): Product => ({
  productKey: row.product_key,
  id: row.id,
  position: row.position,
  itemGroupId: row.item_group_id,
  itemGroupKey: row.item_group_key,
  attributes: JSON.parse(row.attributes),
})

/** Inserts products at these positions. */
export async function insertProducts(trx: Transaction<Database>, catalogId: string, products: readonly Product[]) {
  const rows = products.map((product) => ({
    product_key: product.productKey,
    catalog_id: catalogId,
    id: product.id,
    position: product.position,
    item_group_id: product.itemGroupId,
    item_group_key: product.itemGroupKey,
    attributes: JSON.stringify(product.attributes),
  }))
  await trx.insertInto('products').values(rows).execute()
}

const REPLACED = ['product_key', 'item_group_id', 'item_group_key', 'attributes']

/** Replaces the groups and attributes of products in one statement. */
export async function replaceProducts(trx: Transaction<Database>, flavour: Flavour, products: readonly NewProduct[]) {
  const rows = products.map((product) => [
    product.productKey,
    product.itemGroupId,
    product.itemGroupKey,
    JSON.stringify(product.attributes),
  ])
  await sql`update products set item_group_id = given.item_group_id, item_group_key = given.item_group_key, attributes = given.attributes
    from ${flavour.rows(JSON.stringify(rows), REPLACED)} where products.product_key = given.product_key`.execute(trx)
}

/** In how many products one statement looks for those that were submitted first of their group. */
const LOOKED_THROUGH = 1000

const isFirstOfGroup = sql<boolean>`(item_group_key is null or not exists (select 1 from products as earlier
  where earlier.catalog_id = products.catalog_id and earlier.item_group_key = products.item_group_key and earlier.position < products.position))`

/** A page of a catalog, newest first; of each group only the product that was submitted first, unless it is the list of a group. */
export async function selectProducts(
  db: Pick<Kysely<Database>, 'selectFrom'>,
  catalogId: string,
  { itemGroupKey, before: end = Number.MAX_SAFE_INTEGER, limit }: ProductsQuery,
  giveWay: GiveWay = endOfTurn,
): Promise<Product[]> {
  const until = (before: number) =>
    db.selectFrom('products').where('catalog_id', '=', catalogId).where('position', '<', before).orderBy('position', 'desc')
  if (itemGroupKey !== undefined) {
    const ofGroup = until(end).selectAll().where('item_group_key', '=', itemGroupKey)
    return (await ofGroup.limit(limit).execute()).map(productFromRow)
  }
  const lastLookedAt = async (before: number): Promise<number | undefined> => {
    const last = until(before)
      .select('position')
      .offset(LOOKED_THROUGH - 1)
    return (await last.limit(1).executeTakeFirst())?.position
  }
  const found: Product[] = []
  for (let before: number | undefined = end; before !== undefined && found.length < limit; ) {
    const from = await lastLookedAt(before)
    const firsts = until(before)
      .selectAll()
      .where('position', '>=', from ?? 0)
      .where(isFirstOfGroup)
    found.push(...(await firsts.limit(limit - found.length).execute()).map(productFromRow))
    before = from
    await giveWay()
  }
  return found
}

/** What rows belong to: a column and its value. */
type Owner = readonly [column: 'catalog_id' | 'set_id', id: string]

/**
 * The condition that a row is its owner's, and that a column has one of the values. Both are one comparison: by two, SQLite finds all rows of
 * the owner, and looks at each.
 */
export const isOwnersOneOf = (flavour: Flavour, [owner, id]: Owner, column: string, values: readonly string[]) =>
  sql<boolean>`(${sql.ref(owner)}, ${sql.ref(column)}) in (select cast(${id} as text), wanted.value
    from ${flavour.values(JSON.stringify(values))})`

/** The products of a catalog of which a column has one of the values. */
export const selectAmong = (
  db: Pick<Kysely<Database>, 'selectFrom'>,
  flavour: Flavour,
  catalogId: string,
  column: 'id' | 'product_key',
  values: readonly string[],
) =>
  db
    .selectFrom('products')
    .selectAll()
    .where(isOwnersOneOf(flavour, ['catalog_id', catalogId], column, values))
    .orderBy('position')

/** How many rows of a deleted catalog one transaction deletes. */
const DELETED_AT_ONCE = 500

/**
 * Deletes memberships of a set, or products, of a deleted catalog; if there are none left, the set, or the catalog. Returns false after that.
 * It waits for no row while it holds others: the deletion of a product takes its memberships in another order.
 */
export async function deleteSlice(trx: Transaction<Database>, flavour: Flavour, catalogId: string): Promise<boolean> {
  const set = await trx.selectFrom('product_sets').select('id').where('catalog_id', '=', catalogId).limit(1).executeTakeFirst()
  const [table, owner, order] = set
    ? (['product_set_members', 'set_id', 'product_key'] as const)
    : (['products', 'catalog_id', 'position'] as const)
  const ownerId = set?.id ?? catalogId
  const locked = async (limit: number, lock: string) => {
    const found = sql<{ product_key: string }>`select product_key from ${sql.table(table)} where ${sql.ref(owner)} = ${ownerId}
      order by ${sql.ref(order)} limit ${sql.lit(limit)} ${sql.raw(flavour.locksRows ? lock : '')}`
    return (await found.execute(trx)).rows.map((row) => row.product_key)
  }
  const free = await locked(DELETED_AT_ONCE, 'for update skip locked')
  const keys = free.length > 0 ? free : await locked(1, 'for update')
  if (keys.length > 0)
    await sql`delete from ${sql.table(table)} where ${isOwnersOneOf(flavour, [owner, ownerId], 'product_key', keys)}`.execute(trx)
  else
    await trx
      .deleteFrom(set ? 'product_sets' : 'product_catalogs')
      .where('id', '=', ownerId)
      .execute()
  return keys.length > 0 || set !== undefined
}

export const setFromRow = (row: Row<'product_sets'>): ProductSet => ({
  id: row.id,
  catalogId: row.catalog_id,
  name: row.name,
  description: row.description,
  type: row.type,
  filters: JSON.parse(row.filters) as ProductFilter[],
  processingStatus: row.processing_status,
})

/** How many members of a set are read at once. */
const MEMBERS_AT_ONCE = 1000

/**
 * A set with the ids of its first products, in the order of their first submission. Which are the first is decided by their keys, which grow in
 * that order, so that no more of a large set is read.
 */
async function withIds(
  db: Pick<Kysely<Database>, 'selectFrom'>,
  set: ProductSet,
  limit: number,
  giveWay: GiveWay,
): Promise<ProductSetWithIds> {
  const found: { key: string; id: string; position: number }[] = []
  for (let isMore = true; isMore; ) {
    const size = Math.min(MEMBERS_AT_ONCE, limit - found.length)
    const page = db
      .selectFrom('product_set_members')
      .innerJoin('products', 'products.product_key', 'product_set_members.product_key')
      .select(['product_set_members.product_key as key', 'products.id', 'products.position'])
      .where('set_id', '=', set.id)
      .where('product_set_members.product_key', '>', found.at(-1)?.key ?? '')
      .orderBy('product_set_members.product_key')
      .limit(size)
    const rows = await page.execute()
    found.push(...rows)
    isMore = rows.length === size && found.length < limit
    await giveWay()
  }
  return { ...set, productIds: found.sort((one, other) => one.position - other.position).map(({ id }) => id) }
}

/** The same for several sets. */
export async function withFirstIds(
  db: Pick<Kysely<Database>, 'selectFrom'>,
  sets: readonly ProductSet[],
  limit: number,
  giveWay: GiveWay = endOfTurn,
): Promise<ProductSetWithIds[]> {
  const found: ProductSetWithIds[] = []
  for (const set of sets) found.push(await withIds(db, set, limit, giveWay))
  return found
}

/** The condition that a column has one of the values of a list of any length. */
export const isOneOf = (flavour: Flavour, column: string, values: readonly string[]) =>
  sql<boolean>`${sql.ref(column)} in (select wanted.value from ${flavour.values(JSON.stringify(values))})`
