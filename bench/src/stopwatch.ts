import { databaseCpuMicros } from './process-status.ts'
import type { Sample } from './worker.ts'

/** Starts measuring. The returned function gives the elapsed time and this process's CPU time since then. */
export function stopwatch(): () => Omit<Sample, 'count'> {
  const startedMs = performance.now()
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return { elapsedMs: performance.now() - startedMs, cpuMicros: user + system }
  }
}

/** Like `stopwatch`, plus the CPU time of the database server, if there is one. */
export async function stopwatchWithDatabase(databasePid: number | undefined): Promise<() => Promise<Omit<Sample, 'count'>>> {
  const before = await databaseCpuMicros(databasePid)
  const watch = stopwatch()
  return async () => {
    const { elapsedMs, cpuMicros } = watch()
    return { elapsedMs, cpuMicros: cpuMicros + (await databaseCpuMicros(databasePid)) - before }
  }
}
