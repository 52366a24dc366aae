import type { IncomingMessage } from 'node:http'
import { alreadyRead, type BodyLimits, checkContentLength, connectionClosed, timedOut, tooLarge } from '../body-limits.ts'

/**
 * The raw body of a Node request, within the limits. Reading stops as soon as a limit is exceeded.
 * If a body parser ran before and kept the raw bytes (`express.raw()` in `body`, several frameworks in `rawBody`), those are used.
 */
export async function readNodeBody(request: IncomingMessage, limits: BodyLimits): Promise<Uint8Array> {
  const rawBody = parsedRawBody(request)
  if (rawBody && rawBody.byteLength > limits.maxBodyBytes) throw tooLarge(limits)
  if (rawBody) return rawBody
  if (request.readableDidRead || request.readableEnded) throw alreadyRead()
  if (request.destroyed) throw connectionClosed()
  checkContentLength(request.headers['content-length'], limits)
  return collect(request, limits)
}

function parsedRawBody(request: IncomingMessage & { body?: unknown; rawBody?: unknown }): Uint8Array | undefined {
  return [request.rawBody, request.body].find((value) => value instanceof Uint8Array)
}

function collect(request: IncomingMessage, limits: BodyLimits): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let sizeBytes = 0
    const stop = () => {
      clearTimeout(timeout)
      request.off('data', onData).off('end', onEnd).off('close', onClose).pause()
    }
    const fail = (error: Error) => {
      stop()
      reject(error)
    }
    const onData = (chunk: Uint8Array) => {
      sizeBytes += chunk.byteLength
      if (sizeBytes > limits.maxBodyBytes) return fail(tooLarge(limits))
      chunks.push(chunk)
    }
    const onEnd = () => {
      stop()
      resolve(Buffer.concat(chunks))
    }
    const onClose = () => fail(connectionClosed())
    const timeout = setTimeout(() => fail(timedOut(limits)), limits.bodyTimeoutMs)
    // A connection reset emits both error and close; onClose handles it.
    request
      .on('data', onData)
      .on('end', onEnd)
      .on('close', onClose)
      .on('error', () => {})
  })
}
