import { readFile } from 'node:fs/promises'
import type { Sample } from './worker.ts'

/** The kernel counts CPU time in ticks of 10 ms. Everything in this file needs Linux. */
const MICROS_PER_TICK = 10_000
const USER_TICKS = 11
const ENDED_CHILDREN_TICKS = 13

/** Resident memory (VmRSS) of a process, in MB. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1024
}

async function ticksOf(pid: number): Promise<[own: number, endedChildren: number]> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ')
  const ticksAt = (place: number) => Number(fields[place]) + Number(fields[place + 1])
  return [ticksAt(USER_TICKS), ticksAt(ENDED_CHILDREN_TICKS)]
}

/** CPU time of a process since its start, all threads. */
async function cpuMicrosOf(pid: number): Promise<number> {
  const [own] = await ticksOf(pid)
  return own * MICROS_PER_TICK
}

/** CPU time of a database server and all its child processes, including those that have exited; 0 without a server. */
export async function databaseCpuMicros(pid: number | undefined): Promise<number> {
  if (pid === undefined) return 0
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter((child) => child !== '')
  const [own, ended] = await ticksOf(pid)
  const living = await Promise.all(children.map((child) => ticksOf(Number(child)).catch(() => [0])))
  return living.reduce((ticks, [child]) => ticks + child!, own + ended) * MICROS_PER_TICK
}

/** CPU time of a Postern and its database. */
export const cpuMicrosWithDatabase = async (pid: number, databasePid: number | undefined) =>
  (await cpuMicrosOf(pid)) + (await databaseCpuMicros(databasePid))

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
