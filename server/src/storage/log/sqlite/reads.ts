import type { DatabaseSync } from 'node:sqlite'
import type { DeliveryRow } from '../delivery-row.ts'
import type { IndexRuns } from './index-runs.ts'
import { type PackedDeliveries, packDeliveries } from './pack-deliveries.ts'
import { transaction } from './transaction.ts'

const columns = 't.sequence, e.event_uuid, e.event_type, t.webhook_id, t.match, e.content'

/** It has an attempt that no replay made: it is settled, or has a retry row. */
const wasTried = `exists (select 1 from attempt a where a.sequence = t.sequence and a.webhook_id = t.webhook_id and a.origin = '')`

const ofWebhook = `delivery d cross join target t on t.sequence = d.sequence and t.webhook_id = d.webhook_id
  cross join event e on e.sequence = d.sequence`

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
  const due = db.prepare(`select ${columns}, r.attempts from (
      select * from retry where due_ms <= :nowMs and webhook_id not in (select value from json_each(:except))
        and (webhook_id, sequence) not in (select webhook_id, sequence from temp.taken) order by due_ms limit :limit
    ) r cross join target t on t.sequence = r.sequence and t.webhook_id = r.webhook_id
    cross join event e on e.sequence = r.sequence order by r.due_ms, r.sequence`)
  const take = db.prepare('insert into temp.taken (webhook_id, sequence) values (?, ?)')
  const nextDue = db.prepare(`select due_ms from retry
    where webhook_id not in (select value from json_each(:except))
      and (webhook_id, sequence) not in (select webhook_id, sequence from temp.taken) order by due_ms limit 1`)

  const rows = (found: unknown[]) => found as DeliveryRow[]

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
      const found = rows(due.all({ ...query, except: JSON.stringify(except) }))
      transaction(db, () => {
        for (const row of found) take.run(row.webhook_id, row.sequence)
      })
      return packDeliveries(found)
    },
    nextDueMs: (except: readonly string[]): number | undefined =>
      nextDue.get({ except: JSON.stringify(except) })?.due_ms as number | undefined,
  }
}
