import type { Pool } from 'pg'

/** A commit of which it is not known whether it was made. */
export interface InDoubt {
  sequences: number[]
  /** The registration under which they were written. */
  owner: number
}

const statementUnderWay = 'select 1 from log_owner where id = $1 for update'

const resolve = `
  with taken_back as (
    delete from log_event where sequence = any ($1::bigint[]) and event_uuid is null returning sequence, targets
  ), indexed as (
    delete from log_delivery d using taken_back t cross join lateral jsonb_object_keys(t.targets) as w (id)
    where d.webhook_id = w.id and d.sequence = t.sequence
  ), attempts as (
    delete from log_attempt a using taken_back t where a.sequence = t.sequence
  ), opened as (
    delete from log_open o using taken_back t where o.sequence = t.sequence
  )
  update log_open set owner = null
  where sequence = any ($1::bigint[]) and owner = $2 and sequence not in (select sequence from taken_back)`

/**
 * Events whose commit broke off: whether it was made is not known, and their producers were told that it was not. One whose uuid the
 * producer gave stays if it is there, because it may have been sent again and accepted meanwhile, by any process; its deliveries
 * belong to nobody then. Any other is taken back. Once the registration is gone the numbers may be those of another process's events,
 * and what was committed under it is taken over like all that it held. True when there is something that nobody holds.
 */
export async function resolveInDoubt(pool: Pool, { sequences, owner }: InDoubt): Promise<boolean> {
  const registration = await pool.query(statementUnderWay, [owner])
  if (registration.rowCount === 0) return false
  const { rowCount } = await pool.query(resolve, [sequences, owner])
  return rowCount !== 0
}
