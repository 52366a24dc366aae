import type { Durations } from './durations.ts'

/** The labels of a sample. Their values come from code, never from a request, and never name a tenant. */
export type Labels = Readonly<Record<string, string>>

/** Values of one name that differ in their labels; of a histogram the distributions. */
export interface Family {
  type: 'counter' | 'gauge' | 'histogram'
  name: string
  help: string
  samples: readonly { labels: Labels; value: number | Durations }[]
}
