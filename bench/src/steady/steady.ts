import { type Sample, type Sampled, startParty } from '../party.ts'
import { percentile } from '../percentile.ts'
import type { Received, Receiver } from '../receiver.ts'

export interface SteadyRate {
  perSecond: number
  /** How many go out together. */
  batch: number
}

/** Small requests, 200 in a second. */
export const STEADY: SteadyRate = { perSecond: 2000, batch: 10 }

/** A producer that is later than this has measured itself. */
const MOST_LATE_MS = 100

export interface SteadyArgument<To> extends SteadyRate {
  /** An origin of Postern's, or the port of the callbacks. */
  to: To
  webhooks: number
}

/** Starts what publishes to a Postern at this origin. */
export const startProducer = (to: string, webhooks: number): Promise<Sampled> =>
  startParty('steady-producer.ts', { ...STEADY, to, webhooks } satisfies SteadyArgument<string>)

/** Starts what sends to the callbacks on this port. */
export const startBareSender = (to: number, webhooks: number): Promise<Sampled> =>
  startParty('steady-bare-sender.ts', { ...STEADY, to, webhooks } satisfies SteadyArgument<number>)

/** Lets events flow for a while, and takes what came of them. Throws when the producer did not keep its pace. */
export async function flow(producer: Sampled, ms: number, take: Receiver['take']): Promise<Received & Sample> {
  const sent = await producer.ask({ ms })
  if (sent.elapsedMs - ms > MOST_LATE_MS)
    throw new Error(`the producer took ${Math.round(sent.elapsedMs)} ms for what goes out in ${ms} ms`)
  return { ...sent, ...(await take(sent.count)) }
}

/** The median and the slowest of a hundred, in milliseconds. */
export const latencyOf = ({ latenciesMs }: Received) => ({ p50Ms: percentile(latenciesMs, 0.5), p99Ms: percentile(latenciesMs, 0.99) })
