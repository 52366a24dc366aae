import type { DatabaseSync } from 'node:sqlite'
import type { DueRetries } from '../../event-log.ts'
import { MOST_ATTEMPTS, UNREADABLE } from '../ack.ts'
import type { DeliveryRow } from '../delivery-row.ts'
import type { IndexRuns } from './index-runs.ts'
import { type PackedDeliveries, packDeliveries } from './pack-deliveries.ts'
import { transaction } from './transaction.ts'

const columns = 't.sequence, e.event_uuid, e.event_type, t.webhook_id, t.match, e.content'

/** It has an attempt that no replay made: it is acknowledged, or has a retry row. */
const wasTried = `exists (select 1 from attempt a where a.sequence = t.sequence and a.webhook_id = t.webhook_id and a.origin = '')`

const ofWebhook = `delivery d cross join target t on t.sequence = d.sequence and t.webhook_id = d.webhook_id
  cross join event e on e.sequence = d.sequence`

/** Those with their event, and those whose event is missing. */
const parted = (rows: readonly DeliveryRow[]) =>
  [rows.filter(({ content }) => content !== null), rows.filter(({ content }) => content === null)] as const

/** Everything that reads deliveries with their content. All answers are packed. */
export function createReads(db: DatabaseSync, index: IndexRuns) {
  const waiting = db.prepare(`select ${columns}, 0 as attempts from ${ofWebhook}
    where d.webhook_id = :webhookId and d.sequence > :after and d.sequence not in (select value from json_each(:except)) and not ${wasTried}
    order by d.sequence limit :limit`)
  const untried = db.prepare(`select ${columns}, 0 as attempts from target t cross join event e on e.sequence = t.sequence
    where (t.sequence, t.webhook_id) > (:after, :afterWebhook) and t.sequence <= :upTo
      and t.webhook_id not in (select webhook_id from waiting) and not ${wasTried}
    order by t.sequence, t.webhook_id limit :limit`)
  const ranged = db.prepare(`select ${columns},
      (select count(*) from attempt a where a.sequence = t.sequence and a.webhook_id = t.webhook_id and a.origin = '') as attempts
    from ${ofWebhook} where d.webhook_id = :webhookId and d.sequence > :after and d.sequence < :before order by d.sequence limit :limit`)
  const due = db.prepare(`select r.sequence, r.webhook_id, e.event_uuid, e.event_type, t.match, e.content, r.attempts, r.due_ms from (
      select webhook_id, sequence, due_ms, min(attempts, ${MOST_ATTEMPTS}) as attempts from retry
      where due_ms <= :nowMs and webhook_id not in (select value from json_each(:except))
        and (webhook_id, sequence) not in (select webhook_id, sequence from temp.taken) order by due_ms limit :limit
    ) r left join target t on t.sequence = r.sequence and t.webhook_id = r.webhook_id
    left join event e on e.sequence = t.sequence order by r.due_ms, r.sequence`)
  const dueCount = db.prepare(`select count(*) as count, min(due_ms) as since from (select due_ms from retry
    where due_ms <= :nowMs and (webhook_id, sequence) not in (select webhook_id, sequence from temp.taken) order by due_ms limit :limit)`)
  const take = db.prepare('insert into temp.taken (webhook_id, sequence) values (?, ?)')
  const settleUnreadable = db.prepare(`insert or replace into attempt (sequence, webhook_id, origin, n, at_ms, latency_ms, outcome, error)
    values (?, ?, '', ?, ?, 0, 'not_sent', '${UNREADABLE}')`)
  const deleteRetry = db.prepare('delete from retry where webhook_id = ? and sequence = ?')
  const nextDue = db.prepare(`select min(due_ms, ${Number.MAX_SAFE_INTEGER}) as due_ms from retry
    where webhook_id not in (select value from json_each(:except)) and (webhook_id, sequence) not in (select webhook_id, sequence from temp.taken) order by retry.due_ms limit 1`)

  const rows = (found: unknown[]) => found as DeliveryRow[]

  /** Settles what can never be sent, so that it is not due again. */
  const putAside = ({ sequence, webhook_id, attempts }: DeliveryRow, nowMs: number) => {
    settleUnreadable.run(sequence, webhook_id, Math.min(attempts + 1, MOST_ATTEMPTS), Math.floor(nowMs))
    deleteRetry.run(webhook_id, sequence)
  }

  return {
    /** What waits for a webhook above a number, without the ones that are held. */
    read(query: { webhookId: string; after: number; except: number[]; limit: number }): PackedDeliveries {
      index.finish()
      return packDeliveries(rows(waiting.all({ ...query, except: JSON.stringify(query.except) })))
    },
    /** Never tried, in (after, upTo], of webhooks that have no row: what the watermark covers. */
    scan(query: { after: number; afterWebhook: string; upTo: number; limit: number }): PackedDeliveries {
      return packDeliveries(rows(untried.all(query)))
    },
    range(query: { webhookId: string; after: number; before: number; limit: number }): PackedDeliveries {
      index.finish()
      return packDeliveries(rows(ranged.all(query)))
    },
    takeDue({ except, ...query }: { nowMs: number; limit: number; except: readonly string[] }): PackedDeliveries {
      const [readable, unreadable] = parted(rows(due.all({ ...query, except: JSON.stringify(except) })))
      transaction(db, () => {
        for (const { webhook_id, sequence } of readable) take.run(webhook_id, sequence)
        for (const row of unreadable) putAside(row, query.nowMs)
      })
      return packDeliveries(readable)
    },
    dueRetries(query: { nowMs: number; limit: number }): DueRetries {
      const { count, since } = dueCount.get(query) as { count: number; since: number | null }
      return { count, sinceMs: since ?? undefined }
    },
    nextDueMs: (except: readonly string[]): number | undefined =>
      nextDue.get({ except: JSON.stringify(except) })?.due_ms as number | undefined,
  }
}
