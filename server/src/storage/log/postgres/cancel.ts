import type { Pool } from 'pg'
import { MAX_ATTEMPTS } from '../ack.ts'
import { inTransaction, planKeysOnly } from './transaction.ts'

const SLICE = 1_000

const pick = `select sequence from log_open where webhook_id = $1 and owner is null order by sequence limit ${SLICE} for update skip locked`

const markNotSent = `
  with gone as (
    delete from log_open where webhook_id = $1 and sequence = any ($2::bigint[]) returning sequence, webhook_id, attempts
  )
  insert into log_attempt (sequence, webhook_id, origin, n, at_ms, latency_ms, outcome, error)
  select sequence, webhook_id, '', least(attempts + 1::bigint, ${MAX_ATTEMPTS}), $3, 0, 'not_sent', $4 from gone on conflict do nothing`

/** Records up to `SLICE` unowned deliveries of a webhook as not sent. Returns false when there were none. */
export const cancelSlice = (pool: Pool, webhookId: string, atMs: number, reason: string): Promise<boolean> =>
  inTransaction(pool, async (client) => {
    const { rows } = await client.query({ name: 'log-pick-cancelled', text: pick, values: [webhookId] })
    if (rows.length === 0) return false
    await planKeysOnly(client)
    await client.query({ name: 'log-cancel', text: markNotSent, values: [webhookId, rows.map(({ sequence }) => sequence), atMs, reason] })
    return true
  })
