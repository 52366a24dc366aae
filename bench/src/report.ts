import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Benchmark, Row } from './benchmark.ts'
import type { RunConfig } from './run-config.ts'

const PAGE = resolve(import.meta.dirname, '../../docs/benchmarks.md')
const BEGIN = '<!-- measured: begin -->'
const END = '<!-- measured: end -->'

const verdict = ({ isMet, isClose }: Row) => (isMet === undefined ? '' : `${isMet ? 'met' : '**missed**'}${isClose ? ', close' : ''}`)

const formatRatio = (ratio: number) => ratio.toFixed(2)

/** `0.80 (0.74–0.91)`: of the medians, with the lowest and highest round. */
function ratioOf({ ratio, ratios = [] }: Row): string {
  if (ratio === undefined) return '–'
  if (ratios.length === 0) return formatRatio(ratio)
  return `${formatRatio(ratio)} (${formatRatio(Math.min(...ratios))}–${formatRatio(Math.max(...ratios))})`
}

const cellsOf = (row: Row) => [row.what, row.measured, row.baseline, ratioOf(row), row.cpu ?? '–', row.target, verdict(row)]

const head = ['Benchmark', 'Measured', 'Baseline, same run', 'Ratio', 'CPU per operation, measured / baseline', 'Target', '']

const SIMULATED = 'Simulated from the figures above, not measured:'
const headOfSimulated = ['Simulated', 'Result', 'Without', 'Ratio']

const table = (cells: readonly string[][]) => cells.map((row) => `| ${row.join(' | ')} |`).join('\n')

const tableOf = (titles: string[], rows: readonly Row[]) =>
  table([titles, titles.map(() => '---'), ...rows.map((row) => cellsOf(row).slice(0, titles.length))])

/** The rows as Markdown tables: what was measured, and what was computed from it. */
export function formatTables(rows: readonly Row[]): string {
  const measured = tableOf(
    head,
    rows.filter(({ isSimulated }) => !isSimulated),
  )
  const simulated = rows.filter(({ isSimulated }) => isSimulated)
  return simulated.length === 0 ? measured : `${measured}\n\n${SIMULATED}\n\n${tableOf(headOfSimulated, simulated)}`
}

const seconds = (ms: number) => `${ms / 1000} s`

const describeSampling = ({ samples, sampleMs, warmUpMs, starts, steadyMs, pairs, pairMs }: RunConfig) =>
  `Medians (lowest–highest). Rates: ${samples} interleaved samples of ${seconds(sampleMs)} after ${seconds(warmUpMs)} of warm-up. Steady rate: samples of ${seconds(steadyMs)}. Faulty callbacks: ${pairs} interleaved pairs of ${seconds(pairMs)}. Start-up and memory: ${starts} starts.`

const describeMethods = (benchmarks: readonly Benchmark[]) => benchmarks.map(({ name, method }) => `- \`${name}\`: ${method}`).join('\n')

export interface Report {
  benchmarks: readonly Benchmark[]
  rows: readonly Row[]
  config: RunConfig
  /** The machine and the versions. */
  environment: string
}

/** Writes a report into docs/benchmarks.md, between its markers. Throws when the markers are missing. */
export async function writeReport({ benchmarks, rows, config, environment }: Report) {
  const page = await readFile(PAGE, 'utf8')
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (begin === -1 || end < begin) throw new Error(`docs/benchmarks.md must contain the markers ${BEGIN} and ${END}`)
  const report = [environment, describeSampling(config), formatTables(rows), describeMethods(benchmarks)].join('\n\n')
  await writeFile(PAGE, `${page.slice(0, begin)}${BEGIN}\n\n${report}\n\n${page.slice(end)}`)
}
