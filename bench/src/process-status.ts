import { readdir, readFile } from 'node:fs/promises'

/** The kernel counts processor time in steps of 10 ms. Linux only, like all of this file. */
const MICROS_PER_TICK = 10_000
const USER_TICKS = 11
const ENDED_CHILDREN_TICKS = 13

/** What a process holds in memory now, in MB. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1024
}

async function ticksOf(pid: number): Promise<[own: number, endedChildren: number]> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ')
  const ticksAt = (place: number) => Number(fields[place]) + Number(fields[place + 1])
  return [ticksAt(USER_TICKS), ticksAt(ENDED_CHILDREN_TICKS)]
}

/** The processor time that a process has taken since its start, all threads. */
export async function processorMicros(pid: number): Promise<number> {
  const [own] = await ticksOf(pid)
  return own * MICROS_PER_TICK
}

/** The processor time of a server and of all processes that it has started, those that have ended too; nothing without a server. */
export async function serverMicros(pid: number | undefined): Promise<number> {
  if (pid === undefined) return 0
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter((child) => child !== '')
  const [own, ended] = await ticksOf(pid)
  const living = await Promise.all(children.map((child) => ticksOf(Number(child)).catch(() => [0])))
  return living.reduce((ticks, [child]) => ticks + child!, own + ended) * MICROS_PER_TICK
}

/** The processor time of a Postern with its database, wherever that works. */
export const microsWithDatabase = async (pid: number, serverPid: number | undefined) =>
  (await processorMicros(pid)) + (await serverMicros(serverPid))

/** The processor time of all threads that a process has now, exactly: for what takes less than a tick. */
export async function exactMicros(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`)
  const nanos = await Promise.all(
    threads.map(async (thread) => Number((await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')).split(' ', 1)[0])),
  )
  return nanos.reduce((sum, value) => sum + value, 0) / 1000
}

/** What a process has read and written so far, files and all else. */
export async function readAndWritten(pid: number): Promise<{ calls: number; bytes: number }> {
  const io = await readFile(`/proc/${pid}/io`, 'utf8')
  const of = (name: string) => Number(new RegExp(`^${name}: (\\d+)`, 'm').exec(io)![1])
  return { calls: of('syscr') + of('syscw'), bytes: of('rchar') + of('wchar') }
}
