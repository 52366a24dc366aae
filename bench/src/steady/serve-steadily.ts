import { setTimeout } from 'node:timers/promises'
import { serve } from '../parties/serve.ts'
import type { Sample } from '../party.ts'
import { stopwatch } from '../stopwatch.ts'
import type { SteadyRate } from './steady.ts'

/** Sends batches evenly, whatever becomes of those before: an open loop. */
async function sendSteadily({ perSecond, batch }: SteadyRate, ms: number, send: () => Promise<unknown>): Promise<Sample> {
  const everyMs = (batch * 1000) / perSecond
  const watch = stopwatch()
  const startedMs = performance.now()
  const sent: Promise<unknown>[] = []
  while (sent.length * everyMs < ms) {
    const leftMs = startedMs + sent.length * everyMs - performance.now()
    if (leftMs > 0) await setTimeout(leftMs)
    sent.push(send())
  }
  const elapsedMs = performance.now() - startedMs
  await Promise.all(sent)
  return { ...watch(), count: sent.length * batch, elapsedMs }
}

/** A party that sends at a steady rate for as long as it is told. `send` sends one batch; `elapsedMs` is the time in which they went out. */
export const serveSteadily = (rate: SteadyRate, send: () => Promise<unknown>, close: () => unknown) =>
  serve(({ ms }: { ms: number }) => sendSteadily(rate, ms, send), close)
