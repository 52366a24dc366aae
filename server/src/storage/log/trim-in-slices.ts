import { sequenceAt } from '../../lib/ids.ts'
import type { TrimOptions } from '../event-log.ts'

/** How many events one slice reads at most, so that appends can run between two slices. */
const SLICE_EVENTS = 50
/** How many deliveries one slice deletes at most, unless its first event has more. An event is written whole, so it is deleted whole. */
const SLICE_DELIVERIES = 100

export interface TrimSlice {
  after: number
  before: number
  limit: number
  /** Only events about these users. */
  userIds?: readonly string[]
}

/** An event that a slice has read, and how many deliveries it has. */
export interface OldEvent {
  sequence: number
  deliveries: number
}

/** The first of the events that one slice deletes. */
export function eventsOfSlice(found: readonly OldEvent[]): number[] {
  const taken: number[] = []
  let left = SLICE_DELIVERIES
  for (const { sequence, deliveries } of found) {
    left -= deliveries
    if (left < 0 && taken.length > 0) break
    taken.push(sequence)
  }
  return taken
}

export interface Trimmed {
  deleted: number
  /** The last event that the slice dealt with, or null if there was none. */
  last: number | null
}

/** Trims the events accepted before a time, slice by slice. Returns how many were deleted. */
export async function trimInSlices(
  beforeMs: number,
  { userIds, pause = async () => true }: TrimOptions,
  slice: (slice: TrimSlice) => Promise<Trimmed>,
): Promise<number> {
  const before = sequenceAt(beforeMs)
  let deleted = 0
  let after: number | null = -1
  while (after !== null) {
    const trimmed: Trimmed = await slice({ after, before, limit: SLICE_EVENTS, ...(userIds && { userIds }) })
    deleted += trimmed.deleted
    after = trimmed.last
    if (after !== null && !(await pause())) break
  }
  return deleted
}
