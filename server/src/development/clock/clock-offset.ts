import { formatDuration, sayDuration } from '../../lib/time.ts'

/** The metadata under which the clock's offset survives a restart. */
export const CLOCK_OFFSET = 'clock_offset_ms'

/** The farthest that the clock moves at once. */
export const FARTHEST_MS = 366 * 86_400_000

/** How far the clock is off and how to bring it back, as sentences; undefined when it shows the real time. */
export function describeOffset(offsetMs: number): string | undefined {
  if (offsetMs === 0) return undefined
  const off = `${sayDuration(Math.abs(offsetMs))} ${offsetMs > 0 ? 'ahead of' : 'behind'}`
  const step = `${offsetMs > 0 ? '-' : ''}${formatDuration(Math.abs(offsetMs))}`
  const back = Math.abs(offsetMs) <= FARTHEST_MS ? `POST /operator/clock with {"step":"${step}"} sets it right, and ` : ''
  return `the clock is ${off} the real time, because it was moved (\`postern clock\`, POST /operator/clock): ${back}POST /operator/reset sets it right and goes back to the seed`
}
