import type { Pool } from 'pg'

/** A commit whose outcome is unknown, because the connection was lost. */
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
  ), streamed as (
    delete from log_stream s using taken_back t where s.sequence = t.sequence
  ), attempts as (
    delete from log_attempt a using taken_back t where a.sequence = t.sequence
  ), opened as (
    delete from log_open o using taken_back t where o.sequence = t.sequence
  )
  update log_open set owner = null
  where sequence = any ($1::bigint[]) and owner = $2 and sequence not in (select sequence from taken_back)`

/**
 * Resolves a commit whose outcome is unknown. The producers of its events got an error.
 *
 * An event with the producer's uuid stays if it exists, because the producer may have retried it meanwhile with any process; its
 * deliveries become unowned. An event with a uuid of the log's own is deleted. If the registration no longer exists, nothing is done: the
 * sequence numbers may belong to another process's events, and other processes take over what the registration owned.
 *
 * Returns true when there are unowned deliveries now.
 */
export async function resolveInDoubt(pool: Pool, { sequences, owner }: InDoubt): Promise<boolean> {
  const registration = await pool.query(statementUnderWay, [owner])
  if (registration.rowCount === 0) return false
  const { rowCount } = await pool.query(resolve, [sequences, owner])
  return rowCount !== 0
}
