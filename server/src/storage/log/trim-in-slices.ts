import { sequenceAt } from '../../lib/ids.ts'

/** How many events one slice goes over, so that appends pass between two of them. */
const SLICE_EVENTS = 500

export interface TrimSlice {
  after: number
  before: number
  limit: number
}

export interface Trimmed {
  deleted: number
  /** The last event that the slice looked at, or null when there was none. */
  last: number | null
}

/** Goes over everything accepted before a moment, slice by slice. How many events were deleted. */
export async function trimInSlices(beforeMs: number, slice: (slice: TrimSlice) => Promise<Trimmed>): Promise<number> {
  const before = sequenceAt(beforeMs)
  let deleted = 0
  let after: number | null = -1
  while (after !== null) {
    const trimmed: Trimmed = await slice({ after, before, limit: SLICE_EVENTS })
    deleted += trimmed.deleted
    after = trimmed.last
  }
  return deleted
}
