import { publicId } from '../../../lib/ids.ts'
import type { Delivery } from '../../event-log.ts'
import type { DeliveryRow } from '../delivery-row.ts'

export const deliveryOf = (row: DeliveryRow<Buffer>): Delivery => ({
  sequence: row.sequence,
  eventUuid: row.event_uuid ?? publicId(row.sequence),
  eventType: row.event_type,
  webhookId: row.webhook_id,
  match: row.match,
  content: row.content,
  attempts: row.attempts,
  ...(typeof row.due_ms === 'number' && { dueMs: row.due_ms }),
  ...(row.traceparent !== null && { traceparent: row.traceparent }),
})

/** The targets of a row of log_event; a damaged row has none. */
export const targetsOf = (row: string) => `case when jsonb_typeof(${row}.targets) = 'object' then ${row}.targets else '{}' end`
