import type { Transaction } from 'kysely'
import type { NewUpload, Upload, UploadedKind } from '../../uploads.ts'
import type { Database, NewRow, Row } from '../schema.ts'
import type { SqlDatabase } from '../sql-database.ts'

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
