import type { Dispatcher } from 'undici'
import { createDispatchLoop } from './dispatch-loop.ts'
import type { Sampled } from './party.ts'

export interface HttpLoad {
  pid: number
  /** The processor time that counts, so far: of the server and what works for it, not of this client. */
  micros(): Promise<number>
  inFlight: number
  status: number
  request: Dispatcher.DispatchOptions
  /** Where requests differ: makes them before each look of so many milliseconds. */
  ahead?: (ms: number) => () => Dispatcher.DispatchOptions
  /** How many things one request does. */
  worth?: number
}

/** Keeps a server busy with one request, over and over, or with one after the other that were made ahead. */
export function createHttpLoad({ pid, micros, inFlight, status, request, ahead, worth = 1 }: HttpLoad): Sampled {
  let next = () => request
  const loop = createDispatchLoop({ inFlight, status, request: () => next() })
  return {
    pid,
    async ask({ ms }) {
      if (ahead) next = ahead(ms)
      const before = await micros()
      const { count, elapsedMs } = await loop.sample(ms)
      return { count: count * worth, elapsedMs, processorMicros: (await micros()) - before }
    },
    [Symbol.asyncDispose]: () => loop.close(),
  }
}
