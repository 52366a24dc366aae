import type { DatabaseSync } from 'node:sqlite'
import { type ContentSearch, type ContentSlice, SEARCH_SLICE_BYTES } from '../../event-log.ts'
import { type EventRow, eventOf } from '../event-row.ts'

interface LookedRow extends Omit<EventRow, 'targets' | 'content'> {
  bytes: number
  /** Null where it has not what is looked for. */
  content: Uint8Array | null
}

/** A slice as the writer thread hands it over. */
interface FoundRows {
  rows: Omit<EventRow, 'targets'>[]
  last: number | null
}

/** Looks through the content of the next events below a sequence number, newest first. */
export function createSearch(db: DatabaseSync) {
  const below = db.prepare(`select sequence, event_uuid, event_type, user_id, octet_length(content) as bytes,
      case when instr(content, :bytes) > 0 then content end as content
    from event where sequence >= :from and sequence < :before order by sequence desc limit :looks`)
  return ({ limit, ...search }: ContentSearch): FoundRows => {
    const rows: FoundRows['rows'] = []
    let looked = 0
    let size = 0
    let last: number | null = null
    for (const found of below.iterate({ ...search })) {
      const { bytes, ...row } = found as unknown as LookedRow
      looked += 1
      size += bytes
      last = row.sequence
      if (row.content !== null) rows.push({ ...row, content: row.content })
      if (size >= SEARCH_SLICE_BYTES || rows.length === limit) return { rows, last }
    }
    return { rows, last: looked < search.looks ? null : last }
  }
}

export const unpackFound = ({ rows, last }: FoundRows): ContentSlice => ({
  found: rows.map((row) => eventOf({ ...row, targets: [] })!),
  last,
})
