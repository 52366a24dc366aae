import { publicId } from '../../../lib/ids.ts'
import type { Delivery } from '../../event-log.ts'

/** A delivery as it is read from the tables; the uuid is null when it follows from the sequence number. */
export interface DeliveryRow {
  sequence: number
  event_uuid: string | null
  event_type: string
  webhook_id: string
  match: string
  content: Buffer
  attempts: number
}

export const deliveryOf = (row: DeliveryRow): Delivery => ({
  sequence: row.sequence,
  eventUuid: row.event_uuid ?? publicId(row.sequence),
  eventType: row.event_type,
  webhookId: row.webhook_id,
  match: row.match,
  content: row.content,
  attempts: row.attempts,
})
