import { median } from './median.ts'
import { inWords, withSpread } from './numbers.ts'
import type { Pace } from './pace.ts'
import type { Sample, Sampled } from './party.ts'

/** Medians over the samples of one party. */
export interface Rate {
  perSecond: number
  processorMicrosEach: number
  shown: string
}

export function rateOf(samples: readonly Sample[]): Rate {
  const rates = samples.map(({ count, elapsedMs }) => (count / elapsedMs) * 1000)
  const perSecond = median(rates)
  const processorMicrosEach = median(samples.map(({ count, processorMicros }) => processorMicros / count))
  return { perSecond, processorMicrosEach, shown: withSpread(perSecond, rates) }
}

/** Takes looks at several things in turn, so that whatever else the machine does falls on all alike. */
export async function inTurn<Name extends string, Look>(
  rounds: number,
  looks: Record<Name, () => Promise<Look>>,
): Promise<Record<Name, Look[]>> {
  const named = Object.entries<() => Promise<Look>>(looks)
  const taken = Object.fromEntries(named.map(([name]) => [name, [] as Look[]]))
  for (let round = 0; round < rounds; round += 1) for (const [name, look] of named) taken[name]!.push(await look())
  return taken as Record<Name, Look[]>
}

/** Warms each party, then takes samples of them in turn. */
export async function interleave<Name extends string>(parties: Record<Name, Sampled>, pace: Pace): Promise<Record<Name, Rate>> {
  const named = Object.entries<Sampled>(parties)
  for (const [, party] of named) await party.ask({ ms: pace.warmMs })
  const looks = Object.fromEntries(named.map(([name, party]) => [name, () => party.ask({ ms: pace.sampleMs })]))
  const taken = await inTurn(pace.samples, looks)
  return Object.fromEntries(Object.entries(taken).map(([name, samples]) => [name, rateOf(samples)])) as Record<Name, Rate>
}

/** `45 / 25 µs` */
export const processorOf = (ours: Rate, limit: Rate) => `${inWords(ours.processorMicrosEach)} / ${inWords(limit.processorMicrosEach)} µs`
