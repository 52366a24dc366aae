import type { Sample } from './party.ts'

/** Begins to count; call it for the time since then, by the clock and of the processor. */
export function stopwatch(): () => Omit<Sample, 'count'> {
  const startedMs = performance.now()
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return { elapsedMs: performance.now() - startedMs, processorMicros: user + system }
  }
}
