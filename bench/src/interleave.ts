import { median } from './median.ts'
import { inWords, withSpread } from './numbers.ts'
import type { Pace } from './pace.ts'
import type { Party, Sample } from './party.ts'

/** Medians over the samples of one party. */
export interface Rate {
  perSecond: number
  processorMicrosEach: number
  shown: string
}

type Sampled = Party<{ ms: number }, Sample>

function rateOf(samples: readonly Sample[]): Rate {
  const rates = samples.map(({ count, elapsedMs }) => (count / elapsedMs) * 1000)
  const perSecond = median(rates)
  const processorMicrosEach = median(samples.map(({ count, processorMicros }) => processorMicros / count))
  return { perSecond, processorMicrosEach, shown: withSpread(perSecond, rates) }
}

/** Warms each party, then takes samples of them in turn, so that whatever else the machine does falls on all alike. */
export async function interleave<Name extends string>(parties: Record<Name, Sampled>, pace: Pace): Promise<Record<Name, Rate>> {
  const named = Object.entries<Sampled>(parties)
  const taken = new Map(named.map(([name]) => [name, [] as Sample[]]))
  for (const [, party] of named) await party.ask({ ms: pace.warmMs })
  for (let round = 0; round < pace.samples; round += 1)
    for (const [name, party] of named) taken.get(name)!.push(await party.ask({ ms: pace.sampleMs }))
  return Object.fromEntries([...taken].map(([name, samples]) => [name, rateOf(samples)])) as Record<Name, Rate>
}

/** `45 / 25 µs` */
export const processorOf = (ours: Rate, limit: Rate) => `${inWords(ours.processorMicrosEach)} / ${inWords(limit.processorMicrosEach)} µs`
