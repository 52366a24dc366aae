import type { DatabaseSync } from 'node:sqlite'
import { type DueRetries, RANGE_PAGE_BYTES } from '../../event-log.ts'
import { transaction } from '../../files/transaction.ts'
import { MAX_ATTEMPTS, UNREADABLE } from '../ack.ts'
import type { DeliveryRow } from '../delivery-row.ts'
import type { IndexRuns } from './index-runs.ts'
import { type PackedDeliveries, packDeliveries } from './pack-deliveries.ts'

const columns = 't.sequence, e.event_uuid, e.event_type, t.webhook_id, t.match, e.content, e.traceparent'

/** The delivery has an attempt that is not of a replay: it is acknowledged, or has a retry row. */
const wasTried = `exists (select 1 from attempt a where a.sequence = t.sequence and a.webhook_id = t.webhook_id and a.origin = '')`

const ofWebhook = `delivery d cross join target t on t.sequence = d.sequence and t.webhook_id = d.webhook_id
  cross join event e on e.sequence = d.sequence`

/** Splits rows into those with their event and those whose event is missing. */
const splitUnreadable = (rows: readonly DeliveryRow[]) =>
  [rows.filter(({ content }) => content !== null), rows.filter(({ content }) => content === null)] as const

/** With as many retries of skipped webhooks before those of others, webhooks are looked at one by one. */
const LOOKED_AT = 1_000

/** Later than every date. */
const NEVER_MS = 2n ** 63n - 1n

interface RetryKey {
  webhook_id: string
  sequence: number
  due_ms: number
}

/** Retries that this process does not hold, which are due by `untilMs`, without some webhooks. */
interface RetryQuery {
  untilMs: number | bigint
  except: readonly string[]
  limit: number
}

/** Returns the query that finds retries, earliest first. */
function createFindRetries(db: DatabaseSync): (query: RetryQuery) => RetryKey[] {
  const columns = `webhook_id, sequence, min(due_ms, ${Number.MAX_SAFE_INTEGER}) as due_ms`
  const isFree = '(webhook_id, sequence) not in (select webhook_id, sequence from temp.taken)'
  const isWanted = 'webhook_id not in (select value from json_each(:except))'
  const first = db.prepare(`select ${columns} from (select * from retry where due_ms <= :untilMs order by due_ms limit ${LOOKED_AT})
    where ${isWanted} and ${isFree} order by due_ms limit :limit`)
  const firstCount = db.prepare(
    `select count(*) as count from (select 1 from retry where due_ms <= :untilMs order by due_ms limit ${LOOKED_AT})`,
  )
  const webhooks = db.prepare(`
    with recursive step (webhook_id) as (
      select * from (select webhook_id from retry order by webhook_id limit 1)
      union all
      select (select r.webhook_id from retry r where r.webhook_id > step.webhook_id order by r.webhook_id limit 1)
      from step where webhook_id is not null
    )
    select webhook_id from step where webhook_id is not null and ${isWanted}`)
  const retriesOf = db.prepare(`select ${columns} from retry where webhook_id = :webhookId and due_ms <= :untilMs and ${isFree}
    order by retry.due_ms limit :limit`)

  return ({ untilMs, limit, ...query }) => {
    const except = JSON.stringify(query.except)
    const found = first.all({ untilMs, except, limit }) as unknown as RetryKey[]
    if (found.length === limit || firstCount.get({ untilMs })!.count !== LOOKED_AT) return found
    let earliest: RetryKey[] = []
    for (const { webhook_id } of webhooks.all({ except })) {
      const until = earliest.length < limit ? untilMs : earliest.at(-1)!.due_ms
      const more = retriesOf.all({ webhookId: webhook_id!, untilMs: until, limit }) as unknown as RetryKey[]
      earliest = [...earliest, ...more].sort((one, other) => one.due_ms - other.due_ms).slice(0, limit)
    }
    return earliest
  }
}

/** The first rows, up to the one whose content reaches the limit. */
function pageOf(found: Iterable<unknown>): DeliveryRow[] {
  const page: DeliveryRow[] = []
  let bytes = 0
  for (const row of found as Iterable<DeliveryRow>) {
    page.push(row)
    bytes += row.content.length
    if (bytes >= RANGE_PAGE_BYTES) break
  }
  return page
}

/** The queries that return deliveries with their content, packed. */
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
  const rangeCount = db.prepare(`select count(*) as count from (
    select 1 from delivery where webhook_id = :webhookId and sequence > :after and sequence < :before order by sequence limit :limit)`)
  const findRetries = createFindRetries(db)
  const retries =
    db.prepare(`select r.sequence, r.webhook_id, e.event_uuid, e.event_type, t.match, e.content, e.traceparent, r.attempts, r.due_ms from (
      select webhook_id, sequence, due_ms, min(attempts, ${MAX_ATTEMPTS}) as attempts from json_each(:keys) k cross join retry
      on webhook_id = k.value ->> 0 and sequence = k.value ->> 1
    ) r left join target t on t.sequence = r.sequence and t.webhook_id = r.webhook_id
    left join event e on e.sequence = t.sequence order by r.due_ms, r.sequence`)
  const dueCount = db.prepare(`select count(*) as count, min(due_ms) as since from (select due_ms from retry
    where due_ms <= :nowMs and (webhook_id, sequence) not in (select webhook_id, sequence from temp.taken) order by due_ms limit :limit)`)
  const planned = db.prepare('select count(*) as count from (select 1 from retry where due_ms > :fromMs and due_ms <= :toMs limit :limit)')
  const take = db.prepare('insert into temp.taken (webhook_id, sequence) values (?, ?)')
  const markUnreadable = db.prepare(`insert or replace into attempt (sequence, webhook_id, origin, n, at_ms, latency_ms, outcome, error)
    values (?, ?, '', ?, ?, 0, 'not_sent', '${UNREADABLE}')`)
  const deleteRetry = db.prepare('delete from retry where webhook_id = ? and sequence = ?')

  const rows = (found: unknown[]) => found as DeliveryRow[]

  /** Records a delivery that can never be sent as not sent, so that it is not due again. */
  const drop = ({ sequence, webhook_id, attempts }: DeliveryRow, nowMs: number) => {
    markUnreadable.run(sequence, webhook_id, Math.min(attempts + 1, MAX_ATTEMPTS), Math.floor(nowMs))
    deleteRetry.run(webhook_id, sequence)
  }

  return {
    /** Waiting deliveries of a webhook above a sequence number, without those in `except`. */
    read(query: { webhookId: string; after: number; except: number[]; limit: number }): PackedDeliveries {
      index.finish()
      return packDeliveries(pageOf(waiting.iterate({ ...query, except: JSON.stringify(query.except) })))
    },
    /** Deliveries in (after, upTo] that were never tried, of webhooks without a row: those to which the watermark applies. */
    scan(query: { after: number; afterWebhook: string; upTo: number; limit: number }): PackedDeliveries {
      return packDeliveries(rows(untried.all(query)))
    },
    range(query: { webhookId: string; after: number; before: number; limit: number }): PackedDeliveries {
      index.finish()
      return packDeliveries(pageOf(ranged.iterate(query)))
    },
    countRange(query: { webhookId: string; after: number; before: number; limit: number }): number {
      index.finish()
      return rangeCount.get(query)!.count as number
    },
    takeDue({ nowMs, ...query }: { nowMs: number; limit: number; except: readonly string[] }): PackedDeliveries {
      const keys = findRetries({ untilMs: nowMs, ...query }).map(({ webhook_id, sequence }) => [webhook_id, sequence])
      const [readable, unreadable] = splitUnreadable(rows(retries.all({ keys: JSON.stringify(keys) })))
      transaction(db, () => {
        for (const { webhook_id, sequence } of readable) take.run(webhook_id, sequence)
        for (const row of unreadable) drop(row, nowMs)
      })
      return packDeliveries(readable)
    },
    dueRetries(query: { nowMs: number; limit: number }): DueRetries {
      const { count, since } = dueCount.get(query) as { count: number; since: number | null }
      return { count, sinceMs: since ?? undefined }
    },
    plannedRetries: (query: { fromMs: number; toMs: number; limit: number }): number => planned.get(query)!.count as number,
    nextDueMs: (except: readonly string[]): number | undefined => findRetries({ untilMs: NEVER_MS, except, limit: 1 })[0]?.due_ms,
  }
}
