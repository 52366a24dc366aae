import type { Kysely } from 'kysely'
import type { Flavour } from '../flavour.ts'
import { newTable } from './new-table.ts'

/**
 * Uploads of media, with the segments that came, and how much of each user has become media. An upload outlives its user, until its files are removed: `owner_id` refers to nothing.
 */
export const addUploads = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  await newTable(db, flavour, 'uploads', {
    id: 'text',
    owner_id: 'text',
    media_key: 'text',
    category: 'text?',
    media_type: 'text?',
    additional_owners: 'text',
    total_bytes: 'bigint',
    received_bytes: 'bigint',
    state: 'text',
    revision: 'bigint',
    progress: 'integer',
    error: 'text?',
    kind: 'text?',
    created_at_ms: 'bigint',
    expires_at_ms: 'bigint',
    due_at_ms: 'bigint?',
    worker: 'integer?',
  })
    .addPrimaryKeyConstraint('uploads_pkey', ['id'] as never[])
    .execute()
  await newTable(db, flavour, 'upload_segments', { upload_id: 'text', position: 'integer', file_key: 'text', size: 'bigint' })
    .addPrimaryKeyConstraint('upload_segments_pkey', ['upload_id', 'position'] as never[])
    .addForeignKeyConstraint('upload_segments_upload_id', ['upload_id'] as never[], 'uploads', ['id'], (it) => it.onDelete('cascade'))
    .execute()
  await newTable(db, flavour, 'upload_totals', { owner_id: 'text', bytes: 'bigint' })
    .addPrimaryKeyConstraint('upload_totals_pkey', ['owner_id'] as never[])
    .execute()
  const index = (name: string, on: string, columns: string[]) => db.schema.createIndex(name).on(on).columns(columns)
  await index('uploads_of_owner', 'uploads', ['owner_id', 'state']).execute()
  await index('upload_segments_of_file', 'upload_segments', ['file_key']).execute()
  await index('uploads_due', 'uploads', ['due_at_ms']).where('due_at_ms', 'is not', null).execute()
}
