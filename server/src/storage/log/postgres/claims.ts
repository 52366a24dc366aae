import type { Pool } from 'pg'
import type { Delivery } from '../../event-log.ts'
import type { DeliveryRow } from '../delivery-row.ts'
import { deliveryOf } from './delivery-of.ts'
import { alive, type Ownership } from './ownership.ts'

/** Claims the rows of `next` for owner $1 and reads them. Rows that another process is claiming are passed over, never waited for. */
const claim = (next: string, order: string) => `
  with ${alive('$1')}, next as materialized (${next} for update skip locked), claimed as (
    update log_open o set owner = $1 from next where o.sequence = next.sequence and o.webhook_id = next.webhook_id
    returning o.sequence, o.webhook_id, o.due_ms, o.attempts
  )
  select c.sequence, e.event_uuid, e.event_type, c.webhook_id, e.targets ->> c.webhook_id as match, e.content, c.attempts
  from claimed c join log_event e on e.sequence = c.sequence order by ${order}`

const waiting = claim(
  'select sequence, webhook_id from log_open where (select fence from alive) = 1 and webhook_id = $2 and owner is null and due_ms is null order by sequence limit $3',
  'c.sequence',
)

const due = claim(
  'select sequence, webhook_id from log_open where (select fence from alive) = 1 and owner is null and due_ms <= $2 and webhook_id <> all ($4::text[]) order by due_ms, sequence limit $3',
  'c.due_ms, c.sequence',
)

const nextDue = `select due_ms from log_open where owner is null and due_ms is not null and webhook_id <> all ($1::text[]) order by due_ms limit 1`

/** One step along the index for each webhook that has something waiting, however much that is. */
const waitingWebhooks = `
  with recursive step as (
    (select webhook_id from log_open where owner is null and due_ms is null order by webhook_id limit 1)
    union all
    select (select o.webhook_id from log_open o where o.owner is null and o.due_ms is null and o.webhook_id > step.webhook_id
      order by o.webhook_id limit 1) from step where step.webhook_id is not null
  )
  select webhook_id from step where webhook_id is not null`

/**
 * Makes deliveries that nobody holds this process's, so that no two processes ever hold the same one. They are read before the claim
 * is committed: when it is not known whether it was, `doubtful` gets what may have become this process's, to be given back.
 */
export function createClaims(pool: Pool, ownership: Ownership, doubtful: (deliveries: Delivery[]) => void) {
  const claimed = async (name: string, text: string, values: unknown[]): Promise<Delivery[]> => {
    const client = await pool.connect()
    let found: Delivery[] = []
    try {
      await client.query('begin')
      const { rows } = await ownership.guard(() => client.query<DeliveryRow<Buffer>>({ name, text, values: [ownership.id(), ...values] }))
      found = rows.map(deliveryOf)
      await client.query('commit')
      client.release()
      return found
    } catch (error) {
      client.release(true)
      doubtful(found)
      throw error
    }
  }
  return {
    waiting: (webhookId: string, limit: number) => claimed('log-claim-waiting', waiting, [webhookId, limit]),
    due: (nowMs: number, limit: number, except: readonly string[]) => claimed('log-claim-due', due, [nowMs, limit, except]),
    async nextDueMs(except: readonly string[]): Promise<number | undefined> {
      const { rows } = await pool.query({ name: 'log-next-due', text: nextDue, values: [except] })
      return rows[0]?.due_ms
    },
    async waitingWebhooks(): Promise<string[]> {
      const { rows } = await pool.query(waitingWebhooks)
      return rows.map((row) => row.webhook_id)
    },
  }
}
export type Claims = ReturnType<typeof createClaims>
