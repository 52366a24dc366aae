import type { ExpressionBuilder } from 'kysely'
import type { EndedState } from '../../event-log.ts'
import type { ResendJob, ResendJobStore } from '../../resend-jobs.ts'
import type { Database, NewRow, Row } from '../schema.ts'
import { announce, type SqlDatabase, unannounced } from '../sql-database.ts'

const fromRow = (row: Row<'resend_jobs'>): ResendJob => ({
  id: row.id,
  appId: row.app_id,
  eventType: row.event_type,
  states: row.states.split(',') as EndedState[],
  fromMs: row.from_ms,
  toMs: row.to_ms,
  state: row.state,
  place: row.place,
  resent: row.resent,
  refused: row.refused,
  createdAtMs: row.created_at_ms,
  finishedAtMs: row.finished_at_ms,
})

const toRow = (job: ResendJob): NewRow<'resend_jobs'> => ({
  id: job.id,
  app_id: job.appId,
  event_type: job.eventType,
  states: job.states.join(','),
  from_ms: job.fromMs,
  to_ms: job.toMs,
  state: job.state,
  place: job.place,
  resent: job.resent,
  refused: job.refused,
  created_at_ms: job.createdAtMs,
  finished_at_ms: job.finishedAtMs,
})

/** Releases the job of a dead process with this worker number. For a process that has just taken the number. */
export const releaseResendJobs = (worker: number) => `update resend_jobs set worker = null where worker = ${worker} and state = 'running'`

/** The condition that this worker has the job, or no worker has. */
const isFreeOr = (worker: number) => (it: ExpressionBuilder<Database, 'resend_jobs'>) =>
  it.or([it('worker', 'is', null), it('worker', '=', worker)])

/** A new job is announced to the processes that may run it; of the rest nothing is, because no process caches jobs. */
export function createResendJobStore({ db, askValue, unannounced: writable, assertWorker, inTransaction }: SqlDatabase): ResendJobStore {
  const running = (id: string) => writable.updateTable('resend_jobs').where('id', '=', id).where('state', '=', 'running')
  /** The running job, unless another worker has it. */
  const own = (worker: number, id: string) => running(id).where(isFreeOr(worker))

  return {
    async byId(id) {
      const row = await db.selectFrom('resend_jobs').selectAll().where('id', '=', id).executeTakeFirst()
      return row && fromRow(row)
    },
    async list(before, limit) {
      const jobs = db
        .selectFrom('resend_jobs')
        .selectAll()
        .$if(before !== null, (query) => query.where('id', '<', before!))
      return (await jobs.orderBy('id', 'desc').limit(limit).execute()).map(fromRow)
    },
    create: (job) =>
      inTransaction(async (trx) => {
        const inserted = trx
          .insertInto('resend_jobs')
          .values(toRow(job))
          .onConflict((conflict) => conflict.doNothing())
        const { numInsertedOrUpdatedRows } = await inserted.executeTakeFirst()
        return numInsertedOrUpdatedRows === 1n ? announce(true, { kind: 'resend', id: job.id }) : unannounced(false)
      }),
    areOpen: async () => Boolean(await askValue(`select exists (select 1 from resend_jobs where state = 'running')`)),
    async claim(worker, livingWorkers, runningIds) {
      await assertWorker()
      // Of two processes at once the second waits for the row, and finds that the other, which is alive, has it.
      const claimed = writable
        .updateTable('resend_jobs')
        .set({ worker })
        .where('state', '=', 'running')
        .where((it) => it.or([isFreeOr(worker)(it), it('worker', 'not in', [...livingWorkers, worker])]))
        .$if(runningIds.length > 0, (query) => query.where('id', 'not in', runningIds))
      return (await claimed.returningAll().execute()).map(fromRow)
    },
    async progress(worker, id, progress) {
      await assertWorker()
      return (await own(worker, id).set(progress).executeTakeFirst()).numUpdatedRows === 1n
    },
    async finish(worker, id, state, progress, atMs) {
      await assertWorker()
      const ended = own(worker, id).set({ ...progress, state, finished_at_ms: atMs })
      return (await ended.executeTakeFirst()).numUpdatedRows === 1n
    },
    async cancel(id, atMs) {
      await assertWorker()
      return (await running(id).set({ state: 'cancelled', finished_at_ms: atMs }).executeTakeFirst()).numUpdatedRows === 1n
    },
  }
}
