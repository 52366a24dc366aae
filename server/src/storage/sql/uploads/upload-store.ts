import { type ExpressionBuilder, sql, type Transaction } from 'kysely'
import type { MediaValues, Segment, Upload, UploadState, Uploads } from '../../uploads.ts'
import { holdNamedLock } from '../advisory-lock.ts'
import { createDueRows, endClaim, isHeld } from '../catalogs/due-rows.ts'
import { isOneOf } from '../catalogs/product-rows.ts'
import type { Flavour } from '../flavour.ts'
import type { Database, NewRow, Row } from '../schema.ts'
import { announce, type Exclusive, type SqlDatabase, unannounced } from '../sql-database.ts'
import { addToTotal, countedBytes, countUploads, newUploadRow, selectUpload, uploadFromRow } from './upload-rows.ts'

/** Whether there is this user, who then stays until the end of the transaction. */
async function holdUser(trx: Transaction<Database>, { locksRows }: Flavour, userId: string): Promise<boolean> {
  const found = trx.selectFrom('users').select('id').where('id', '=', userId)
  return (await found.$if(locksRows, (query) => query.forKeyShare()).executeTakeFirst()) !== undefined
}

/** Announces that uploads are due. */
const UPLOAD_DUE = { kind: 'due', queue: 'uploads' } as const

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
function createReception({
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
const createEnds = ({ inTransaction, flavour }: SqlDatabase): Pick<Uploads, 'submit' | 'take' | 'succeed' | 'fail' | 'abandon'> => {
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

/** Uploads as a queue of work. */
function createUploadWork(
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

export const createUploads = (database: SqlDatabase, worker: number): Uploads => ({
  ...createReception(database),
  ...createEnds(database),
  ...createUploadWork(database, worker),
})
