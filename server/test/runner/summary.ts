import type { Counts } from './count-tests.ts'
import type { FileRun } from './run-file.ts'

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/** The line about a file. */
export function lineOf({ file, failure, counts, durationMs }: FileRun): string {
  const tests = counts ? `${counts.tests} tests, ` : ''
  return failure ? `✖ ${file}: ${failure} (${tests}${seconds(durationMs)})` : `✔ ${file} (${tests}${seconds(durationMs)})`
}

const counted = ['tests', 'passed', 'failed', 'cancelled', 'skipped', 'todo'] as const satisfies (keyof Counts)[]

/** The sums of a run, and the files that failed. */
export function summary(runs: readonly FileRun[], durationMs: number): string {
  const sums = counted.map((name) => `ℹ ${name} ${runs.reduce((sum, { counts }) => sum + (counts?.[name] ?? 0), 0)}`)
  const failed = runs.filter(({ failure }) => failure).map(lineOf)
  return [`ℹ files ${runs.length}`, `ℹ files failed ${failed.length}`, ...sums, `ℹ duration ${seconds(durationMs)}`, ...failed].join('\n')
}
