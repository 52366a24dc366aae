import type { Uploads } from '../../uploads.ts'
import { createDueRows, endClaim, isHeld } from '../catalogs/due-rows.ts'
import { isOneOf } from '../catalogs/product-rows.ts'
import { type SqlDatabase, unannounced } from '../sql-database.ts'
import type { createEnds } from './ends.ts'
import type { createReception } from './reception.ts'
import { selectUpload, uploadFromRow } from './upload-rows.ts'

/** Uploads as a queue of work. */
export function createUploadWork(
  database: SqlDatabase,
  worker: number,
): Omit<Uploads, keyof ReturnType<typeof createReception> | keyof ReturnType<typeof createEnds>> {
  const { db, unannounced: writable, flavour, inTransaction } = database
  return {
    ...createDueRows(database, 'uploads', worker),
    async claimed({ id }) {
      const row = await selectUpload(db, id).executeTakeFirst()
      return row && uploadFromRow(row)
    },
    async progress(claim, percent) {
      const changed = writable
        .updateTable('uploads')
        .set({ state: 'in_progress', progress: percent })
        .where('state', 'in', ['pending', 'in_progress'])
        .where(isHeld('uploads', claim, worker) as never)
      return (await changed.executeTakeFirst()).numUpdatedRows === 1n
    },
    cleaned: (claim, dueAtMs) =>
      inTransaction(async (trx) => {
        if (await endClaim(trx, 'uploads', claim, worker, { due_at_ms: dueAtMs }))
          await trx.deleteFrom('upload_segments').where('upload_id', '=', claim.id).execute()
        return unannounced(undefined)
      }),
    async beginRemoval(claim) {
      const changed = writable
        .updateTable('uploads')
        .set({ state: 'removed' })
        .where(isHeld('uploads', claim, worker) as never)
      return (await changed.executeTakeFirst()).numUpdatedRows === 1n
    },
    async remove(claim) {
      await writable
        .deleteFrom('uploads')
        .where(isHeld('uploads', claim, worker) as never)
        .execute()
    },
    async known(keys) {
      if (keys.length === 0) return new Set()
      const found = db.selectFrom('upload_segments').select('file_key')
      return new Set((await found.where(isOneOf(flavour, 'file_key', keys)).execute()).map(({ file_key }) => file_key))
    },
  }
}
