import { sql, type Transaction } from 'kysely'
import type { Upload } from '../../uploads.ts'
import type { Database } from '../schema.ts'

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
