import type { Delivery } from '../../event-log.ts'
import type { Claims } from './claims.ts'
import type { Ownership } from './ownership.ts'

/** A webhook that has as much waiting is parked, and its rest stays in the log; so is every webhook once so many are held in all. */
const HELD_PER_WEBHOOK = 250
const HELD_IN_ALL = 10_000

interface Parts {
  claims: Claims
  ownership: Ownership
  livingWorkers(): Promise<number[]>
  /** Runs a step while no commit is under way. */
  betweenCommits<T>(step: () => Promise<T>): Promise<T>
  park(webhookId: string): void
  held(deliveries: Delivery[]): void
}

/**
 * Takes up what no living process holds: of each webhook what fits in memory; the rest waits with its webhook parked here.
 * Answers the webhooks that were parked.
 */
export async function recoverUnowned({
  claims,
  ownership,
  livingWorkers,
  betweenCommits,
  park,
  held,
}: Parts): Promise<{ parked: string[] }> {
  await ownership.releaseDead(livingWorkers)
  const parked: string[] = []
  let inAll = 0

  const take = async (webhookId: string) => {
    const found = inAll < HELD_IN_ALL ? await claims.waiting(webhookId, HELD_PER_WEBHOOK) : []
    inAll += found.length
    if (found.length === HELD_PER_WEBHOOK || inAll >= HELD_IN_ALL) {
      park(webhookId)
      parked.push(webhookId)
    }
    if (found.length > 0) held(found)
  }

  for (const webhookId of await claims.waitingWebhooks()) await betweenCommits(() => take(webhookId))
  return { parked }
}
