import { type ExpressionBuilder, sql } from 'kysely'
import type { ReplayJob, ReplayJobStore } from '../../replay-jobs.ts'
import type { Database, NewRow, Row } from '../schema.ts'
import { announce, type SqlDatabase, unannounced } from '../sql-database.ts'
import { lockApp } from './app-store.ts'

const fromRow = (row: Row<'replay_jobs'>): ReplayJob => ({
  id: row.id,
  appId: row.app_id,
  webhookId: row.webhook_id,
  fromMs: row.from_ms,
  toMs: row.to_ms,
  state: row.state,
  position: Math.min(row.position, Number.MAX_SAFE_INTEGER),
  delivered: row.delivered,
  failed: row.failed,
  createdBy: row.created_by,
  createdAtMs: row.created_at_ms,
  finishedAtMs: row.finished_at_ms,
  reported: Boolean(row.reported),
})

const toRow = (job: ReplayJob): NewRow<'replay_jobs'> => ({
  id: job.id,
  app_id: job.appId,
  webhook_id: job.webhookId,
  from_ms: job.fromMs,
  to_ms: job.toMs,
  state: job.state,
  position: job.position,
  delivered: job.delivered,
  failed: job.failed,
  created_by: job.createdBy,
  created_at_ms: job.createdAtMs,
  finished_at_ms: job.finishedAtMs,
  reported: job.reported,
})

/** Releases the unfinished jobs of a dead process with this worker number. For a process that has just taken the number. */
export const releaseReplayJobs = (worker: number) => `update replay_jobs set worker = null where worker = ${worker} and reported = false`

/** The condition that this worker has the job, or no worker has. */
const isFreeOr = (worker: number) => (it: ExpressionBuilder<Database, 'replay_jobs'>) =>
  it.or([it('worker', 'is', null), it('worker', '=', worker)])

export function createReplayJobStore({
  db,
  askValue,
  unannounced: writable,
  flavour,
  assertWorker,
  inTransaction,
  inExclusiveTransaction,
}: SqlDatabase): ReplayJobStore {
  const create: ReplayJobStore['create'] = (job) =>
    inExclusiveTransaction(lockApp(flavour, job.appId), async (trx) => {
      const webhook = trx.selectFrom('webhooks').select('id').where('id', '=', job.webhookId).where('app_id', '=', job.appId)
      if (!(await webhook.executeTakeFirst())) return unannounced('no-webhook')
      const result = await trx
        .insertInto('replay_jobs')
        .values(toRow(job))
        .onConflict((conflict) => conflict.column('webhook_id').where('state', '=', sql.lit('running')).doNothing())
        .executeTakeFirst()
      if (result.numInsertedOrUpdatedRows !== 1n) return unannounced('conflict')
      return announce('created', { kind: 'replay', id: job.id })
    })

  const claim: ReplayJobStore['claim'] = (worker, livingWorkers, running) =>
    inTransaction(async (trx) => {
      const jobs = await trx
        .selectFrom('replay_jobs')
        .selectAll()
        .where('reported', '=', sql.lit(false))
        .where((it) => it.or([isFreeOr(worker)(it), it('worker', 'not in', [...livingWorkers, worker])]))
        .$if(running.length > 0, (query) => query.where('id', 'not in', running))
        .orderBy('created_at_ms')
        .orderBy('id')
        .$if(flavour.locksRows, (query) => query.forUpdate().skipLocked())
        .execute()
      if (jobs.length === 0) return unannounced([])
      const ids = jobs.map((row) => row.id)
      await trx.updateTable('replay_jobs').set({ worker }).where('id', 'in', ids).execute()
      return unannounced(jobs.map(fromRow))
    })

  return {
    async byId(id) {
      const row = await db.selectFrom('replay_jobs').selectAll().where('id', '=', id).executeTakeFirst()
      return row && fromRow(row)
    },
    async list(before, limit, appId) {
      const jobs = db
        .selectFrom('replay_jobs')
        .selectAll()
        .$if(appId !== undefined, (query) => query.where('app_id', '=', appId!))
        .$if(before !== null, (query) => query.where('id', '<', before!))
      return (await jobs.orderBy('id', 'desc').limit(limit).execute()).map(fromRow)
    },
    create,
    areOpen: async () => Boolean(await askValue('select exists (select 1 from replay_jobs where reported = false)')),
    claim,
    async progress(worker, id, { position, delivered, failed }) {
      await assertWorker()
      const set = { position, delivered, failed }
      const running = writable
        .updateTable('replay_jobs')
        .set(set)
        .where('id', '=', id)
        .where('state', '=', 'running')
        .where(isFreeOr(worker))
      return (await running.executeTakeFirst()).numUpdatedRows === 1n
    },
    finish: (worker, id, state, { position, delivered, failed }, atMs) =>
      inTransaction(async (trx) => {
        const set = { state, position, delivered, failed, finished_at_ms: atMs }
        const running = trx.updateTable('replay_jobs').set(set).where('id', '=', id).where('state', '=', 'running').where(isFreeOr(worker))
        const { numUpdatedRows } = await running.executeTakeFirst()
        return numUpdatedRows === 0n ? unannounced(false) : announce(true, { kind: 'replay', id })
      }),
    cancel: (id, atMs) =>
      inTransaction(async (trx) => {
        const set = { state: 'cancelled' as const, finished_at_ms: atMs, reported: true }
        const running = trx.updateTable('replay_jobs').set(set).where('id', '=', id).where('state', '=', 'running')
        const { numUpdatedRows } = await running.executeTakeFirst()
        return numUpdatedRows === 0n ? unannounced(false) : announce(true, { kind: 'replay', id })
      }),
    async setReported(id) {
      await writable.updateTable('replay_jobs').set({ reported: true }).where('id', '=', id).execute()
    },
  }
}
