import type { Transaction } from 'kysely'
import type { Segment, Uploads } from '../../uploads.ts'
import { holdNamedLock } from '../advisory-lock.ts'
import type { Flavour } from '../flavour.ts'
import type { Database, Row } from '../schema.ts'
import { announce, type Exclusive, type SqlDatabase, unannounced } from '../sql-database.ts'
import { countedBytes, countUploads } from './count-uploads.ts'
import { holdUser } from './hold-user.ts'
import { UPLOAD_DUE } from './upload-due.ts'
import { newUploadRow, selectUpload, uploadFromRow } from './upload-rows.ts'

/** New uploads of a user are counted one after another, so that none passes a cap. */
const lockUploadsOf = (flavour: Flavour, ownerId: string): Exclusive<void> => ({
  key: `uploads of ${ownerId}`,
  lock: (trx) => holdNamedLock(trx, flavour, `uploads of ${ownerId}`),
})

/** Adds a segment, or puts it in the place of a former one. Undefined if the segments would have more bytes than were declared. */
async function replaceSegment(trx: Transaction<Database>, upload: Row<'uploads'>, { index, key, size }: Segment) {
  const former = await trx
    .selectFrom('upload_segments')
    .select(['file_key', 'size'])
    .where('upload_id', '=', upload.id)
    .where('position', '=', index)
    .executeTakeFirst()
  const receivedBytes = upload.received_bytes - (former?.size ?? 0) + size
  if (receivedBytes > upload.total_bytes) return undefined
  await trx
    .insertInto('upload_segments')
    .values({ upload_id: upload.id, position: index, file_key: key, size })
    .onConflict((conflict) => conflict.columns(['upload_id', 'position']).doUpdateSet({ file_key: key, size }))
    .execute()
  const values = { received_bytes: receivedBytes, revision: upload.revision + 1 }
  await trx.updateTable('uploads').set(values).where('id', '=', upload.id).execute()
  return { file_key: former?.file_key }
}

/** Takes in uploads and their segments. */
export function createReception({
  db,
  flavour,
  inTransaction,
  inExclusiveTransaction,
}: SqlDatabase): Pick<Uploads, 'create' | 'find' | 'segments' | 'addSegment'> {
  const lockOwn = (trx: Transaction<Database>, ownerId: string, id: string) =>
    selectUpload(trx, id)
      .where('owner_id', '=', ownerId)
      .$if(flavour.locksRows, (query) => query.forUpdate())
      .executeTakeFirst()

  return {
    create: (upload, caps) =>
      inExclusiveTransaction(lockUploadsOf(flavour, upload.ownerId), async (trx) => {
        if (!(await holdUser(trx, flavour, upload.ownerId))) return unannounced('no-such-user')
        const { open, bytes } = await countUploads(trx, upload.ownerId)
        if (open >= caps.open) return unannounced('too-many-open')
        if (bytes + countedBytes(upload.totalBytes) > caps.bytes) return unannounced('too-many-bytes')
        await trx.insertInto('uploads').values(newUploadRow(upload)).execute()
        return announce('created', UPLOAD_DUE)
      }),
    async find(ownerId, id, nowMs) {
      const row = await selectUpload(db, id).where('owner_id', '=', ownerId).executeTakeFirst()
      const isGone = !row || row.state === 'removed' || (row.state !== 'succeeded' && row.expires_at_ms <= nowMs)
      return isGone ? undefined : uploadFromRow(row)
    },
    async segments(id) {
      const rows = await db.selectFrom('upload_segments').selectAll().where('upload_id', '=', id).orderBy('position').execute()
      return rows.map(({ position, file_key, size }) => ({ index: position, key: file_key, size }))
    },
    addSegment: (ownerId, id, segment, nowMs) =>
      inTransaction<Awaited<ReturnType<Uploads['addSegment']>>>(async (trx) => {
        const upload = await lockOwn(trx, ownerId, id)
        if (!upload || upload.state === 'removed' || upload.expires_at_ms <= nowMs) return unannounced({ result: 'unknown' })
        if (upload.state !== 'open') return unannounced({ result: 'finalized' })
        const former = await replaceSegment(trx, upload, segment)
        return unannounced(
          former ? { result: 'added', replaced: former.file_key, expiresAtMs: upload.expires_at_ms } : { result: 'too-many-bytes' },
        )
      }),
  }
}
