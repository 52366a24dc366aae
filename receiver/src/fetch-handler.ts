import { alreadyRead, type BodyLimits, checkContentLength, connectionClosed, timedOut, tooLarge } from './body-limits.ts'
import type { RequestHandler } from './handle-request.ts'

/** The raw query string of a URL. A fetch Request keeps the fragment, which a server never receives. */
export function queryOf(url: string): string {
  const withoutFragment = url.split('#', 1)[0]!
  const start = withoutFragment.indexOf('?')
  return start < 0 ? '' : withoutFragment.slice(start + 1)
}

/** Handles requests of servers that call `fetch(request)`. */
export const fetchHandler =
  (handle: RequestHandler, limits: BodyLimits) =>
  async (request: Request): Promise<Response> => {
    const { status, headers, body } = await handle({
      method: request.method,
      query: queryOf(request.url),
      header: (name) => request.headers.get(name),
      body: () => readFetchBody(request, limits),
    })
    return Response.json(body, { status, ...(headers && { headers }) })
  }

/** The raw body of a fetch Request, within the limits. Reading stops as soon as a limit is exceeded. */
async function readFetchBody(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  if (request.bodyUsed || request.body?.locked) throw alreadyRead()
  checkContentLength(request.headers.get('content-length'), limits)
  if (!request.body) return new Uint8Array()
  const reader = request.body.getReader()
  const stop = () => void reader.cancel().catch(() => {})
  let isLate = false
  const timeout = setTimeout(() => {
    isLate = true
    stop()
  }, limits.bodyTimeoutMs)
  try {
    const chunks: Uint8Array[] = []
    let sizeBytes = 0
    for await (const chunk of chunksOf(reader)) {
      sizeBytes += chunk.byteLength
      if (sizeBytes > limits.maxBodyBytes) throw tooLarge(limits)
      chunks.push(chunk)
    }
    if (isLate) throw timedOut(limits)
    return concat(chunks, sizeBytes)
  } finally {
    clearTimeout(timeout)
    stop()
  }
}

async function* chunksOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw connectionClosed()
    })
    if (done) return
    yield value
  }
}

function concat(chunks: readonly Uint8Array[], sizeBytes: number): Uint8Array {
  const whole = new Uint8Array(sizeBytes)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}
