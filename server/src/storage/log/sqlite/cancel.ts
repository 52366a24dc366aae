import type { DatabaseSync } from 'node:sqlite'
import { MAX_ATTEMPTS } from '../ack.ts'
import type { IndexRuns } from './index-runs.ts'
import { transaction } from './transaction.ts'

export interface CancelSlice {
  webhookId: string
  atMs: number
  reason: string
  /** The waiting deliveries: those above `after` without the held ones in `except`. Undefined if the webhook is not parked. */
  waiting: { after: number; except: number[] } | undefined
  limit: number
}

/** Records deliveries of a webhook that are not held as not sent: up to `limit` retrying and `limit` waiting ones. Returns how many. */
export function createCancel(db: DatabaseSync, index: IndexRuns) {
  const cancelRetries = db.prepare(`insert or replace into attempt (sequence, webhook_id, origin, n, at_ms, latency_ms, outcome, error)
    select sequence, webhook_id, '', min(attempts + 1, ${MAX_ATTEMPTS}), :atMs, 0, 'not_sent', :reason from retry
    where webhook_id = :webhookId and sequence not in (select sequence from temp.taken where webhook_id = :webhookId)
    order by sequence limit :limit`)
  const deleteRetries = db.prepare(`delete from retry where webhook_id = :webhookId and sequence in (select sequence from retry
    where webhook_id = :webhookId and sequence not in (select sequence from temp.taken where webhook_id = :webhookId)
    order by sequence limit :limit)`)
  const cancelWaiting = db.prepare(`insert into attempt (sequence, webhook_id, origin, n, at_ms, latency_ms, outcome, error)
    select sequence, webhook_id, '', 1, :atMs, 0, 'not_sent', :reason from delivery d
    where webhook_id = :webhookId and sequence > :after and sequence not in (select value from json_each(:except))
      and not exists (select 1 from attempt a where a.sequence = d.sequence and a.webhook_id = d.webhook_id and a.origin = '')
    order by sequence limit :limit`)

  return ({ webhookId, atMs, reason, waiting, limit }: CancelSlice): number => {
    if (waiting) index.finish()
    return transaction(db, () => {
      cancelRetries.run({ webhookId, atMs, reason, limit })
      const retries = Number(deleteRetries.run({ webhookId, limit }).changes)
      if (!waiting) return retries
      const { after } = waiting
      const cancelled = cancelWaiting.run({ webhookId, atMs, reason, limit, after, except: JSON.stringify(waiting.except) })
      return retries + Number(cancelled.changes)
    })
  }
}
