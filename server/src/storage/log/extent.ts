import { momentOf } from '../../lib/ids.ts'
import type { LogExtent } from '../event-log.ts'

export interface ExtentRow {
  count: number
  /** The sequence number of the oldest event. */
  oldest: number | null
}

export const extentOf = ({ count, oldest }: ExtentRow): LogExtent => ({
  events: count,
  oldestMs: oldest === null ? undefined : momentOf(oldest),
})
