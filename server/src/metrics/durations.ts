/** How often durations fell into each range, and their sum. */
export interface Durations {
  observe(ms: number): void
  read(): { boundsMs: readonly number[]; counts: readonly number[]; sumMs: number }
}

/** Counts durations by upper bounds; the last count is of what is longer than all of them. */
export function createDurations(boundsMs: readonly number[]): Durations {
  const counts = [...boundsMs.map(() => 0), 0]
  let sumMs = 0
  return {
    observe(ms) {
      let place = 0
      while (place < boundsMs.length && ms > boundsMs[place]!) place += 1
      counts[place]! += 1
      sumMs += ms
    },
    read: () => ({ boundsMs, counts, sumMs }),
  }
}
