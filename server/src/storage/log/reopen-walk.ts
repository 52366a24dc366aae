import type { Reopened, Reopening } from '../event-log.ts'

/** How many deliveries one slice looks at. */
const SLICE = 500
/** How many slices one call looks at, so that it ends soon where few deliveries match. */
const MAX_SLICES = 40

/** The next deliveries in (after, before) in order: at most `looks` are looked at, and at most `limit` opened. */
export interface ReopenSlice extends Reopening {
  looks: number
}

/** `last` is the sequence number of the last delivery that was looked at, or null at the end. */
export interface ReopenedSlice {
  count: number
  last: number | null
}

/** Walks up the deliveries of a webhook in bounded slices until `limit` are open again or there are no more. */
export async function walkReopening(reopening: Reopening, slice: (slice: ReopenSlice) => Promise<ReopenedSlice>): Promise<Reopened> {
  let count = 0
  let { after } = reopening
  for (let done = 0; done < MAX_SLICES && count < reopening.limit; done++) {
    const found = await slice({ ...reopening, after, limit: reopening.limit - count, looks: SLICE })
    count += found.count
    if (found.last === null) return { count, next: null }
    after = found.last
  }
  return { count, next: after }
}
