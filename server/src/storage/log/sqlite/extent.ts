import type { DatabaseSync } from 'node:sqlite'
import type { ExtentRow } from '../extent.ts'

/** Counts events up to a limit. */
export function createExtent(db: DatabaseSync) {
  const extent = db.prepare('select count(*) as count, min(sequence) as oldest from (select sequence from event order by sequence limit ?)')
  return (limit: number) => extent.get(limit) as unknown as ExtentRow
}
