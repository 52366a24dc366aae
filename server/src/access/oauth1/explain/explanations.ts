import { randomUrlText } from '../../../lib/crypto.ts'
import { MINUTE_MS } from '../../../lib/time.ts'
import type { Refusal } from '../verify.ts'
import type { Explanation } from './explain.ts'

const MOST_KEPT = 100
const KEPT_MS = 15 * MINUTE_MS
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
  const kept = new Map<string, { atMs: number; explained: Promise<Explanation> }>()
  const dropOld = () => {
    for (const [id, { atMs }] of kept) if (now() - atMs >= KEPT_MS) kept.delete(id)
  }
  return {
    keep(refusal) {
      dropOld()
      if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value!)
      const id = randomUrlText(ID_BYTES)
      const explained = explainLater(refusal)
      explained.catch(() => {})
      kept.set(id, { atMs: refusal.nowMs, explained })
      return id
    },
    find(id) {
      dropOld()
      return kept.get(id)?.explained
    },
  }
}
