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

/** What a benchmark measured, on which machine, on which day. */
export interface Report {
  benchmark: Benchmark
  rows: readonly Row[]
  config: RunConfig
  /** The machine and the versions. */
  environment: string
}

const today = () => new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format()

/** Writes what a benchmark measured into its section of docs/benchmarks.md. Throws when the page has no markers of that section. */
export async function writeReport({ benchmark: { name, method }, rows, config, environment }: Report) {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`]
  const page = await readFile(PAGE, 'utf8')
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`docs/benchmarks.md must contain the markers ${begin} and ${end}`)
  const section = [method, formatTable(rows), `${today()}: ${environment} ${describeSampling(config)}`].join('\n\n')
  await writeFile(PAGE, `${page.slice(0, from)}${begin}\n\n${section}\n\n${page.slice(to)}`)
}
