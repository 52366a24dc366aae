import { type ExpressionBuilder, sql, type Transaction } from 'kysely'
import type { MediaValues, Upload, UploadState, Uploads } from '../../uploads.ts'
import type { Database, NewRow } from '../schema.ts'
import { announce, type SqlDatabase, unannounced } from '../sql-database.ts'
import { addToTotal } from './count-uploads.ts'
import { holdUser } from './hold-user.ts'
import { UPLOAD_DUE } from './upload-due.ts'

const UNFINISHED: readonly UploadState[] = ['open', 'pending', 'in_progress']

/** The condition that an upload is still as it was read. */
const isAsRead =
  ({ id, revision }: Upload) =>
  (it: ExpressionBuilder<Database, 'uploads'>) =>
    it.and([it('id', '=', id), it('revision', '=', revision), it('state', 'in', UNFINISHED)])

async function insertMedia(trx: Transaction<Database>, media: MediaValues) {
  const columns = Object.keys(media).map((column) => sql.ref(column))
  await sql`insert into media (${sql.join(columns)}) values (${sql.join(Object.values(media))}) on conflict do nothing`.execute(trx)
}

/** Changes an upload that is still as it was read; then it is due at this time. */
const change = (trx: Transaction<Database>, upload: Upload, values: Partial<NewRow<'uploads'>>, dueAtMs: number) =>
  trx
    .updateTable('uploads')
    .set({ ...values, due_at_ms: dueAtMs, worker: null })
    .where(isAsRead(upload))
    .executeTakeFirst()
    .then(({ numUpdatedRows }) => numUpdatedRows === 1n)

/** Ends the taking in of an upload. */
export const createEnds = ({ inTransaction, flavour }: SqlDatabase): Pick<Uploads, 'submit' | 'take' | 'succeed' | 'fail' | 'abandon'> => {
  const changeAlone = (upload: Upload, values: Partial<NewRow<'uploads'>>, nowMs: number) =>
    inTransaction(async (trx) => ((await change(trx, upload, values, nowMs)) ? announce(true, UPLOAD_DUE) : unannounced(false)))

  /** Whether an upload is still as it was read, and has its user; both stay until the end of the transaction. */
  const holdBoth = async (trx: Transaction<Database>, upload: Upload) => {
    const found = trx.selectFrom('uploads').select('id').where(isAsRead(upload))
    const held = await found.$if(flavour.locksRows, (query) => query.forUpdate()).executeTakeFirst()
    // Whoever removes the user locks uploads first too. An upload that was created meanwhile is left without one until it expires.
    return held !== undefined && holdUser(trx, flavour, upload.ownerId)
  }

  return {
    submit: (upload, { nowMs, expiresAtMs }) => changeAlone(upload, { state: 'pending', expires_at_ms: expiresAtMs }, nowMs),
    take: (upload, untilMs) => changeAlone(upload, { state: 'in_progress' }, untilMs),
    succeed: (upload, kind, media, nowMs) =>
      inTransaction(async (trx) => {
        const values = { state: 'succeeded', kind: JSON.stringify(kind), progress: 100 } as const
        if (!(await holdBoth(trx, upload))) return unannounced(false)
        await change(trx, upload, values, nowMs)
        await insertMedia(trx, media)
        await addToTotal(trx, upload)
        return announce(true, UPLOAD_DUE)
      }),
    fail: (upload, error, nowMs) => changeAlone(upload, { state: 'failed', error }, nowMs),
    abandon: ({ id }, nowMs) =>
      inTransaction(async (trx) => {
        const changed = trx.updateTable('uploads').set({ state: 'removed', due_at_ms: nowMs, worker: null })
        await changed.where('id', '=', id).where('state', '!=', 'succeeded').execute()
        return announce(undefined, UPLOAD_DUE)
      }),
  }
}
