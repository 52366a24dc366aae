/** A delivery as it is read from the tables; the uuid is null if it is derived from the sequence number. */
export interface DeliveryRow<Content extends Uint8Array = Uint8Array> {
  sequence: number
  event_uuid: string | null
  event_type: string
  webhook_id: string
  match: string
  content: Content
  attempts: number
  /** Of an event that somebody traces. */
  traceparent: string | null
  /** Of a retry that was due. */
  due_ms?: number | null
}
