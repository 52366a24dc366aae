import type { Pool } from 'pg'
import type { Trimmed, TrimSlice } from '../trim-in-slices.ts'
import { targetsOf } from './schema.ts'

const statement = `
  with old as materialized (
    select sequence from log_event where sequence > $1 and sequence < $2 order by sequence limit $3
  ), gone as (
    delete from log_event e using old
    where e.sequence = old.sequence and not exists (select 1 from log_open o where o.sequence = e.sequence)
    returning e.sequence, e.targets
  ), indexed as (
    delete from log_delivery d using gone cross join lateral jsonb_object_keys(${targetsOf('gone')}) as target (webhook_id)
    where d.webhook_id = target.webhook_id and d.sequence = gone.sequence
  ), attempts as (
    delete from log_attempt a using gone where a.sequence = gone.sequence
  )
  select (select count(*) from gone) as deleted, (select max(sequence) from old) as last`

/** Deletes, of the next `limit` events in (after, before), those without an open delivery. */
export async function trimSlice(pool: Pool, { after, before, limit }: TrimSlice): Promise<Trimmed> {
  const { rows } = await pool.query({ name: 'log-trim', text: statement, values: [after, before, limit] })
  return rows[0]
}
