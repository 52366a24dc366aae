import { sql, type Transaction } from 'kysely'
import type { CatalogTransaction, Membership, NewProduct, ProductSet } from '../../catalogs.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { isHeld } from './due-rows.ts'
import { insertProducts, isOwnersOneOf, productFromRow, replaceProducts, selectAmong, setFromRow, withFirstIds } from './product-rows.ts'

/** The host of a deleted catalog. */
export const removedHost = (id: string) => `removed ${id}`

export const NOT_DUE = { due_at_ms: null, worker: null }

/** How many products of a set an answer shows. */
export const MAX_SHOWN = 10_000

/** A new catalog begins at this position, so that 0 comes before all products. */
export const FIRST_POSITION = 1

export interface CatalogTransactionOptions {
  trx: Transaction<Database>
  flavour: Flavour
  worker: number
  catalogId: string
  /** Of the catalog, as it was when it was locked. */
  nextPosition: number
  /** Called when work is added to a queue. */
  onDue(queue: 'product_sets' | 'product_catalogs'): void
}

type Products = Pick<CatalogTransaction, 'byIds' | 'byKeys' | 'after' | 'groupKeys' | 'room' | 'add' | 'replace' | 'remove'>

function createProducts({ trx, flavour, catalogId, nextPosition }: CatalogTransactionOptions): Products {
  const products = () => trx.selectFrom('products').selectAll().where('catalog_id', '=', catalogId)
  const among = async (column: 'id' | 'product_key', values: readonly string[]) =>
    values.length === 0 ? [] : (await selectAmong(trx, flavour, catalogId, column, values).execute()).map(productFromRow)
  let next = nextPosition

  return {
    byIds: (ids) => among('id', ids),
    byKeys: (productKeys) => among('product_key', productKeys),
    after: async (position, limit) =>
      (await products().where('position', '>', position).orderBy('position').limit(limit).execute()).map(productFromRow),
    async groupKeys(groupIds) {
      if (groupIds.length === 0) return new Map()
      // One product of each group tells: a group can be as large as the catalog.
      const keys = sql<{ id: string; key: string | null }>`select wanted.value as id, (select item_group_key from products
        where catalog_id = ${catalogId} and item_group_id = wanted.value limit 1) as key from ${flavour.values(JSON.stringify(groupIds))}`
      return new Map((await keys.execute(trx)).rows.flatMap(({ id, key }) => (key === null ? [] : [[id, key] as const])))
    },
    async room(wanted, maxProducts) {
      // A catalog never has more products than were added: most need no count.
      if (next - FIRST_POSITION + wanted <= maxProducts) return wanted
      const counted = sql<{ count: number | string }>`select count(*) as count from products where catalog_id = ${catalogId}`
      const { rows } = await counted.execute(trx)
      return Math.min(wanted, Math.max(0, maxProducts - Number(rows[0]!.count)))
    },
    async add(added) {
      if (added.length === 0) return
      const placed = added.map((product: NewProduct) => ({ ...product, position: next++ }))
      await insertProducts(trx, catalogId, placed)
      await trx.updateTable('product_catalogs').set({ next_position: next }).where('id', '=', catalogId).execute()
    },
    async replace(replaced) {
      if (replaced.length > 0) await replaceProducts(trx, flavour, replaced)
    },
    async remove(productKeys) {
      const isGone = isOwnersOneOf(flavour, ['catalog_id', catalogId], 'product_key', productKeys)
      await trx.deleteFrom('products').where(isGone).execute()
    },
  }
}

type Sets = Omit<CatalogTransaction, keyof Products>

const columnsOf = ({ id, catalogId, name, description, type, filters, processingStatus }: ProductSet) => ({
  id,
  catalog_id: catalogId,
  name,
  description,
  type,
  filters: JSON.stringify(filters),
  processing_status: processingStatus,
})

function createSets({ trx, flavour, worker, catalogId, onDue }: CatalogTransactionOptions): Sets {
  const sets = () => trx.selectFrom('product_sets').selectAll().where('catalog_id', '=', catalogId)

  const addMembers = async (members: readonly Membership[]) => {
    if (members.length === 0) return
    await sql`insert into product_set_members (set_id, product_key) select first, second from ${flavour.pairs(JSON.stringify(members))}
      where true on conflict do nothing`.execute(trx)
  }

  return {
    sets: async () => (await sets().orderBy('id').execute()).map(setFromRow),
    filteredSets: async (after, limit) =>
      (await sets().where('type', '=', 'FILTERED').where('id', '>', after).orderBy('id').limit(limit).execute()).map(setFromRow),
    async addSet(set, productKeys, nowMs, maxSets) {
      const existing = await trx.selectFrom('product_sets').select('id').where('catalog_id', '=', catalogId).limit(maxSets).execute()
      if (existing.length >= maxSets) return 'limit'
      const isDue = set.processingStatus === 'PROCESSING'
      const row = { ...columnsOf(set), processed_to: 0, created_at_ms: nowMs, due_at_ms: isDue ? nowMs : null }
      const insertion = trx.insertInto('product_sets').values(row)
      const { numInsertedOrUpdatedRows } = await insertion.onConflict((conflict) => conflict.column('id').doNothing()).executeTakeFirst()
      if (numInsertedOrUpdatedRows === 0n) return 'id-taken'
      await addMembers(productKeys.map((key) => [set.id, key]))
      if (isDue) onDue('product_sets')
      return undefined
    },
    async set(id) {
      const row = await sets().where('id', '=', id).executeTakeFirst()
      return row && setFromRow(row)
    },
    async updateSet(id, { name, description }, productKeys) {
      if (name !== undefined || description !== undefined)
        await trx.updateTable('product_sets').set({ name, description }).where('id', '=', id).execute()
      if (productKeys !== undefined) {
        await trx.deleteFrom('product_set_members').where('set_id', '=', id).execute()
        await addMembers(productKeys.map((key) => [id, key]))
      }
      const row = await sets().where('id', '=', id).executeTakeFirstOrThrow()
      return (await withFirstIds(trx, [setFromRow(row)], MAX_SHOWN))[0]!
    },
    async removeSet(id, removalId, nowMs) {
      await sql`insert into product_catalogs (id, host, user_id, name, next_position, created_at_ms, due_at_ms)
        select ${removalId}, ${removedHost(removalId)}, user_id, name, ${FIRST_POSITION}, created_at_ms, ${nowMs}
        from product_catalogs where id = ${catalogId}`.execute(trx)
      await trx
        .updateTable('product_sets')
        .set({ ...NOT_DUE, catalog_id: removalId })
        .where('id', '=', id)
        .execute()
      onDue('product_catalogs')
    },
    async changeMembers(added, removed) {
      await addMembers(added)
      if (removed.length === 0) return
      await sql`delete from product_set_members where (set_id, product_key) in (select first, second
        from ${flavour.pairs(JSON.stringify(removed))})`.execute(trx)
    },
    async processedTo(setId) {
      const row = await sets().where('id', '=', setId).where('processing_status', '=', 'PROCESSING').executeTakeFirst()
      return row?.processed_to
    },
    async setProcessed(claim, processedTo, status) {
      const ended = status === 'PROCESSING' ? {} : NOT_DUE
      const values = { processed_to: processedTo, processing_status: status, ...ended }
      await trx
        .updateTable('product_sets')
        .set(values)
        .where(isHeld('product_sets', claim, worker))
        .execute()
    },
  }
}

export const createCatalogTransaction = (options: CatalogTransactionOptions): CatalogTransaction => ({
  ...createProducts(options),
  ...createSets(options),
})
