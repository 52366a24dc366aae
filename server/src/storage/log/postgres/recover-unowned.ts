import { type Delivery, RANGE_PAGE_BYTES } from '../../event-log.ts'
import { HELD_IN_TOTAL, HELD_PER_WEBHOOK } from '../recovery-limits.ts'
import type { Claims } from './claims.ts'
import type { Ownership } from './ownership.ts'
import type { Parked } from './parked.ts'

interface Parts {
  claims: Claims
  ownership: Ownership
  livingWorkers(): Promise<number[]>
  /** Runs a step while no commit is under way. */
  betweenCommits<T>(step: () => Promise<T>): Promise<T>
  parked: Pick<Parked, 'add' | 'has'>
  /** Webhooks that were parked and not returned, because the rest failed: the next call returns them. */
  unreported: Set<string>
  held(deliveries: Delivery[]): void
}

/**
 * Claims the deliveries that no live process owns, as many of each webhook as fit in memory. The rest waits in the log, with its webhook
 * parked; one that is parked already is read back page by page, and left alone here. Returns the webhooks that were parked.
 */
export async function recoverUnowned({
  claims,
  ownership,
  livingWorkers,
  betweenCommits,
  parked: all,
  unreported,
  held,
}: Parts): Promise<{ parked: string[] }> {
  const areWaiting = await ownership.releaseDead(livingWorkers)
  let total = 0

  const take = async (webhookId: string) => {
    const found = total < HELD_IN_TOTAL ? await claims.waiting(webhookId, HELD_PER_WEBHOOK) : []
    total += found.length
    const bytes = found.reduce((sum, { content }) => sum + content.length, 0)
    if (found.length === HELD_PER_WEBHOOK || bytes >= RANGE_PAGE_BYTES || total >= HELD_IN_TOTAL) {
      all.add(webhookId)
      unreported.add(webhookId)
    }
    if (found.length > 0) held(found)
  }

  /** A parking can end at any moment, but not in between: the read-back may just have looked for the last time. */
  const takeUnparked = async (webhookId: string) => {
    if (!all.has(webhookId)) await take(webhookId)
  }

  for (const webhookId of areWaiting ? await claims.waitingWebhooks() : []) await betweenCommits(() => takeUnparked(webhookId))
  const parked = [...unreported]
  unreported.clear()
  return { parked }
}
