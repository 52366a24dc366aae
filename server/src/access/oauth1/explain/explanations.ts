import { LRUCache } from 'lru-cache'
import { randomUrlText } from '../../../lib/crypto.ts'
import { MINUTE_MS } from '../../../lib/time.ts'
import type { RejectedSignature } from '../verify.ts'
import type { Explanation } from './explain.ts'

const MAX_EXPLANATIONS = 100
const LIFETIME_MS = 15 * MINUTE_MS
const ID_BYTES = 18

/** The recent explanations. */
export interface Explanations {
  /** Explains a rejected signature, without keeping it. Returns an unguessable id of the explanation. */
  keep(refusal: RejectedSignature): string
  /** Undefined for an unknown id, or if the explanation is older than 15 minutes or was evicted by 100 newer ones. */
  find(id: string): Promise<Explanation> | undefined
}

/** Loads the module with the first rejected signature, for a faster start. */
async function explainLater(refusal: RejectedSignature): Promise<Explanation> {
  const { explain } = await import('./explain.ts')
  return explain(refusal)
}

/** Keeps the last 100 explanations for 15 minutes, in the memory of this process. */
export function createExplanations(now: () => number): Explanations {
  const cache = new LRUCache<string, { atMs: number; explained: Promise<Explanation> }>({ max: MAX_EXPLANATIONS })
  return {
    keep(refusal) {
      const id = randomUrlText(ID_BYTES)
      const explained = explainLater(refusal)
      explained.catch(() => {})
      cache.set(id, { atMs: refusal.nowMs, explained })
      return id
    },
    find(id) {
      const found = cache.peek(id)
      return found && now() - found.atMs < LIFETIME_MS ? found.explained : undefined
    },
  }
}
