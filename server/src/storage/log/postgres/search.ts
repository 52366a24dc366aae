import type { Pool } from 'pg'
import { type ContentSearch, type ContentSlice, SEARCH_SLICE_BYTES } from '../../event-log.ts'
import { type EventRow, eventOf } from '../event-row.ts'

const statement = `
  with looked as materialized (
    select sequence from (
      select sequence, sum(octet_length(content)) over (order by sequence desc rows between unbounded preceding and 1 preceding) as newer
      from (select sequence, content from log_event where sequence >= $2 and sequence < $3 order by sequence desc limit $4) next
    ) sized where coalesce(newer, 0) < ${SEARCH_SLICE_BYTES}
  ), found as (
    select e.sequence, e.event_uuid, e.event_type, e.user_id, e.content from looked join log_event e using (sequence)
    where position($1::bytea in e.content) > 0 order by sequence desc limit $5
  )
  select s.looked, s.last, f.* from (select count(*) as looked, min(sequence) as last from looked) s left join found f on true
  order by f.sequence desc`

interface Row extends Omit<EventRow, 'targets' | 'sequence'> {
  /** How many events were looked at, and the oldest of them. */
  looked: number
  last: number | null
  /** Null where none of them has the bytes. */
  sequence: number | null
}

/** Looks through the content of the next events below a sequence number, newest first. */
export async function searchSlice(pool: Pool, { bytes, from, before, looks, limit }: ContentSearch): Promise<ContentSlice> {
  const { rows } = await pool.query<Row>({ name: 'log-search', text: statement, values: [bytes, from, before, looks, limit] })
  const { looked, last } = rows[0]!
  const found = rows.flatMap((row) => (row.sequence === null ? [] : [eventOf({ ...row, sequence: row.sequence, targets: [] })!]))
  if (found.length === limit) return { found, last: found.at(-1)!.sequence }
  return { found, last: looked === 0 ? null : last }
}
