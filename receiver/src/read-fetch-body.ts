import { after } from './after.ts'
import { alreadyRead, type BodyLimits, checkDeclaredLength, cutOff, tooLarge, tooSlow } from './body-limits.ts'

/** The raw body of a fetch Request, within the limits; reading stops at the first byte or millisecond too many. */
export async function readFetchBody(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  if (request.bodyUsed || request.body?.locked) throw alreadyRead()
  checkDeclaredLength(request.headers.get('content-length'), limits)
  if (!request.body) return new Uint8Array()
  const reader = request.body.getReader()
  const stop = () => void reader.cancel().catch(() => {})
  let late = false
  const cancelDeadline = after(limits.bodyTimeoutMs, () => {
    late = true
    stop()
  })
  try {
    const chunks: Uint8Array[] = []
    let sizeBytes = 0
    for await (const chunk of chunksOf(reader)) {
      sizeBytes += chunk.byteLength
      if (sizeBytes > limits.maxBodyBytes) throw tooLarge(limits)
      chunks.push(chunk)
    }
    if (late) throw tooSlow(limits)
    return Buffer.concat(chunks)
  } finally {
    cancelDeadline()
    stop()
  }
}

async function* chunksOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw cutOff()
    })
    if (done) return
    yield value
  }
}
