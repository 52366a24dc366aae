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

/** The labels of a sample. Their values come from code, never from a request, and never name a tenant. */
export type Labels = Readonly<Record<string, string>>

/** Values of one name that differ in their labels; of a histogram the distributions. */
export interface Family {
  type: 'counter' | 'gauge' | 'histogram'
  name: string
  help: string
  samples: readonly { labels: Labels; value: number | Durations }[]
}

/** A gauge with one value; without a sample where that is not known. */
export const gauge = (name: string, help: string, value: number | undefined): Family => ({
  type: 'gauge',
  name,
  help,
  samples: value === undefined ? [] : [{ labels: {}, value }],
})
