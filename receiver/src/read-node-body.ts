import type { IncomingMessage } from 'node:http'
import { after } from './after.ts'
import { alreadyRead, type BodyLimits, checkDeclaredLength, cutOff, tooLarge, tooSlow } from './body-limits.ts'

/**
 * The raw body of a Node request, within the limits; reading stops at the first byte or millisecond too many.
 * Where a parser ran before that kept the bytes (`express.raw()` in `body`, several frameworks in `rawBody`), those.
 */
export async function readNodeBody(request: IncomingMessage, limits: BodyLimits): Promise<Uint8Array> {
  const kept = keptBytes(request)
  if (kept && kept.byteLength > limits.maxBodyBytes) throw tooLarge(limits)
  if (kept) return kept
  if (request.readableDidRead || request.readableEnded) throw alreadyRead()
  if (request.destroyed) throw cutOff()
  checkDeclaredLength(request.headers['content-length'], limits)
  return collect(request, limits)
}

function keptBytes(request: IncomingMessage & { body?: unknown; rawBody?: unknown }): Uint8Array | undefined {
  return [request.rawBody, request.body].find((value) => value instanceof Uint8Array)
}

function collect(request: IncomingMessage, limits: BodyLimits): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let sizeBytes = 0
    const stop = () => {
      cancelDeadline()
      request.off('data', onData).off('end', onEnd).off('close', onClose).pause()
    }
    const refuse = (refusal: Error) => {
      stop()
      reject(refusal)
    }
    const onData = (chunk: Uint8Array) => {
      sizeBytes += chunk.byteLength
      if (sizeBytes > limits.maxBodyBytes) return refuse(tooLarge(limits))
      chunks.push(chunk)
    }
    const onEnd = () => {
      stop()
      resolve(Buffer.concat(chunks))
    }
    const onClose = () => refuse(cutOff())
    const cancelDeadline = after(limits.bodyTimeoutMs, () => refuse(tooSlow(limits)))
    // A reset connection is both an error and a close; the close decides.
    request
      .on('data', onData)
      .on('end', onEnd)
      .on('close', onClose)
      .on('error', () => {})
  })
}
