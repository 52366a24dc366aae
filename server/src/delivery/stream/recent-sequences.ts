/** A generation ends after this time, or when it is full. */
const GENERATION_MS = 60_000
const MOST = 50_000

/**
 * Remembers the sequence numbers of the last minute or two, unless there are too many. Only what is read from the log can repeat one: until it
 * is read, numbers are merely listed.
 */
export function createRecentSequences(elapsed: () => number) {
  let current: number[] = []
  let former: number[] = []
  let beganMs = elapsed()
  /** The numbers of both lists, while something read from the log may repeat them. */
  let compared: Set<number> | undefined
  let comparedUntilMs = 0

  const endGeneration = (nowMs: number) => {
    former = current
    current = []
    beganMs = nowMs
    compared = nowMs < comparedUntilMs ? new Set(former) : undefined
  }

  return {
    /** Call it before the log is read. */
    compare() {
      comparedUntilMs = elapsed() + 2 * GENERATION_MS
      compared ??= new Set(former.concat(current))
    },
    /** Whether the number is new; it is remembered then. */
    add(sequence: number): boolean {
      if (compared?.has(sequence)) return false
      const nowMs = elapsed()
      if (nowMs - beganMs > GENERATION_MS || current.length >= MOST) endGeneration(nowMs)
      current.push(sequence)
      compared?.add(sequence)
      return true
    },
  }
}
export type RecentSequences = ReturnType<typeof createRecentSequences>
