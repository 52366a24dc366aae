import type { DatabaseSync } from 'node:sqlite'
import type { ExtentRow } from '../extent.ts'

interface Slice extends ExtentRow {
  newest: number | null
}

/** Counts events after a sequence number, up to a limit. */
export function createExtent(db: DatabaseSync) {
  const extent = db.prepare(`select count(*) as count, min(sequence) as oldest, max(sequence) as newest
    from (select sequence from event where sequence > :after order by sequence limit :limit)`)
  return (slice: { after: number; limit: number }) => extent.get(slice) as unknown as Slice
}
