import type { Dispatcher } from 'undici'
import { createDispatchLoop } from './dispatch-loop.ts'
import type { Sampler } from './worker.ts'

export interface HttpLoad {
  pid: number
  /** The CPU time that counts, so far: that of the server and its database, not of this client. */
  cpuMicros(): Promise<number>
  inFlight: number
  status: number
  request: Dispatcher.DispatchOptions
  /** For requests that differ: prepares them before each sample of so many milliseconds. */
  prepare?: (ms: number) => () => Dispatcher.DispatchOptions
  operationsPerRequest?: number
}

/** Keeps a server busy with one request over and over, or with a sequence of prepared requests. */
export function createHttpLoad({ pid, cpuMicros, inFlight, status, request, prepare, operationsPerRequest = 1 }: HttpLoad): Sampler {
  let next = () => request
  const loop = createDispatchLoop({ inFlight, status, request: () => next() })
  return {
    pid,
    async call({ ms }) {
      if (prepare) next = prepare(ms)
      const before = await cpuMicros()
      const { count, elapsedMs } = await loop.sample(ms)
      return { count: count * operationsPerRequest, elapsedMs, cpuMicros: (await cpuMicros()) - before }
    },
    [Symbol.asyncDispose]: () => loop.close(),
  }
}
