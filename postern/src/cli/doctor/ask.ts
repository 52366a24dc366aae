import { createHmac } from 'node:crypto'
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

interface Asked {
  method: 'GET' | 'POST'
  url: URL
  headers: Record<string, string>
  body?: Buffer
  timeoutMs: number
  ca: string[] | undefined
}

interface Read {
  body: Buffer
  /** It is longer than what is looked at. */
  truncated: boolean
}

/** What a callback answered, or why it did not. */
export type Said = (Read & { status: number; headers: IncomingHttpHeaders; ms: number }) | { error: string; ms: number }

/** More of an answer is not looked at. */
const MAX_BYTES = 16 * 1024

async function readBody(response: IncomingMessage): Promise<Read> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of response) {
    parts.push(part)
    bytes += part.length
    if (bytes > MAX_BYTES) break
  }
  return { body: Buffer.concat(parts), truncated: bytes > MAX_BYTES }
}

/** Sends a request as Postern does: no redirect is followed, and there is one deadline for everything. */
export async function ask({ method, url, headers, body, timeoutMs, ca }: Asked): Promise<Said> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const startedMs = performance.now()
  const elapsed = () => Math.round(performance.now() - startedMs)
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const length = body ? { 'content-length': String(body.length) } : {}
    const response = await new Promise<IncomingMessage>((resolve, reject) =>
      send(url, { method, headers: { 'user-agent': 'Postern', ...headers, ...length }, agent: false, ca, signal }, resolve)
        .once('error', reject)
        .end(body),
    )
    const read = await readBody(response)
    return { status: response.statusCode!, headers: response.headers, ...read, ms: elapsed() }
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    return { error: signal.aborted ? `no answer within ${timeoutMs / 1000} s` : message || String(code), ms: elapsed() }
  }
}

/** `sha256=` and the base64 of HMAC-SHA256 (§4.2). */
export const signatureOf = (secret: string, text: string | Buffer) => `sha256=${createHmac('sha256', secret).update(text).digest('base64')}`
