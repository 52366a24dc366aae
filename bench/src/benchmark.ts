import type { Databases } from './databases.ts'
import type { RunConfig } from './run-config.ts'

/** What all benchmarks of one run share. */
export interface Run {
  config: RunConfig
  databases: Databases
}

/** One row of the table. Values include their unit. */
export interface Row {
  /** What was measured, with the unit and the number of requests in flight. */
  what: string
  measured: string
  /** The baseline, measured in the same run. */
  baseline: string
  /** Measured divided by baseline, where the two are comparable. */
  ratio?: number
  /** The ratio of each round of interleaved samples. */
  ratios?: readonly number[]
  /** CPU time per operation, of Postern and of the baseline. */
  cpu?: string
  target: string
  /** Undefined where there is no target. */
  isMet?: boolean | undefined
  /** The rounds lie on both sides of the target. */
  isClose?: boolean
  /** Computed from other rows. */
  isSimulated?: boolean
}

/** Measures Postern beside a baseline. To add one: a file in benchmarks/, and an entry in benchmarks.ts. Benchmarks that differ only in numbers share a file. */
export interface Benchmark {
  /** The name for `--only`. */
  name: string
  /** What is measured, against which baseline: a paragraph for the page. */
  method: string
  /** Stops every process that it starts, also when it rejects. */
  measure(run: Run): Promise<Row[]>
}
