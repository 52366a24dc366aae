import { startWorker } from './worker.ts'

/** The response that bare Fastify gives to every request. */
export interface FixedResponse {
  method: 'GET' | 'POST'
  path: string
  status: number
  headers: Record<string, string>
  /** A string is sent as it is; an object is serialized as JSON each time. */
  body: string | object
}

export interface BareFastify extends AsyncDisposable {
  pid: number
  url: string
}

const empty: FixedResponse = { method: 'GET', path: '/', status: 200, headers: {}, body: '' }

/** Starts a process with Fastify and nothing else. */
export async function startBareFastify(response = empty): Promise<BareFastify> {
  // A response may be too long for an argument of a process.
  const worker = await startWorker<FixedResponse, { url: string }>('bare-fastify.ts', {})
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
