import type { ExpressionBuilder, Kysely } from 'kysely'
import type { Claim, DueWork, WorkQueue } from '../../due-work.ts'
import type { Database } from '../schema.ts'
import { type SqlDatabase, unannounced } from '../sql-database.ts'

const keys = {
  product_sets: 'id',
  product_catalogs: 'id',
  scheduled_feeds: 'id',
  image_checks: 'url_sha256',
  uploads: 'id',
  scheduled_posts: 'id',
  outbox: 'event_uuid',
} as const satisfies Record<WorkQueue, string>

/** The tables that are queues of work. */
export const queues: readonly string[] = Object.keys(keys)

/** The tables have these columns in common; the key is renamed in the query. */
type Due = 'product_sets'

const asDue = (queue: WorkQueue) => queue as Due
const keyOf = (queue: WorkQueue) => keys[queue] as 'id'

/** Makes the claims of a dead process with this worker number due again. For a process that has just taken the number. */
export const releaseClaims = (worker: number): string[] =>
  queues.map((queue) => `update ${queue} set due_at_ms = 0, worker = null where due_at_ms is not null and worker = ${worker}`)

/** The condition that a claim still holds: nobody else has claimed the row since. */
export const isHeld =
  (queue: WorkQueue, { id, untilMs }: Claim, worker: number) =>
  (it: ExpressionBuilder<Database, Due>) =>
    it.and([it(keyOf(queue), '=', id), it('due_at_ms', '=', untilMs), it('worker', '=', worker)])

/** Ends a claim with these values; they are not written if it has been lost. */
export async function endClaim(
  db: Kysely<Database>,
  queue: WorkQueue,
  claim: Claim,
  worker: number,
  values: { due_at_ms: number | null },
): Promise<boolean> {
  const ended = db
    .updateTable(asDue(queue))
    .set({ ...values, worker: null })
    .where(isHeld(queue, claim, worker))
  return (await ended.executeTakeFirst()).numUpdatedRows === 1n
}

/** The rows of a table as a queue of work. */
export function createDueRows(database: SqlDatabase, queue: WorkQueue, worker: number): DueWork {
  const { db, askValue, unannounced: writable, flavour, inTransaction } = database
  const key = keyOf(queue)
  const dueRows = (on: Pick<Kysely<Database>, 'selectFrom'>, nowMs: number, limit: number, except: readonly string[]) =>
    on
      .selectFrom(asDue(queue))
      .select(key)
      .where('due_at_ms', '<=', nowMs)
      .$if(except.length > 0, (query) => query.where(key, 'not in', except))
      .orderBy('due_at_ms')
      .orderBy(key)
      .limit(limit)
  return {
    claim: (nowMs, untilMs, limit, except) =>
      inTransaction(async (trx) => {
        const due = await dueRows(trx, nowMs, limit, except)
          .$if(flavour.locksRows, (query) => query.forUpdate().skipLocked())
          .execute()
        if (due.length === 0) return unannounced([])
        const ids = due.map((row) => row[key])
        await trx.updateTable(asDue(queue)).set({ due_at_ms: untilMs, worker }).where(key, 'in', ids).execute()
        return unannounced(ids.map((id) => ({ id, untilMs })))
      }),
    async renew(claim, untilMs) {
      const renewed = writable
        .updateTable(asDue(queue))
        .set({ due_at_ms: untilMs })
        .where(isHeld(queue, claim, worker))
      return (await renewed.executeTakeFirst()).numUpdatedRows === 1n ? Object.assign(claim, { untilMs }) : undefined
    },
    async nextDueMs(except) {
      if (except.length === 0)
        return (await askValue<number | null>(`select min(due_at_ms) from ${queue} where due_at_ms is not null`)) ?? undefined
      const earliest = db
        .selectFrom(asDue(queue))
        .select((it) => it.fn.min('due_at_ms').as('at'))
        .where('due_at_ms', 'is not', null)
        .where(key, 'not in', except)
      return (await earliest.executeTakeFirst())?.at ?? undefined
    },
  }
}
