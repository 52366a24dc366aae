import { LRUCache } from 'lru-cache'
import { randomUrlText } from '../../lib/crypto.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import type { Explanation } from './explanation.ts'

const MAX_EXPLANATIONS = 100
const LIFETIME_MS = 15 * MINUTE_MS
const ID_BYTES = 18

/** The recent explanations of refused calls. */
export interface Explanations {
  /** Keeps an explanation that is being made. Returns its URL, which cannot be guessed. */
  keep(explained: Promise<Explanation>): string
  /** Undefined for an unknown id, or if the explanation is older than 15 minutes or was evicted by 100 newer ones. */
  find(id: string): Promise<Explanation> | undefined
}

export interface ExplanationsOptions {
  /** The origin of the pages. */
  origin: () => string
  now: () => number
}

/** Keeps the last 100 explanations for 15 minutes, in the memory of this process. */
export function createExplanations({ origin, now }: ExplanationsOptions): Explanations {
  const cache = new LRUCache<string, { atMs: number; explained: Promise<Explanation> }>({ max: MAX_EXPLANATIONS })
  return {
    keep(explained) {
      const id = randomUrlText(ID_BYTES)
      explained.catch(() => {})
      cache.set(id, { atMs: now(), explained })
      return `${origin()}/oauth/explanations/${id}`
    },
    find(id) {
      const found = cache.peek(id)
      return found && now() - found.atMs < LIFETIME_MS ? found.explained : undefined
    },
  }
}
