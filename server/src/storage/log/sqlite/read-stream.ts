import type { DatabaseSync } from 'node:sqlite'
import { publicId } from '../../../lib/ids.ts'
import { STREAM_PAGE_BYTES, type StreamEntry, type StreamRange } from '../../event-log.ts'
import type { StreamRow } from '../stream-row.ts'
import { createPacker, createUnpacker } from './packer.ts'

/** Entries of one app's stream, packed for transfer from the writer thread. */
export interface PackedEntries {
  packed: ArrayBuffer
  count: number
}

const statement = `
  select s.sequence, e.event_uuid, e.event_type, e.user_id, s.match, e.content
  from stream s cross join event e on e.sequence = s.sequence
  where s.app_id = :appId and s.sequence > :after and s.sequence < :before order by s.sequence limit :limit`

/** Reads entries of an app's stream, oldest first: those that fit into a page, and at least one. */
export function createReadStream(db: DatabaseSync) {
  const entries = db.prepare(statement)
  return (range: StreamRange): PackedEntries => {
    const packer = createPacker()
    let count = 0
    let bytes = 0
    for (const found of entries.iterate({ ...range })) {
      const row = found as unknown as StreamRow
      packer.number(row.sequence)
      packer.text(row.event_uuid ?? '')
      packer.text(row.event_type)
      packer.text(row.user_id)
      packer.text(row.match)
      packer.bytes(row.content)
      count += 1
      bytes += row.content.length
      if (bytes >= STREAM_PAGE_BYTES) break
    }
    return { packed: packer.packed(), count }
  }
}

/** Each content is a copy, so that one entry does not keep the whole page in memory. */
export function unpackEntries({ packed, count }: PackedEntries, appId: string): StreamEntry[] {
  const from = createUnpacker(packed)
  return Array.from({ length: count }, () => {
    const sequence = from.number()
    const eventUuid = from.text() || publicId(sequence)
    const event = { eventType: from.text(), userId: from.text(), match: from.text(), content: Buffer.from(from.bytes()) }
    return { sequence, eventUuid, appId, ...event }
  })
}
