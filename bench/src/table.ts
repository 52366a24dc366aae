import type { Line } from './figure.ts'

const verdict = ({ isMet }: Line) => (isMet === undefined ? '' : isMet ? 'met' : '**missed**')

const cellsOf = (line: Line) => [
  line.what,
  line.measured,
  line.limit,
  line.ratio === undefined ? '–' : line.ratio.toFixed(2),
  line.processor ?? '–',
  line.aim,
  verdict(line),
]

const head = ['Figure', 'Measured', 'Limit, same run', 'Ratio', 'CPU each, measured / limit', 'Aim', '']

/** The lines as one Markdown table. */
export const table = (lines: readonly Line[]): string =>
  [head, head.map(() => '---'), ...lines.map(cellsOf)].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
