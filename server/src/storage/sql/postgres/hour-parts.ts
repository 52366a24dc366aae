import type { Pool } from 'pg'
import type { HourPart, HourParts } from '../../hour-parts.ts'

const SAVE = `
  with ended as (delete from hour_parts where bucket < $6)
  insert into hour_parts (process, worker, since_ms, bucket, counts) values ($1, $2, $3, $4, $5) on conflict do nothing`

const SINCE = 'select process, worker, since_ms, bucket, counts from hour_parts where bucket >= $1 order by process, bucket'

type PartRow = Omit<HourPart, 'sinceMs' | 'rows'> & { since_ms: number; counts: string }

function readRows(text: string): unknown[] {
  const rows: unknown = JSON.parse(text)
  return Array.isArray(rows) ? rows : []
}

/** The parts as rows of a table, one a minute of each process that counted something. `unsynced` does not wait for the disk. */
export const createHourParts = (pool: Pool, unsynced: Pool): HourParts => ({
  async save({ process, worker, sinceMs, bucket, rows }, oldest) {
    await unsynced.query(SAVE, [process, worker, Math.floor(sinceMs), bucket, JSON.stringify(rows), oldest])
  },
  async since(oldest) {
    const { rows } = await pool.query<PartRow>(SINCE, [oldest])
    return rows.map(({ since_ms, counts, ...part }) => ({ ...part, sinceMs: since_ms, rows: readRows(counts) }))
  },
})
