import type { Sample, Sampler } from './worker.ts'

/** How many samples a run takes, and how long they are. */
export interface RunConfig {
  samples: number
  sampleMs: number
  warmUpMs: number
  /** How many times a process is started. */
  starts: number
  /** Rows of a long list, or subscriptions. */
  rows: number
}

export const fullRun: RunConfig = { samples: 5, sampleMs: 1500, warmUpMs: 1000, starts: 5, rows: 1_000_000 }
export const quickRun: RunConfig = { samples: 3, sampleMs: 500, warmUpMs: 300, starts: 2, rows: 50_000 }

/** The middle value; of an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return Number.isInteger(middle) ? (sorted[middle - 1]! + sorted[middle]!) / 2 : sorted[Math.floor(middle)]!
}

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
const oneDigit = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1, minimumFractionDigits: 1 })

/** `12,345`; below ten with one decimal, unless it is a whole number: `2.7`. */
export const formatNumber = (value: number): string => (value < 10 && !Number.isInteger(value) ? oneDigit : whole).format(value)

/** `12,345 (11,900–12,800)`: a value with the lowest and highest sample. */
export const formatSpread = (value: number, values: readonly number[]): string =>
  `${formatNumber(value)} (${formatNumber(Math.min(...values))}–${formatNumber(Math.max(...values))})`

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

/** An operation still gets cheaper while a sample is this much below the lowest before. */
const CHEAPER = 0.97
/** So many samples in a row that are no cheaper end the warm-up. */
const STABLE_SAMPLES = 3
const MOST_WARM_UPS = 16

/** Warms up until an operation gets no cheaper: what is called rarely is compiled late. */
async function warmUp(sampler: Sampler, ms: number) {
  let lowest = Number.POSITIVE_INFINITY
  let stable = 0
  for (let done = 0; done < MOST_WARM_UPS && stable < STABLE_SAMPLES; done += 1) {
    const { count, cpuMicros } = await sampler.call({ ms })
    const isCheaper = cpuMicros / count < lowest * CHEAPER
    stable = isCheaper ? 0 : stable + 1
    lowest = Math.min(lowest, cpuMicros / count)
  }
}

/** Warms up each sampler until its operations get no cheaper, then takes interleaved samples. */
export async function interleave<Name extends string>(samplers: Record<Name, Sampler>, config: RunConfig): Promise<Record<Name, Rate>> {
  const named = Object.entries<Sampler>(samplers)
  for (const [, sampler] of named) await warmUp(sampler, config.warmUpMs)
  const runs = Object.fromEntries(named.map(([name, sampler]) => [name, () => sampler.call({ ms: config.sampleMs })]))
  const samples = await roundRobin(config.samples, runs)
  return Object.fromEntries(Object.entries(samples).map(([name, some]) => [name, rateOf(some)])) as Record<Name, Rate>
}

/** `45 / 25 µs` */
export const formatCpu = (measured: Rate, baseline: Rate) =>
  `${formatNumber(measured.cpuMicrosPerOperation)} / ${formatNumber(baseline.cpuMicrosPerOperation)} µs`
