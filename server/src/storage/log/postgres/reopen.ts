import type { Pool } from 'pg'
import { MAX_ATTEMPTS } from '../ack.ts'
import type { ReopenedSlice, ReopenSlice } from '../reopen-walk.ts'

/**
 * A delivery without a row in log_open has ended if it has an attempt of its own. Whoever opens the same one at the same time finds the
 * row of the first. The events are locked, so that a trim either sees the open delivery or has deleted the event.
 */
const statement = `
  with looked as materialized (
    select sequence from log_delivery where webhook_id = $1 and sequence > $2 and sequence < $3 order by sequence limit $4
  ), ended as materialized (
    select l.sequence, a.n from looked l cross join lateral (
      select n, outcome from log_attempt where sequence = l.sequence and webhook_id = $1 and origin = '' order by n desc limit 1
    ) a
    where case a.outcome when 'failed' then 'given_up' else a.outcome end = any ($5::text[])
      and ($8::text is null or exists (select 1 from log_event e where e.sequence = l.sequence and e.event_type = $8))
      and not exists (select 1 from log_open o where o.sequence = l.sequence and o.webhook_id = $1)
    order by l.sequence limit $6
  ), locked as materialized (
    select ended.sequence, n from ended cross join lateral (
      select 1 from log_event where sequence = ended.sequence limit 1 for key share
    ) event where not $9::boolean
  ), opened as (
    insert into log_open (sequence, webhook_id, due_ms, attempts) select sequence, $1, $7, least(n, ${MAX_ATTEMPTS}) from locked
    on conflict do nothing returning sequence
  )
  select case when $9::boolean then (select count(*) from ended) else (select count(*) from opened) end as count, (select count(*) from looked) as looked, (select max(sequence) from looked) as last_looked,
    (select count(*) from ended) as ended, (select max(sequence) from ended) as last_ended`

interface Row {
  count: number
  looked: number
  last_looked: number | null
  ended: number
  last_ended: number | null
}

/** Makes the next deliveries that have ended due again, or counts them. */
export async function reopenSlice(pool: Pool, slice: ReopenSlice): Promise<ReopenedSlice> {
  const { webhookId, after, before, looks, states, eventType = null, isDryRun = false, limit, dueMs } = slice
  const values = [webhookId, after, before, looks, states, limit, Math.floor(dueMs), eventType, isDryRun]
  const { rows } = await pool.query<Row>({ name: 'log-reopen', text: statement, values })
  const { count, looked, last_looked, ended, last_ended } = rows[0]!
  if (ended === limit) return { count, last: last_ended }
  return { count, last: looked < looks ? null : last_looked }
}
