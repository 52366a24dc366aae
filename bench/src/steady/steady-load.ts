import type { Received, Receiver } from '../receiver.ts'
import { percentile } from '../statistics.ts'
import { type Sample, type Sampler, startWorker } from '../worker.ts'

export interface SteadyRate {
  perSecond: number
  /** Events per request. */
  batch: number
}

/** Small requests, 200 a second. */
export const STEADY_LOAD: SteadyRate = { perSecond: 2000, batch: 10 }

/** A producer that falls further behind has measured its own slowness. */
const MAX_DELAY_MS = 100

export interface SteadyArgument<To> extends SteadyRate {
  /** The origin of Postern, or the port of the callbacks. */
  to: To
  webhooks: number
}

/** Starts a producer that publishes to Postern. */
export const startProducer = (to: string, webhooks: number): Promise<Sampler> =>
  startWorker('steady-producer.ts', { ...STEADY_LOAD, to, webhooks } satisfies SteadyArgument<string>)

/** Starts a sender that posts directly to the callbacks. */
export const startBareSender = (to: number, webhooks: number): Promise<Sampler> =>
  startWorker('steady-bare-sender.ts', { ...STEADY_LOAD, to, webhooks } satisfies SteadyArgument<number>)

/** Runs a steady load and collects what was received. Throws when the producer fell behind. */
export async function runLoad(producer: Sampler, ms: number, receive: Receiver['receive']): Promise<Received & Sample> {
  const sent = await producer.call({ ms })
  if (sent.elapsedMs - ms > MAX_DELAY_MS)
    throw new Error(`the producer fell behind: it sent in ${Math.round(sent.elapsedMs)} ms what takes ${ms} ms at this rate`)
  return { ...sent, ...(await receive(sent.count)) }
}

/** p50 and p99 latency. */
export const latencyOf = ({ latenciesMs }: Received) => ({ p50Ms: percentile(latenciesMs, 0.5), p99Ms: percentile(latenciesMs, 0.99) })
