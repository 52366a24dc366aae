import { Agent, type Dispatcher } from 'undici'
import { stopwatch } from './stopwatch.ts'
import type { Sample } from './worker.ts'

export interface DispatchLoopOptions {
  inFlight: number
  /** The status that every response must have. */
  status: number
  /** CA certificate (PEM) to trust over TLS. */
  ca?: string
  request(): Dispatcher.DispatchOptions
}

/** A closed loop that keeps a number of requests in flight through undici: the minimum cost of an HTTP client on Node. */
export function createDispatchLoop({ inFlight, status, ca, request }: DispatchLoopOptions) {
  const agent = new Agent({ connections: inFlight, pipelining: 1, keepAliveTimeout: 60_000, allowH2: false, connect: { ca } })

  const sample = (ms: number) =>
    new Promise<Sample>((resolve, reject) => {
      const watch = stopwatch()
      const endsAtMs = performance.now() + ms
      let count = 0
      let running = inFlight
      let result: Sample | undefined

      const send = () => agent.dispatch(request(), handler)
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart() {},
        onResponseStart(_controller, received) {
          if (received !== status) reject(new Error(`responded ${received} instead of ${status}`))
        },
        onResponseData() {},
        onResponseEnd() {
          count += 1
          if (performance.now() < endsAtMs) return send()
          result ??= { count, ...watch() }
          running -= 1
          if (running === 0) resolve(result)
        },
        onResponseError: (_controller, error) => reject(error),
      }
      for (let i = 0; i < inFlight; i += 1) send()
    })

  return { sample, close: () => agent.destroy() }
}

/** Sends one request and resolves when it was answered, at minimum cost. Rejects when the response has another status. */
export const dispatchOnce = (agent: Agent, status: number, request: Dispatcher.DispatchOptions) =>
  new Promise<void>((resolve, reject) => {
    agent.dispatch(request, {
      onRequestStart() {},
      onResponseStart(_controller, received) {
        if (received !== status) reject(new Error(`responded ${received} instead of ${status}`))
      },
      onResponseData() {},
      onResponseEnd: () => resolve(),
      onResponseError: (_controller, error) => reject(error),
    })
  })
