import { sql, type Transaction } from 'kysely'
import type { NewUpload, Upload, UploadedKind } from '../../uploads.ts'
import type { Database, NewRow, Row } from '../schema.ts'
import type { SqlDatabase } from '../sql-database.ts'

/** What a file and its rows take at least. */
const LEAST_BYTES = 4096

/** What an upload takes of the quota of its owner. */
export const countedBytes = (totalBytes: number) => Math.max(LEAST_BYTES, totalBytes)

/** Of the uploads that are media only the total is read: a user may have any number of them. */
export async function countUploads(trx: Transaction<Database>, ownerId: string): Promise<{ open: number; bytes: number }> {
  const { rows } = await sql<{ open: number | string | null; bytes: number | string | null }>`select
    sum(case when state in ('open', 'failed') then 1 else 0 end) as open,
    sum(case when state = 'failed' then 0 when total_bytes < ${sql.lit(LEAST_BYTES)} then ${sql.lit(LEAST_BYTES)} else total_bytes end) as bytes
    from uploads where owner_id = ${ownerId} and state in ('open', 'failed', 'pending', 'in_progress')`.execute(trx)
  const total = await trx.selectFrom('upload_totals').select('bytes').where('owner_id', '=', ownerId).executeTakeFirst()
  return { open: Number(rows[0]?.open ?? 0), bytes: Number(rows[0]?.bytes ?? 0) + (total?.bytes ?? 0) }
}

/** Counts an upload that is media now. */
export async function addToTotal(trx: Transaction<Database>, { ownerId, totalBytes }: Upload) {
  const bytes = countedBytes(totalBytes)
  await trx
    .insertInto('upload_totals')
    .values({ owner_id: ownerId, bytes })
    .onConflict((conflict) => conflict.column('owner_id').doUpdateSet({ bytes: sql`upload_totals.bytes + ${bytes}` }))
    .execute()
}

/** The query of one upload. */
export const selectUpload = (db: Pick<SqlDatabase['db'], 'selectFrom'>, id: string) =>
  db.selectFrom('uploads').selectAll().where('id', '=', id)

export const uploadFromRow = (row: Row<'uploads'>): Upload => ({
  id: row.id,
  ownerId: row.owner_id,
  mediaKey: row.media_key,
  category: row.category,
  mediaType: row.media_type,
  additionalOwners: JSON.parse(row.additional_owners) as string[],
  totalBytes: row.total_bytes,
  receivedBytes: row.received_bytes,
  state: row.state,
  revision: row.revision,
  progress: row.progress,
  error: row.error,
  kind: row.kind === null ? null : (JSON.parse(row.kind) as UploadedKind),
  createdAtMs: row.created_at_ms,
  expiresAtMs: row.expires_at_ms,
})

/** An upload without segments. It is due when it expires. */
export const newUploadRow = (upload: NewUpload): NewRow<'uploads'> => ({
  id: upload.id,
  owner_id: upload.ownerId,
  media_key: upload.mediaKey,
  category: upload.category,
  media_type: upload.mediaType,
  additional_owners: JSON.stringify(upload.additionalOwners),
  total_bytes: upload.totalBytes,
  received_bytes: 0,
  state: 'open',
  revision: 0,
  progress: 0,
  error: null,
  kind: null,
  created_at_ms: upload.createdAtMs,
  expires_at_ms: upload.expiresAtMs,
  due_at_ms: upload.expiresAtMs,
  worker: null,
})

/** The uploads of a user who is removed are due at once: their files are removed, and then their rows. */
export async function removeUploadsOf(trx: Transaction<Database>, userId: string): Promise<boolean> {
  const removed = trx.updateTable('uploads').set({ state: 'removed', due_at_ms: 0, worker: null }).where('owner_id', '=', userId)
  return (await removed.executeTakeFirst()).numUpdatedRows > 0n
}
