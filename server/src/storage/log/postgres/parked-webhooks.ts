import type { Pool } from 'pg'
import type { Delivery } from '../../event-log.ts'
import { ofWebhook } from '../../postgres/planner-settings.ts'
import { MAX_ATTEMPTS } from '../ack.ts'
import type { Claims } from './claims.ts'
import type { Commits } from './commit-batches.ts'
import type { Parked } from './parked.ts'
import { inTransaction, planKeysOnly } from './transaction.ts'

const SLICE = 1_000

/** Each has an index that the other cannot use. */
const pick = (isDue: string) => `
  select sequence from log_open where ${ofWebhook('$1')} and owner is null and due_ms is ${isDue} order by webhook_id, sequence
  limit ${SLICE} for update skip locked`

export const pickWaiting = pick('null')

export const pickRetrying = pick('not null')

const markNotSent = `
  with gone as (
    delete from log_open where webhook_id = $1 and sequence = any ($2::bigint[]) returning sequence, webhook_id, attempts
  )
  insert into log_attempt (sequence, webhook_id, origin, n, at_ms, latency_ms, outcome, error)
  select sequence, webhook_id, '', least(attempts + 1::bigint, ${MAX_ATTEMPTS}), $3, 0, 'not_sent', $4 from gone on conflict do nothing`

/** Records up to `SLICE` unowned deliveries of a webhook as not sent. Returns false when there were none. */
const cancelSlice = (pool: Pool, webhookId: string, atMs: number, reason: string): Promise<boolean> =>
  inTransaction(pool, async (client) => {
    const waiting = await client.query({ name: 'log-pick-cancelled', text: pickWaiting, values: [webhookId] })
    const { rows } =
      waiting.rows.length > 0
        ? waiting
        : await client.query({ name: 'log-pick-cancelled-retries', text: pickRetrying, values: [webhookId] })
    if (rows.length === 0) return false
    await planKeysOnly(client)
    await client.query({ name: 'log-cancel', text: markNotSent, values: [webhookId, rows.map(({ sequence }) => sequence), atMs, reason] })
    return true
  })

interface Parts extends Commits {
  pool: Pool
  claims: Claims
  parked: Parked
}

/**
 * Deliveries that wait in the log: parking, reading back and cancelling. A page is read while no commit runs; one is made for it only if
 * deliveries are being released, which the query does not see before, or if it finds nothing. A parking ends when nothing is found after
 * everything that it released is committed. If the webhook was parked again meanwhile, it is read again.
 */
export function parkedWebhooks({ pool, claims, parked, batcher, release, isReleasing }: Parts) {
  const readPage = (webhookId: string, limit: number): Promise<Delivery[] | undefined> => {
    const parking = parked.parking(webhookId)
    return batcher.betweenCommits(async () => {
      const found = await claims.waiting(webhookId, limit)
      return found.length > 0 || parked.end(webhookId, parking) ? found : undefined
    })
  }

  const cancelPage = (webhookId: string, atMs: number, reason: string): Promise<boolean> => {
    const parking = parked.parking(webhookId)
    return batcher.betweenCommits(async () => !(await cancelSlice(pool, webhookId, atMs, reason)) && parked.end(webhookId, parking))
  }

  return {
    park(webhookId: string, unsent: readonly Delivery[]) {
      parked.add(webhookId)
      release(unsent)
    },
    async read(webhookId: string, limit: number): Promise<Delivery[]> {
      const waiting = await batcher.whileNotCommitting(async () => (isReleasing() ? [] : claims.waiting(webhookId, limit)))
      if (waiting.length > 0) return waiting
      for (;;) {
        const found = await readPage(webhookId, limit)
        if (found) return found
      }
    },
    async cancel(webhookId: string, atMs: number, reason: string): Promise<void> {
      while (!(await cancelPage(webhookId, atMs, reason)));
    },
  }
}
