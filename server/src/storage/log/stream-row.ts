/** An entry of a stream as it is read from the tables; the uuid is null if it is derived from the sequence number. */
export interface StreamRow<Content extends Uint8Array = Uint8Array> {
  sequence: number
  event_uuid: string | null
  event_type: string
  user_id: string
  match: string
  content: Content
}
