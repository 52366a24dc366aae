import { setTimeout } from 'node:timers/promises'
import { stopwatch } from '../stopwatch.ts'
import type { Sample } from '../worker.ts'
import { serve } from '../workers/serve.ts'
import type { SteadyRate } from './steady-load.ts'

/** An open loop: sends batches at a constant rate, without waiting for responses. */
async function sendSteadyLoad({ perSecond, batch }: SteadyRate, ms: number, send: () => Promise<unknown>): Promise<Sample> {
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

/** A worker that sends at a steady rate for the requested time. `send` sends one batch; `elapsedMs` is the time until the last was sent. */
export const serveSteadyLoad = (rate: SteadyRate, send: () => Promise<unknown>, close: () => unknown) =>
  serve(({ ms }: { ms: number }) => sendSteadyLoad(rate, ms, send), close)
