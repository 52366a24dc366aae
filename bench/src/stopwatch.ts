import type { Sample } from './party.ts'
import { serverMicros } from './process-status.ts'

/** Begins to count; call it for the time since then, by the clock and of the processor. */
export function stopwatch(): () => Omit<Sample, 'count'> {
  const startedMs = performance.now()
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return { elapsedMs: performance.now() - startedMs, processorMicros: user + system }
  }
}

/** The same with the processor time of a database's server, if there is one. */
export async function stopwatchWithServer(serverPid: number | undefined): Promise<() => Promise<Omit<Sample, 'count'>>> {
  const before = await serverMicros(serverPid)
  const watch = stopwatch()
  return async () => {
    const { elapsedMs, processorMicros } = watch()
    return { elapsedMs, processorMicros: processorMicros + (await serverMicros(serverPid)) - before }
  }
}
