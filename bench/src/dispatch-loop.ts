import { Agent, type Dispatcher } from 'undici'
import type { Sample } from './party.ts'
import { stopwatch } from './stopwatch.ts'

export interface DispatchLoopOptions {
  inFlight: number
  /** The status that every answer must have. */
  status: number
  /** PEM of the authority that is trusted over TLS. */
  ca?: string
  request(): Dispatcher.DispatchOptions
}

/** Keeps a number of requests in flight through undici, and nothing else: the least that a client on Node costs. */
export function createDispatchLoop({ inFlight, status, ca, request }: DispatchLoopOptions) {
  const agent = new Agent({ connections: inFlight, pipelining: 1, keepAliveTimeout: 60_000, allowH2: false, connect: { ca } })

  const sample = (ms: number) =>
    new Promise<Sample>((resolve, reject) => {
      const watch = stopwatch()
      const endsAtMs = performance.now() + ms
      let count = 0
      let flying = inFlight
      let taken: Sample | undefined

      const launch = () => agent.dispatch(request(), handler)
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart() {},
        onResponseStart(_controller, received) {
          if (received !== status) reject(new Error(`answered ${received} instead of ${status}`))
        },
        onResponseData() {},
        onResponseEnd() {
          count += 1
          if (performance.now() < endsAtMs) return launch()
          taken ??= { count, ...watch() }
          flying -= 1
          if (flying === 0) resolve(taken)
        },
        onResponseError: (_controller, error) => reject(error),
      }
      for (let i = 0; i < inFlight; i += 1) launch()
    })

  return { sample, close: () => agent.destroy() }
}
