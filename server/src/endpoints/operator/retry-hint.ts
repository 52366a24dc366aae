import { MAX_RETRY_AFTER_MS } from '../../delivery/retry-plan.ts'
import { SECOND_MS } from '../../lib/time.ts'
import type { DeliveryReport } from '../../storage/event-log.ts'

/** Between the end of an attempt and the reading of the clock after it. */
const TOLERANCE_MS = 5 * SECOND_MS

/** Why a delivery is retried later than its plan says: a Retry-After, which is not kept, alone can do that. Undefined where it cannot be told. */
export function retryHint({ state, nextTryAtMs, attempts }: DeliveryReport, plan: readonly number[]): string | undefined {
  const last = attempts.findLast(({ replayJobId }) => replayJobId === null)
  if (state !== 'retrying' || nextTryAtMs === null || !last || last.status === null) return undefined
  const longest = plan[last.n - 1]
  const waited = nextTryAtMs - (last.atMs + last.latencyMs)
  if (longest === undefined || waited <= longest + TOLERANCE_MS) return undefined
  const isCut = waited >= MAX_RETRY_AFTER_MS - TOLERANCE_MS
  return [
    "The callback's Retry-After set this time.",
    ...(isCut ? ['At most one hour of it counts.'] : []),
    `Without it the attempt would follow within ${longest / SECOND_MS} s.`,
  ].join(' ')
}
