import type { Transaction } from 'kysely'
import { endOfTurn } from '../../../lib/clock.ts'
import type { Catalog, Catalogs } from '../../catalogs.ts'
import type { Change } from '../../changes.ts'
import type { WorkQueue } from '../../due-work.ts'
import type { Database, Row } from '../schema.ts'
import { announce, type Exclusive, type SqlDatabase, unannounced } from '../sql-database.ts'
import { createCatalogTransaction, FIRST_POSITION, MAX_SHOWN, NOT_DUE, removedHost } from './catalog-transaction.ts'
import { createDueRows } from './due-rows.ts'
import { deleteSlice, selectProducts, setFromRow, withFirstIds } from './product-rows.ts'

const fromRow = (row: Row<'product_catalogs'>): Catalog => ({ id: row.id, host: row.host, userId: row.user_id, name: row.name })

/** How many of each set a list shows: 50 sets together as many as a set alone. */
const MAX_LISTED = 200

/** Locks a catalog, or a deleted one, for a transaction. The result is the position of its next product; undefined if there is no such catalog. */
const lockCatalog = (locksRows: boolean, catalogId: string, isRemoved = false): Exclusive<number | undefined> => ({
  key: `catalog ${catalogId}`,
  async lock(trx: Transaction<Database>) {
    const catalog = trx
      .selectFrom('product_catalogs')
      .select('next_position')
      .where('id', '=', catalogId)
      .where('due_at_ms', isRemoved ? 'is not' : 'is', null)
      .$if(locksRows, (query) => query.forNoKeyUpdate())
    return (await catalog.executeTakeFirst())?.next_position
  },
})

export function createCatalogs(database: SqlDatabase, worker: number): Catalogs {
  const { db, unannounced: writable, flavour, inTransaction, inExclusiveTransaction } = database

  const where = async (column: 'id' | 'user_id', value: string, host?: string): Promise<Catalog | undefined> => {
    const found = db
      .selectFrom('product_catalogs')
      .selectAll()
      .where(column, '=', value)
      .$if(host !== undefined, (query) => query.where('host', '=', host!))
    const row = await found.executeTakeFirst()
    return row && fromRow(row)
  }

  const change: Catalogs['change'] = (catalogId, run) =>
    inExclusiveTransaction(lockCatalog(flavour.locksRows, catalogId), async (trx, nextPosition) => {
      if (nextPosition === undefined) return unannounced(undefined)
      const changes: Change[] = []
      const onDue = (queue: WorkQueue) => void changes.push({ kind: 'due', queue })
      return { result: await run(createCatalogTransaction({ trx, flavour, worker, catalogId, nextPosition, onDue })), changes }
    })

  const removeSlice: Catalogs['removeSlice'] = (id) =>
    inExclusiveTransaction(lockCatalog(flavour.locksRows, id, true), async (trx, nextPosition) =>
      unannounced(nextPosition !== undefined && (await deleteSlice(trx, flavour, id))),
    )

  const setsOf = (catalogId: string) => db.selectFrom('product_sets').selectAll().where('catalog_id', '=', catalogId)

  return {
    of: (host, userId) => where('user_id', userId, host),
    byId: (id) => where('id', id),
    create: ({ id, host, userId, name }, nowMs) =>
      inTransaction(async (trx) => {
        const row = { id, host, user_id: userId, name, next_position: FIRST_POSITION, created_at_ms: nowMs }
        const inserted = trx.insertInto('product_catalogs').values(row)
        const { numInsertedOrUpdatedRows } = await inserted.onConflict((conflict) => conflict.doNothing()).executeTakeFirstOrThrow()
        return unannounced(numInsertedOrUpdatedRows === 1n)
      }),
    async rename(id, name) {
      const renamed = writable.updateTable('product_catalogs').set({ name }).where('id', '=', id).where('due_at_ms', 'is', null)
      return (await renamed.executeTakeFirst()).numUpdatedRows === 1n
    },
    remove: (id, nowMs) =>
      inExclusiveTransaction(lockCatalog(flavour.locksRows, id), async (trx, nextPosition) => {
        if (nextPosition === undefined) return unannounced(false)
        await trx.deleteFrom('scheduled_feeds').where('catalog_id', '=', id).execute()
        await trx.updateTable('product_sets').set(NOT_DUE).where('catalog_id', '=', id).execute()
        await trx
          .updateTable('product_catalogs')
          .set({ host: removedHost(id), due_at_ms: nowMs })
          .where('id', '=', id)
          .execute()
        return announce(true, { kind: 'due', queue: 'product_catalogs' })
      }),
    removeSlice,
    async finishRemovals(userId) {
      const removed = db.selectFrom('product_catalogs').select('id').where('user_id', '=', userId).where('due_at_ms', 'is not', null)
      for (const { id } of await removed.execute()) while (await removeSlice(id)) await endOfTurn()
    },
    products: (catalogId, query, giveWay) => selectProducts(db, catalogId, query, giveWay),
    async sets(catalogId, before, limit, giveWay) {
      const page = setsOf(catalogId).$if(before !== undefined, (query) => query.where('id', '<', before!))
      return withFirstIds(db, (await page.orderBy('id', 'desc').limit(limit).execute()).map(setFromRow), MAX_LISTED, giveWay)
    },
    async set(catalogId, id, giveWay) {
      const row = await setsOf(catalogId).where('id', '=', id).executeTakeFirst()
      return row && (await withFirstIds(db, [setFromRow(row)], MAX_SHOWN, giveWay))[0]
    },
    catalogOfSet: async (setId) =>
      (await db.selectFrom('product_sets').select('catalog_id').where('id', '=', setId).executeTakeFirst())?.catalog_id,
    change,
    dueSets: createDueRows(database, 'product_sets', worker),
    dueRemovals: createDueRows(database, 'product_catalogs', worker),
  }
}
