// A reporter of node:test that prints nothing but how many tests of a file passed, failed and so on, and what they took, as JSON.
import { readFileSync } from 'node:fs'
import type { TestEvent } from 'node:test/reporters'

/** As node:test counts them. */
export interface Counts {
  tests: number
  passed: number
  failed: number
  cancelled: number
  skipped: number
  todo: number
}

export interface Counted extends Counts {
  /** CPU time of the process, and on Linux of those that it started and that have ended; PostgreSQL's is not in it. */
  cpuMs: number
}

const TICK_MS = 10

/** Fields 16 and 17 of /proc/<pid>/stat. The second may contain spaces. */
function cpuMsOfChildren(): number {
  if (process.platform !== 'linux') return 0
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS
}

const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000 + cpuMsOfChildren()
}

export default async function* countTests(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) if (type === 'test:summary') yield JSON.stringify({ ...data.counts, cpuMs: cpuMs() })
}
