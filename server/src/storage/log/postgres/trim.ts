import type { Pool } from 'pg'
import type { Trimmed, TrimSlice } from '../trim-in-slices.ts'
import { targetsOf } from './delivery-of.ts'
import { inTransaction, planKeysOnly } from './transaction.ts'

const pick = 'select sequence from log_event where sequence > $1 and sequence < $2 order by sequence limit $3'

const pickOf = `select sequence from log_event
  where sequence > $1 and sequence < $2 and user_id = any ($4::text[]) order by sequence limit $3`

const statement = `
  with gone as (
    delete from log_event e where e.sequence = any ($1::bigint[]) and not exists (select 1 from log_open o where o.sequence = e.sequence)
    returning e.sequence, e.targets
  ), indexed as (
    delete from log_delivery d using gone cross join lateral jsonb_object_keys(${targetsOf('gone')}) as target (webhook_id)
    where d.webhook_id = target.webhook_id and d.sequence = gone.sequence
  ), streamed as (
    delete from log_stream s using gone where s.sequence = gone.sequence
  ), attempts as (
    delete from log_attempt a using gone where a.sequence = gone.sequence
  )
  select count(*) as deleted from gone`

/** Deletes, of the next `limit` events in (after, before), those without an open delivery. */
export const trimSlice = (pool: Pool, { after, before, limit, userIds }: TrimSlice): Promise<Trimmed> =>
  inTransaction(pool, async (client) => {
    const picked = userIds
      ? await client.query(pickOf, [after, before, limit, userIds])
      : await client.query({ name: 'log-pick-old', text: pick, values: [after, before, limit] })
    const old = picked.rows.map(({ sequence }): number => sequence)
    if (old.length === 0) return { deleted: 0, last: null }
    await planKeysOnly(client)
    const { rows } = await client.query({ name: 'log-trim', text: statement, values: [old] })
    return { deleted: rows[0].deleted, last: old.at(-1)! }
  })
