import { momentOf, publicId } from '../../lib/ids.ts'
import type { LoggedEvent } from '../event-log.ts'

/** An event as it is read from the tables; the uuid is null if it is derived from the sequence number. */
export interface EventRow {
  sequence: number
  event_uuid: string | null
  event_type: string
  user_id: string
  content: Uint8Array
  targets: LoggedEvent['targets']
}

export const eventOf = (row: EventRow | undefined): LoggedEvent | undefined =>
  row && {
    sequence: row.sequence,
    eventUuid: row.event_uuid ?? publicId(row.sequence),
    eventType: row.event_type,
    userId: row.user_id,
    acceptedAtMs: momentOf(row.sequence),
    content: Buffer.from(row.content.buffer, row.content.byteOffset, row.content.byteLength),
    targets: row.targets,
  }
