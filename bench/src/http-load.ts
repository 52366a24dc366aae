import { Agent, type Dispatcher } from 'undici'
import { userAuthorizationOf } from './fixtures.ts'
import { cpuMicrosWithDatabase, stopwatch } from './process-status.ts'
import { type Sample, type Sampler, startWorker } from './worker.ts'

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

/** Something that answers HTTP; its CPU time counts, with that of its database. */
export interface Server {
  pid: number
  databasePid?: number | undefined
}

export interface HttpLoad {
  server: Server
  inFlight: number
  /** 200 if undefined. */
  status?: number
  /** Undefined: those that `prepare` makes. */
  request?: Dispatcher.DispatchOptions
  /** Prepares requests that differ, before each sample of so many milliseconds. */
  prepare?: (ms: number) => () => Dispatcher.DispatchOptions
  operationsPerRequest?: number
}

/** Keeps a server busy with one request over and over, or with a sequence of prepared requests. */
export function createHttpLoad({ server, inFlight, status = 200, request, prepare, operationsPerRequest = 1 }: HttpLoad): Sampler {
  let next = () => request!
  const loop = createDispatchLoop({ inFlight, status, request: () => next() })
  const cpuMicros = () => cpuMicrosWithDatabase(server.pid, server.databasePid)
  return {
    pid: server.pid,
    async call({ ms }) {
      if (prepare) next = prepare(ms)
      const before = await cpuMicros()
      const { count, elapsedMs } = await loop.sample(ms)
      return { count: count * operationsPerRequest, elapsedMs, cpuMicros: (await cpuMicros()) - before }
    },
    [Symbol.asyncDispose]: () => loop.close(),
  }
}

export const IN_FLIGHT = 32

/** Keeps a server busy with the same GET. */
export const createGetLoad = (server: Server, url: string, headers: Record<string, string> = {}): Sampler =>
  createHttpLoad({ server, inFlight: IN_FLIGHT, request: { ...partsOf(url), headers } })

const partsOf = (url: string) => {
  const { origin, pathname, search } = new URL(url)
  return { origin, path: pathname + search, method: 'GET' as const }
}

/** More than can be sent in a millisecond. */
const MAX_PER_MS = 12

/**
 * Keeps a server busy with a GET that is signed for a user, each time with a fresh nonce and signed before the sample. A proxy's `headers`
 * may say that it was sent to another URL, which is signed.
 */
export function createSignedLoad(server: Server, url: string, signedUrl = url, headers: Record<string, string> = {}): Sampler {
  const createRequest = () => ({ ...partsOf(url), headers: { authorization: userAuthorizationOf(signedUrl), ...headers } })
  const prepare = (ms: number) => {
    const prepared = Array.from({ length: ms * MAX_PER_MS }, createRequest)
    return () => prepared.pop() ?? createRequest()
  }
  return createHttpLoad({ server, inFlight: IN_FLIGHT, prepare })
}

/** The response that bare Fastify gives to every request. */
export interface FixedResponse {
  method: 'GET' | 'POST'
  path: string
  status: number
  headers: Record<string, string>
  /** A string is sent as it is; an object is serialized as JSON each time. */
  body: string | object
}

export interface BareFastify extends Server, AsyncDisposable {
  url: string
}

/** Starts a process with Fastify and nothing else. */
export async function startBareFastify(response: FixedResponse): Promise<BareFastify> {
  // A response may be too long for an argument of a process.
  const worker = await startWorker<FixedResponse, { url: string }>('workers/bare-fastify.ts', {})
  return { pid: worker.pid, url: (await worker.call(response)).url, [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose]() }
}

/** Headers that the HTTP library sets itself. */
const OWN_HEADERS = ['connection', 'content-length', 'date', 'keep-alive']

/** Records a server's response to a GET, so that bare Fastify can send the same bytes and headers. */
export async function recordResponse(url: string, headers: Record<string, string>): Promise<FixedResponse> {
  const response = await fetch(url, { headers })
  if (response.status !== 200) throw new Error(`${url} responded ${response.status}: ${await response.text()}`)
  const recorded = [...response.headers].filter(([name]) => !OWN_HEADERS.includes(name))
  return { method: 'GET', path: new URL(url).pathname, status: 200, headers: Object.fromEntries(recorded), body: await response.text() }
}
