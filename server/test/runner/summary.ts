import type { Counts } from './count-tests.ts'
import type { FileRun } from './run-file.ts'

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/** The line about a file. */
export function lineOf({ file, failure, counts, durationMs }: FileRun): string {
  const tests = counts ? `${counts.tests} tests, ` : ''
  return failure ? `✖ ${file}: ${failure} (${tests}${seconds(durationMs)})` : `✔ ${file} (${tests}${seconds(durationMs)})`
}

const counted = ['tests', 'passed', 'failed', 'cancelled', 'skipped', 'todo'] as const satisfies (keyof Counts)[]

const LISTED = 10

/** The files with the most CPU time. Durations say less: they depend on what ran beside a file. */
function dearest(runs: readonly FileRun[]): string[] {
  const cpuMs = ({ counts }: FileRun) => counts?.cpuMs ?? 0
  const sorted = runs.toSorted((one, other) => cpuMs(other) - cpuMs(one)).slice(0, LISTED)
  return sorted.map((run) => `  ${seconds(cpuMs(run))} of CPU in ${seconds(run.durationMs)}: ${run.file}`)
}

/** The sums of a run, the files that took most, and those that failed. */
export function summary(runs: readonly FileRun[], durationMs: number): string {
  const sums = counted.map((name) => `ℹ ${name} ${runs.reduce((sum, { counts }) => sum + (counts?.[name] ?? 0), 0)}`)
  const failed = runs.filter(({ failure }) => failure).map(lineOf)
  const most = runs.length > LISTED ? ['ℹ most work', ...dearest(runs)] : []
  return [
    `ℹ files ${runs.length}`,
    `ℹ files failed ${failed.length}`,
    ...sums,
    `ℹ duration ${seconds(durationMs)}`,
    ...most,
    ...failed,
  ].join('\n')
}
