import { HOUR_MS, MINUTE_MS } from '../../lib/time.ts'
import { DAY_MS } from './search-span.ts'

/** How long the parts are of which posts are counted. */
export const granularities = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const

export interface Bucket {
  startMs: number
  endMs: number
  posts: number
}

/** The full minutes, hours or days (UTC) of a span, oldest first; the first and the last may be shorter, as the span is. */
export function bucketsOf(startMs: number, endMs: number, lengthMs: number): Bucket[] {
  const buckets: Bucket[] = []
  for (let from = startMs; from < endMs; from = buckets.at(-1)!.endMs) {
    const next = (Math.floor(from / lengthMs) + 1) * lengthMs
    buckets.push({ startMs: from, endMs: Math.min(next, endMs), posts: 0 })
  }
  return buckets
}

/** Counts a post at a time of the span. */
export function countAt(buckets: readonly Bucket[], atMs: number, lengthMs: number) {
  const [first] = buckets
  if (!first) return
  const bucket = buckets[Math.floor(atMs / lengthMs) - Math.floor(first.startMs / lengthMs)]
  if (bucket) bucket.posts += 1
}
