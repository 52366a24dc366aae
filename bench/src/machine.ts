import { availableParallelism, cpus, loadavg, release, type } from 'node:os'

/** What the figures are measured on, and how busy others keep it: to be asked before the run begins. */
export function machine(): string {
  const cores = `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), load ${loadavg()[0]!.toFixed(1)} before the run`
  return `${cores}; ${type()} ${release().split('.', 2).join('.')}`
}
