import type { Counts } from './report.ts'
import type { Cpu } from './worker.ts'
import type { FileRun } from './worker-process.ts'

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/** The line about a file. */
export function lineOf({ file, failure, result, durationMs }: FileRun): string {
  const tests = result ? `${result.counts.tests} tests, ` : ''
  return failure ? `✖ ${file}: ${failure} (${tests}${seconds(durationMs)})` : `✔ ${file} (${tests}${seconds(durationMs)})`
}

const counted = ['tests', 'passed', 'failed', 'cancelled', 'skipped', 'todo'] as const satisfies (keyof Counts)[]

const LISTED = 10

/** The files with the most CPU time. Durations say less: they depend on what ran beside a file. */
function dearest(runs: readonly FileRun[], listed: number): string[] {
  const cpuMs = ({ result }: FileRun) => result?.cpu.totalMs ?? 0
  const sorted = runs.toSorted((one, other) => cpuMs(other) - cpuMs(one)).slice(0, listed)
  const line = (run: FileRun) => {
    const started = run.result?.cpu.startedMs ? ` (${seconds(run.result.cpu.startedMs)} of processes that it starts)` : ''
    return `  ${seconds(cpuMs(run))} of CPU${started} in ${seconds(run.durationMs)}: ${run.file}`
  }
  return sorted.map(line)
}

/** Where the CPU time went, by kind. */
function kinds(runs: readonly FileRun[], postgresMs: number): string {
  const sum = (of: keyof Cpu) => runs.reduce((total, { result }) => total + (result?.cpu[of] ?? 0), 0)
  const [total, loading, started, hashing] = [sum('totalMs'), sum('loadingMs'), sum('startedMs'), sum('hashingMs')]
  const parts = [
    `loading modules ${seconds(loading)}`,
    `PostgreSQL ${seconds(postgresMs)}`,
    `hashing passwords ${seconds(hashing)}`,
    `processes that tests start ${seconds(started)}`,
    `tests ${seconds(total - loading - started - hashing)}`,
  ]
  return `ℹ CPU ${seconds(total + postgresMs)}: ${parts.join(', ')}`
}

/**
 * The sums of a run, the files that took most, or all of them, and those that failed. `postgresMs` is the CPU time of the PostgreSQL that they
 * share.
 */
export function summary(runs: readonly FileRun[], durationMs: number, postgresMs: number, listsAll: boolean): string {
  const sums = counted.map((name) => `ℹ ${name} ${runs.reduce((sum, { result }) => sum + (result?.counts[name] ?? 0), 0)}`)
  const leftOut = new Set(runs.flatMap(({ result }) => result?.leftOut ?? []))
  const failed = runs.filter(({ failure }) => failure).map(lineOf)
  const most = listsAll || runs.length > LISTED ? ['ℹ most work', ...dearest(runs, listsAll ? runs.length : LISTED)] : []
  return [
    `ℹ files ${runs.length}`,
    `ℹ files failed ${failed.length}`,
    ...sums,
    ...[...leftOut].map((reason) => `ℹ left out: ${reason}`),
    `ℹ duration ${seconds(durationMs)}`,
    kinds(runs, postgresMs),
    ...most,
    ...failed,
  ].join('\n')
}
