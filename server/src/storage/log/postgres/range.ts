import type { Pool } from 'pg'
import { type Delivery, RANGE_PAGE_BYTES } from '../../event-log.ts'
import type { DeliveryRow } from '../delivery-row.ts'
import { deliveryOf } from './delivery-of.ts'

const statement = `
  select sequence, event_uuid, event_type, webhook_id, match, content, traceparent, attempts from (
    select *, sum(octet_length(content)) over (order by sequence rows between unbounded preceding and 1 preceding) as earlier from (
      select e.sequence, e.event_uuid, e.event_type, d.webhook_id, e.targets ->> d.webhook_id as match, e.content, e.traceparent,
        (select count(*) from log_attempt a where a.sequence = d.sequence and a.webhook_id = d.webhook_id and a.origin = '') as attempts
      from log_delivery d join log_event e on e.sequence = d.sequence
      where d.webhook_id = $1 and d.sequence > $2 and d.sequence < $3 and e.targets ->> d.webhook_id is not null order by d.sequence limit $4
    ) found
  ) page where coalesce(earlier, 0) < ${RANGE_PAGE_BYTES} order by sequence`

export interface Range {
  webhookId: string
  after: number
  before: number
  limit: number
}

/** A page of the deliveries of a webhook with a sequence number in (after, before), whatever their state, oldest first. */
export async function readRange(pool: Pool, { webhookId, after, before, limit }: Range): Promise<Delivery[]> {
  const { rows } = await pool.query<DeliveryRow<Buffer>>({ name: 'log-range', text: statement, values: [webhookId, after, before, limit] })
  return rows.map(deliveryOf)
}

const counting = `select count(*) as count from (
    select 1 from log_delivery where webhook_id = $1 and sequence > $2 and sequence < $3 order by sequence limit $4) found`

/** How many deliveries a range has, counted up to its limit. */
export async function countRange(pool: Pool, { webhookId, after, before, limit }: Range): Promise<number> {
  const { rows } = await pool.query<{ count: number }>({
    name: 'log-count-range',
    text: counting,
    values: [webhookId, after, before, limit],
  })
  return rows[0]!.count
}
