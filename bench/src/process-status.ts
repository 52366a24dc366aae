import { readFile } from 'node:fs/promises'

/** The kernel counts processor time in steps of 10 ms. */
const MICROS_PER_TICK = 10_000
const USER_TICKS = 11

/** What a process holds in memory now, in MB. Linux only. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1024
}

/** The processor time that a process has taken since its start, all threads. Linux only. */
export async function processorMicros(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ')
  return (Number(fields[USER_TICKS]) + Number(fields[USER_TICKS + 1])) * MICROS_PER_TICK
}
