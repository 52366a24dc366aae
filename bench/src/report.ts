import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Benchmark, Row } from './benchmark.ts'
import type { RunConfig } from './run-config.ts'

const PAGE = resolve(import.meta.dirname, '../../docs/benchmarks.md')
const BEGIN = '<!-- measured: begin -->'
const END = '<!-- measured: end -->'

const verdict = ({ isMet }: Row) => (isMet === undefined ? '' : isMet ? 'met' : '**missed**')

const cellsOf = (row: Row) => [
  row.what,
  row.measured,
  row.baseline,
  row.ratio === undefined ? '–' : row.ratio.toFixed(2),
  row.cpu ?? '–',
  row.target,
  verdict(row),
]

const head = ['Benchmark', 'Measured', 'Baseline, same run', 'Ratio', 'CPU per operation, measured / baseline', 'Target', '']

/** The rows as a Markdown table. */
export const formatTable = (rows: readonly Row[]): string =>
  [head, head.map(() => '---'), ...rows.map(cellsOf)].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

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
  const report = [environment, describeSampling(config), formatTable(rows), describeMethods(benchmarks)].join('\n\n')
  await writeFile(PAGE, `${page.slice(0, begin)}${BEGIN}\n\n${report}\n\n${page.slice(end)}`)
}
