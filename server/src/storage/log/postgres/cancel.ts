import type { Pool } from 'pg'
import { MOST_ATTEMPTS } from '../ack.ts'

const SLICE = 1_000

const statement = `
  with next as materialized (
    select sequence, webhook_id from log_open where webhook_id = $1 and owner is null order by sequence limit ${SLICE} for update skip locked
  ), gone as (
    delete from log_open o using next where o.sequence = next.sequence and o.webhook_id = next.webhook_id
    returning o.sequence, o.webhook_id, o.attempts
  )
  insert into log_attempt (sequence, webhook_id, origin, n, at_ms, latency_ms, outcome, error)
  select sequence, webhook_id, '', least(attempts + 1::bigint, ${MOST_ATTEMPTS}), $2, 0, 'not_sent', $3 from gone on conflict do nothing`

/** Settles deliveries of a webhook that nobody holds as not sent, a slice of them. False when there were none. */
export async function cancelSlice(pool: Pool, webhookId: string, atMs: number, reason: string): Promise<boolean> {
  const { rowCount } = await pool.query({ name: 'log-cancel', text: statement, values: [webhookId, atMs, reason] })
  return rowCount !== 0
}
