import type { Seal } from '../../lib/seal.ts'
import type { App, AppChanges, AppStore } from '../apps.ts'
import { openApp, sealApp, sealChanges } from './app-row.ts'
import type { SqlDatabase } from './sql-database.ts'

export function createAppStore({ db, inTransaction }: SqlDatabase, seal: Seal): AppStore {
  const one = async (column: 'id' | 'consumer_key', value: string): Promise<App | undefined> => {
    const row = await db.selectFrom('apps').selectAll().where(column, '=', value).executeTakeFirst()
    return row && openApp(seal, row)
  }

  const update = (id: string, changes: AppChanges) =>
    inTransaction(async (trx, tell) => {
      const row = await trx.updateTable('apps').set(sealChanges(seal, changes)).where('id', '=', id).returningAll().executeTakeFirst()
      if (row) tell({ kind: 'app', id })
      return row && openApp(seal, row)
    })

  return {
    byId: (id) => one('id', id),
    byConsumerKey: (consumerKey) => one('consumer_key', consumerKey),
    async list() {
      const rows = await db.selectFrom('apps').selectAll().orderBy('created_at_ms').orderBy('id').execute()
      return rows.map((row) => openApp(seal, row))
    },
    insert: (app) =>
      inTransaction(async (trx, tell) => {
        const result = await trx
          .insertInto('apps')
          .values(sealApp(seal, app))
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst()
        const inserted = result.numInsertedOrUpdatedRows === 1n
        if (inserted) tell({ kind: 'app', id: app.id })
        return inserted
      }),
    update: (id, changes) => (Object.values(changes).every((value) => value === undefined) ? one('id', id) : update(id, changes)),
  }
}
