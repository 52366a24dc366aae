import { LRUCache } from 'lru-cache'
import { randomUrlText } from '../../../lib/crypto.ts'
import { MINUTE_MS } from '../../../lib/time.ts'
import type { Refusal } from '../verify.ts'
import type { Explanation } from './explain.ts'

const MAX_EXPLANATIONS = 100
const LIFETIME_MS = 15 * MINUTE_MS
const ID_BYTES = 18

/** The explanations of late. */
export interface Explanations {
  /** Explains a refusal, which is forgotten then. Answers an id that nobody guesses. */
  keep(refusal: Refusal): string
  /** Undefined for an id that is none, or whose explanation is older than 15 minutes or pushed out by 100 others. */
  find(id: string): Promise<Explanation> | undefined
}

/** Loaded with the first refusal: a start is quicker without it. */
async function explainLater(refusal: Refusal): Promise<Explanation> {
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
