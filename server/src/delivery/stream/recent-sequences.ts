/** A generation ends after this time, or when it is full. */
const GENERATION_MS = 60_000
const MOST = 50_000

/** Remembers the sequence numbers of the last minute or two, unless there are too many. */
export function createRecentSequences(elapsed: () => number) {
  let current = new Set<number>()
  let former = new Set<number>()
  let beganMs = elapsed()
  return {
    /** Whether the number is new; it is remembered then. */
    add(sequence: number): boolean {
      if (current.has(sequence) || former.has(sequence)) return false
      const nowMs = elapsed()
      if (nowMs - beganMs > GENERATION_MS || current.size >= MOST) {
        former = current
        current = new Set()
        beganMs = nowMs
      }
      current.add(sequence)
      return true
    },
  }
}
export type RecentSequences = ReturnType<typeof createRecentSequences>
