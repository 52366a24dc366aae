import { readdir, readFile } from 'node:fs/promises'

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
export async function cpuMicrosOf(pid: number): Promise<number> {
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

/** CPU time of all threads that a process has now, in nanosecond precision: for less than a tick. */
export async function exactCpuMicros(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`)
  const nanos = await Promise.all(
    threads.map(async (thread) => Number((await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')).split(' ', 1)[0])),
  )
  return nanos.reduce((sum, value) => sum + value, 0) / 1000
}

/** Reads and writes of a process so far: files, sockets and everything else. */
export async function ioOf(pid: number): Promise<{ calls: number; bytes: number }> {
  const io = await readFile(`/proc/${pid}/io`, 'utf8')
  const of = (name: string) => Number(new RegExp(`^${name}: (\\d+)`, 'm').exec(io)![1])
  return { calls: of('syscr') + of('syscw'), bytes: of('rchar') + of('wchar') }
}
