import { readFileSync } from 'node:fs'

/** How many file descriptors this process may open now, as Linux says it; undefined on other systems. */
export function descriptorLimit(): number | undefined {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
    return limit === undefined ? undefined : Number(limit)
  } catch {
    return undefined
  }
}
