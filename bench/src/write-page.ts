import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Figure, Line } from './figure.ts'
import type { Pace } from './pace.ts'
import { table } from './table.ts'

const PAGE = resolve(import.meta.dirname, '../../docs/benchmarks.md')
const BEGIN = '<!-- measured: begin -->'
const END = '<!-- measured: end -->'

const seconds = (ms: number) => `${ms / 1000} s`

const method = ({ samples, sampleMs, warmMs, starts, steadyMs, pairs, pairMs }: Pace) =>
  `Medians (lowest–highest) of ${samples} interleaved samples of ${seconds(sampleMs)} after ${seconds(warmMs)} of warming, at a steady rate of ${seconds(steadyMs)}; of ${pairs} interleaved pairs of ${seconds(pairMs)} beside callbacks that misbehave; of ${starts} starts for what concerns starting and memory.`

const sources = (figures: readonly Figure[]) => figures.map(({ name, limit }) => `- \`${name}\`: ${limit}`).join('\n')

export interface Measured {
  figures: readonly Figure[]
  lines: readonly Line[]
  pace: Pace
  circumstances: string
}

/** Writes what was measured into docs/benchmarks.md, between its markers. Throws when they are not there. */
export async function writePage({ figures, lines, pace, circumstances }: Measured) {
  const page = await readFile(PAGE, 'utf8')
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (begin === -1 || end < begin) throw new Error(`docs/benchmarks.md must hold the markers ${BEGIN} and ${END}`)
  const measured = [circumstances, method(pace), table(lines), sources(figures)].join('\n\n')
  await writeFile(PAGE, `${page.slice(0, begin)}${BEGIN}\n\n${measured}\n\n${page.slice(end)}`)
}
