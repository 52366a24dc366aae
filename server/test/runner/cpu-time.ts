import { readFileSync } from 'node:fs'

const TICK_MS = 10

/** CPU time of the processes that this one started and that have ended, on Linux: fields 16 and 17 of /proc/<pid>/stat. The second may contain spaces. */
export function cpuMsOfEndedChildren(): number {
  if (process.platform !== 'linux') return 0
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS
}

/** CPU time of this process with its threads. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
