import type { Pool } from 'pg'
import type { Delivery } from '../../event-log.ts'
import { type DeliveryRow, deliveryOf } from './delivery-row.ts'

/** Claims the rows of `next` for worker $1 and reads them. Rows that another process is claiming are passed over, never waited for. */
const claim = (next: string, order: string) => `
  with next as materialized (${next} for update skip locked), claimed as (
    update log_open o set owner = $1 from next where o.sequence = next.sequence and o.webhook_id = next.webhook_id
    returning o.sequence, o.webhook_id, o.due_ms, o.attempts
  )
  select c.sequence, e.event_uuid, e.event_type, c.webhook_id, e.targets ->> c.webhook_id as match, e.content, c.attempts
  from claimed c join log_event e on e.sequence = c.sequence order by ${order}`

const waiting = claim(
  'select sequence, webhook_id from log_open where webhook_id = $2 and owner is null and due_ms is null order by sequence limit $3',
  'c.sequence',
)

const due = claim(
  'select sequence, webhook_id from log_open where owner is null and due_ms <= $2 order by due_ms, sequence limit $3',
  'c.due_ms, c.sequence',
)

const nextDue = `select due_ms from log_open where owner is null and due_ms is not null order by due_ms limit 1`

/** One step along the index for each webhook that has something waiting, however much that is. */
const waitingWebhooks = `
  with recursive step as (
    (select webhook_id from log_open where owner is null and due_ms is null order by webhook_id limit 1)
    union all
    select (select o.webhook_id from log_open o where o.owner is null and o.due_ms is null and o.webhook_id > step.webhook_id
      order by o.webhook_id limit 1) from step where step.webhook_id is not null
  )
  select webhook_id from step where webhook_id is not null`

/** Makes deliveries that nobody holds this worker's, so that no two processes ever hold the same one. */
export function createClaims(pool: Pool, worker: number) {
  const claimed = async (name: string, text: string, values: unknown[]): Promise<Delivery[]> => {
    const { rows } = await pool.query<DeliveryRow>({ name, text, values: [worker, ...values] })
    return rows.map(deliveryOf)
  }
  return {
    waiting: (webhookId: string, limit: number) => claimed('log-claim-waiting', waiting, [webhookId, limit]),
    due: (nowMs: number, limit: number) => claimed('log-claim-due', due, [nowMs, limit]),
    async nextDueMs(): Promise<number | undefined> {
      const { rows } = await pool.query({ name: 'log-next-due', text: nextDue })
      return rows[0]?.due_ms
    },
    async waitingWebhooks(): Promise<string[]> {
      const { rows } = await pool.query(waitingWebhooks)
      return rows.map((row) => row.webhook_id)
    },
    /** Gives back what a worker held: everything of it up to `upTo`. */
    async release(owner: number, upTo: number) {
      await pool.query('update log_open set owner = null where owner = $1 and sequence <= $2', [owner, upTo])
    },
    /** Each worker that holds something, with the newest sequence number it holds. */
    async owners(): Promise<{ owner: number; newest: number }[]> {
      const { rows } = await pool.query('select owner, max(sequence) as newest from log_open where owner is not null group by owner')
      return rows
    },
  }
}
export type Claims = ReturnType<typeof createClaims>
