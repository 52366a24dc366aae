import type { Pool } from 'pg'
import type { Delivery } from '../../event-log.ts'
import { cancelSlice } from './cancel.ts'
import type { Claims } from './claims.ts'
import type { Commits } from './commit-batches.ts'
import type { Parked } from './parked.ts'

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
