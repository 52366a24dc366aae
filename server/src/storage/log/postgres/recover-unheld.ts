import type { Delivery } from '../../event-log.ts'
import type { Claims } from './claims.ts'

/** A webhook that has as much waiting is parked, and its rest stays in the log; so is every webhook once so many are held in all. */
const HELD_PER_WEBHOOK = 250
const HELD_IN_ALL = 10_000

interface Parts {
  claims: Claims
  worker: number
  livingWorkers(): Promise<number[]>
  /** Runs a step while no commit is under way. */
  alone<T>(step: () => Promise<T>): Promise<T>
  park(webhookId: string): void
  held(deliveries: Delivery[]): void
}

/** Gives back what the dead held. What a process appends that starts now under the number of a dead one is newer, and stays its own. */
async function releaseDead({ claims, worker, livingWorkers }: Parts) {
  const owners = await claims.owners()
  const living = new Set([worker, ...(await livingWorkers())])
  for (const { owner, newest } of owners) if (!living.has(owner)) await claims.release(owner, newest)
}

/**
 * Takes up what no living process holds: of each webhook what fits in memory; the rest waits with its webhook parked here.
 * Answers the webhooks that were parked.
 */
export async function recoverUnheld(parts: Parts): Promise<{ parked: string[] }> {
  const { claims, alone, park, held } = parts
  await releaseDead(parts)
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

  for (const webhookId of await claims.waitingWebhooks()) await alone(() => take(webhookId))
  return { parked }
}
