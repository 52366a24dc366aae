import { sequenceAt } from '../../lib/ids.ts'

/** How many events one slice reads, so that appends can run between two slices. */
const SLICE_EVENTS = 500

export interface TrimSlice {
  after: number
  before: number
  limit: number
  /** Only events about these users. */
  userIds?: readonly string[]
}

export interface Trimmed {
  deleted: number
  /** The last event that the slice read, or null if there was none. */
  last: number | null
}

/** Trims the events accepted before a time, slice by slice. Returns how many were deleted. */
export async function trimInSlices(
  beforeMs: number,
  userIds: readonly string[] | undefined,
  slice: (slice: TrimSlice) => Promise<Trimmed>,
): Promise<number> {
  const before = sequenceAt(beforeMs)
  let deleted = 0
  let after: number | null = -1
  while (after !== null) {
    const trimmed: Trimmed = await slice({ after, before, limit: SLICE_EVENTS, ...(userIds && { userIds }) })
    deleted += trimmed.deleted
    after = trimmed.last
  }
  return deleted
}
