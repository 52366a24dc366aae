import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Databases } from './databases.ts'
import { formatCpu, type Rate, type RunConfig } from './measure.ts'

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
}

/** Measures Postern beside a baseline. To add one: a file in benchmarks/, and an entry in main.ts. Benchmarks that differ only in numbers share a file. */
export interface Benchmark {
  /** The name for `--only`. */
  name: string
  /** What is measured, against which baseline: a paragraph for the page. */
  method: string
  /** Stops every process that it starts, also when it rejects. */
  measure(run: Run): Promise<Row[]>
}

/** Compares two rates that were sampled in turn. The ratio is that of the medians. */
export function besideBaseline(measured: Rate, baseline: Rate, named: string, minRatio?: number): Omit<Row, 'what'> {
  const ratio = measured.perSecond / baseline.perSecond
  const ratios = measured.rates.map((rate, round) => rate / baseline.rates[round]!)
  const row = { measured: measured.text, baseline: `${baseline.text} ${named}`, ratio, ratios, cpu: formatCpu(measured, baseline) }
  if (minRatio === undefined) return { ...row, target: '–' }
  const isClose = Math.min(...ratios) < minRatio && Math.max(...ratios) >= minRatio
  return { ...row, target: `ratio ≥ ${minRatio}`, isMet: ratio >= minRatio, isClose }
}

/** Compares the CPU time of an operation with that of a baseline: a server written by hand, unless another is named. */
export function besideHand(measured: Rate, byHand: Rate, most: number, named = 'written by hand'): Omit<Row, 'what'> {
  const ratio = measured.cpuMicrosPerOperation / byHand.cpuMicrosPerOperation
  return {
    measured: measured.text,
    baseline: `${byHand.text} ${named}`,
    ratio,
    cpu: formatCpu(measured, byHand),
    target: `CPU ratio ≤ ${most}`,
    isMet: ratio <= most,
  }
}

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

const table = (cells: readonly string[][]) => cells.map((row) => `| ${row.join(' | ')} |`).join('\n')

/** The rows as a Markdown table. */
export const formatTable = (rows: readonly Row[]): string => table([head, head.map(() => '---'), ...rows.map(cellsOf)])

const seconds = (ms: number) => `${ms / 1000} s`

const describeSampling = ({ samples, sampleMs, warmUpMs, starts }: RunConfig) =>
  `Medians (lowest–highest). Rates: ${samples} interleaved samples of ${seconds(sampleMs)}, after warm-ups of ${seconds(warmUpMs)} until operations get no cheaper. Start-up and memory: the best of ${starts} interleaved starts (lowest–highest).`

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
  const report = [environment, describeSampling(config), formatTable(rows), describeMethods(benchmarks)].join('\n\n')
  await writeFile(PAGE, `${page.slice(0, begin)}${BEGIN}\n\n${report}\n\n${page.slice(end)}`)
}
