import type { DatabaseSync } from 'node:sqlite'

/** Reads sizes of audiences. */
export function createSizeReader(db: DatabaseSync) {
  const select =
    db.prepare(`select id, coalesce(sum(change), 0) as size from audience left join size_change on audience = number and at <= ?
    where removed = 0 and id in (select value from json_each(?)) group by number`)
  return (audienceIds: readonly string[], nowMs: number): Map<string, number> => {
    const rows = select.all(Math.floor(nowMs / 1000), JSON.stringify(audienceIds)) as { id: string; size: number }[]
    return new Map(rows.map(({ id, size }) => [id, size]))
  }
}
