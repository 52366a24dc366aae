import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Family } from './family.ts'

/** How often the event loop is looked at. Where nothing delays it, this is what is measured. */
const RESOLUTION_MS = 10
const NANOSECONDS = 1e9

/** The names that `prom-client` gives to the distribution of the delay, which dashboards know. */
export const eventLoopNames = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map((part) => `nodejs_eventloop_lag_${part}_seconds`)

/**
 * Measures the delay of the event loop once it has begun. That wakes the process for ever, so it does not begin by itself. A reading covers
 * the time since the reading before.
 */
export function createEventLoopDelay() {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  let latest: readonly number[] = eventLoopNames.map(() => 0)

  /** Readings that follow each other at once have nothing new between them. */
  const read = () => {
    if (delay.count === 0) return latest
    const { min, max, mean, stddev } = delay
    latest = [min, max, mean, stddev, ...[50, 90, 99].map((percentile) => delay.percentile(percentile))]
    delay.reset()
    return latest
  }

  return {
    begin: () => void delay.enable(),
    families(): Family[] {
      return read().map((nanoseconds, place) => ({
        type: 'gauge',
        name: eventLoopNames[place]!,
        help: `Delay of the event loop since the last reading; ${RESOLUTION_MS} ms are none.`,
        samples: [{ labels: {}, value: nanoseconds / NANOSECONDS }],
      }))
    },
    stop: () => void delay.disable(),
  }
}

/** The longest delay of the event loop until `end` resolves, in milliseconds. */
export async function delayUntil(end: Promise<void>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  await end
  delay.disable()
  return Math.max(0, Math.round(delay.max / 1e6) - RESOLUTION_MS)
}
