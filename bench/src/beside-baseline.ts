import type { Row } from './benchmark.ts'
import { formatCpu, type Rate } from './interleave.ts'

/** Compares two rates that were sampled in turn. The ratio is that of the medians. */
export function besideBaseline(measured: Rate, baseline: Rate, named: string, minRatio?: number): Omit<Row, 'what'> {
  const ratio = measured.perSecond / baseline.perSecond
  const ratios = measured.rates.map((rate, round) => rate / baseline.rates[round]!)
  const row = { measured: measured.text, baseline: `${baseline.text} ${named}`, ratio, ratios, cpu: formatCpu(measured, baseline) }
  if (minRatio === undefined) return { ...row, target: '–' }
  const isClose = Math.min(...ratios) < minRatio && Math.max(...ratios) >= minRatio
  return { ...row, target: `ratio ≥ ${minRatio}`, isMet: ratio >= minRatio, isClose }
}
