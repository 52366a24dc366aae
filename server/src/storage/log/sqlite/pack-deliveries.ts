import { publicId } from '../../../lib/ids.ts'
import type { Delivery } from '../../event-log.ts'
import type { DeliveryRow } from '../delivery-row.ts'
import { createPacker, createUnpacker } from './packer.ts'

/** Deliveries packed for transfer from the writer thread. */
export interface PackedDeliveries {
  packed: ArrayBuffer
  count: number
}

export function packDeliveries(rows: readonly DeliveryRow[]): PackedDeliveries {
  const packer = createPacker()
  for (const row of rows) {
    packer.number(row.sequence)
    packer.text(row.event_uuid ?? '')
    packer.text(row.event_type)
    packer.text(row.webhook_id)
    packer.text(row.match)
    packer.bytes(row.content)
    packer.number(row.attempts)
    packer.number(row.due_ms ?? Number.NaN)
    packer.text(row.traceparent ?? '')
  }
  return { packed: packer.packed(), count: rows.length }
}

/** Each content is a copy, so that one held delivery does not keep the whole page in memory. */
export function unpackDeliveries({ packed, count }: PackedDeliveries): Delivery[] {
  const from = createUnpacker(packed)
  return Array.from({ length: count }, () => {
    const sequence = from.number()
    const eventUuid = from.text() || publicId(sequence)
    const delivery = {
      sequence,
      eventUuid,
      eventType: from.text(),
      webhookId: from.text(),
      match: from.text(),
      content: Buffer.from(from.bytes()),
      attempts: from.number(),
    }
    const dueMs = from.number()
    const traceparent = from.text()
    return { ...delivery, ...(!Number.isNaN(dueMs) && { dueMs }), ...(traceparent !== '' && { traceparent }) }
  })
}
