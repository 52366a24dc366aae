import type { RunConfig } from './run-config.ts'
import { formatNumber, formatSpread, median } from './statistics.ts'
import type { Sample, Sampler } from './worker.ts'

/** Medians over the samples of one sampler. */
export interface Rate {
  perSecond: number
  /** The rate of each sample. */
  rates: readonly number[]
  cpuMicrosPerOperation: number
  /** The rate with its spread. */
  text: string
}

export function rateOf(samples: readonly Sample[]): Rate {
  const rates = samples.map(({ count, elapsedMs }) => (count / elapsedMs) * 1000)
  const perSecond = median(rates)
  const cpuMicrosPerOperation = median(samples.map(({ count, cpuMicros }) => cpuMicros / count))
  return { perSecond, rates, cpuMicrosPerOperation, text: formatSpread(perSecond, rates) }
}

/** Runs several measurements round robin, so that other load on the machine affects all of them alike. */
export async function roundRobin<Name extends string, Measurement>(
  rounds: number,
  measure: Record<Name, () => Promise<Measurement>>,
): Promise<Record<Name, Measurement[]>> {
  const named = Object.entries<() => Promise<Measurement>>(measure)
  const measured = Object.fromEntries(named.map(([name]) => [name, [] as Measurement[]]))
  for (let round = 0; round < rounds; round += 1) for (const [name, run] of named) measured[name]!.push(await run())
  return measured as Record<Name, Measurement[]>
}

/** Warms up each sampler, then takes interleaved samples. */
export async function interleave<Name extends string>(samplers: Record<Name, Sampler>, config: RunConfig): Promise<Record<Name, Rate>> {
  const named = Object.entries<Sampler>(samplers)
  for (const [, sampler] of named) await sampler.call({ ms: config.warmUpMs })
  const runs = Object.fromEntries(named.map(([name, sampler]) => [name, () => sampler.call({ ms: config.sampleMs })]))
  const samples = await roundRobin(config.samples, runs)
  return Object.fromEntries(Object.entries(samples).map(([name, some]) => [name, rateOf(some)])) as Record<Name, Rate>
}

/** `45 / 25 µs` */
export const formatCpu = (measured: Rate, baseline: Rate) =>
  `${formatNumber(measured.cpuMicrosPerOperation)} / ${formatNumber(baseline.cpuMicrosPerOperation)} µs`
