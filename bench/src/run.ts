import type { Databases } from './databases.ts'
import type { Pace } from './pace.ts'

/** What every figure of one run shares. */
export interface Run {
  pace: Pace
  databases: Databases
}
