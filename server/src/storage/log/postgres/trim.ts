import type { Pool } from 'pg'
import { eventsOfSlice, type Trimmed, type TrimSlice } from '../trim-in-slices.ts'
import { targetsOf } from './delivery-of.ts'
import { inTransaction, planKeysOnly } from './transaction.ts'

/** Whoever opens a delivery again locks its event too. So the statement that deletes sees what was opened before, and nothing is opened after. */
const pickWhere = (condition: string) => `
  select sequence, (select count(*) from jsonb_object_keys(${targetsOf('log_event')})) as deliveries from log_event
  where sequence > $1 and sequence < $2 ${condition} order by sequence limit $3 for update`

const pick = pickWhere('')

const pickOf = pickWhere('and user_id = any ($4::text[])')

/** The keys of `log_delivery` are listed first: joined with the events alone, its whole index was read once for each event. */
export const trimStatement = `
  with gone as (
    delete from log_event e where e.sequence = any ($1::bigint[]) and not exists (select 1 from log_open o where o.sequence = e.sequence)
    returning e.sequence, e.targets
  ), target as materialized (
    select key collate "C" as webhook_id, gone.sequence from gone cross join lateral jsonb_object_keys(${targetsOf('gone')}) as key
  ), indexed as (
    delete from log_delivery d using target where d.webhook_id = target.webhook_id and d.sequence = target.sequence
  ), streamed as (
    delete from log_stream s using gone where s.sequence = gone.sequence
  ), attempts as (
    delete from log_attempt a using gone where a.sequence = gone.sequence
  )
  select count(*) as deleted from gone`

/** Deletes, of the next events in (after, before) that are one slice, those without an open delivery. */
export const trimSlice = (pool: Pool, { after, before, limit, userIds }: TrimSlice): Promise<Trimmed> =>
  inTransaction(pool, async (client) => {
    // What a power failure brings back is trimmed again.
    await client.query('set local synchronous_commit = off')
    const picked = userIds
      ? await client.query(pickOf, [after, before, limit, userIds])
      : await client.query({ name: 'log-pick-old', text: pick, values: [after, before, limit] })
    const old = eventsOfSlice(picked.rows)
    if (old.length === 0) return { deleted: 0, last: null }
    await planKeysOnly(client)
    const { rows } = await client.query({ name: 'log-trim', text: trimStatement, values: [old] })
    return { deleted: rows[0].deleted, last: old.at(-1)! }
  })
