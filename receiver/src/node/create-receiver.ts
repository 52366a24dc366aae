import type { IncomingMessage, ServerResponse } from 'node:http'
import { alreadyRead, type BodyLimits, checkContentLength, connectionClosed, timedOut, tooLarge } from '../body-limits.ts'
import { fetchHandler, queryOf } from '../fetch-handler.ts'
import type { ReceiverResponse } from '../handle-request.ts'
import { prepareReceiver, type ReceiverOptions } from '../receiver-options.ts'
import { answerChallenge, findChallengeSecret } from './challenge.ts'
import { verifySignature } from './signature.ts'

/**
 * The raw body of a Node request, within the limits. Reading stops as soon as a limit is exceeded.
 * If a body parser ran before and kept the raw bytes (`express.raw()` in `body`, several frameworks in `rawBody`), those are used.
 */
async function readNodeBody(request: IncomingMessage, limits: BodyLimits): Promise<Uint8Array> {
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

/** Request handlers for two kinds of servers. Both work without `this`, so they can be passed around. */
export interface Receiver {
  fetch(request: Request): Promise<Response>
  node(request: IncomingMessage, response: ServerResponse): void
}

/**
 * A webhook callback: answers challenges (CRC), verifies the signature of each event and drops duplicates (§4.2, §6).
 *
 * Status codes: 200; 400 for a malformed challenge or a signed body that is not JSON; 401 without a valid signature; 405 for
 * other methods; 408 and 413 for a body too slow or too large; 500 when `onEvent` throws or a body parser has read the raw body.
 * Throws a TypeError for invalid `secrets` and limits.
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  const { handle, limits } = prepareReceiver(options, { verifySignature, findChallengeSecret, answerChallenge })
  return {
    fetch: fetchHandler(handle, limits),

    node(request, response) {
      const handled = handle({
        method: request.method ?? '',
        query: queryOf(request.url ?? ''),
        header: (name) => request.headers[name],
        body: () => readNodeBody(request, limits),
      })
      handled
        .then((answer) => writeNodeResponse(request, response, answer))
        .catch((error) => {
          console.error(error)
          response.destroy()
        })
    },
  }
}

const LINGER_MS = 500

/**
 * Writes a response. If the request's body is incomplete, the rest is not read and the connection is closed a little
 * later. Closed at once, a client that is still sending may get a connection reset before it reads the response (RFC 9112 §9.6).
 */
function writeNodeResponse(request: IncomingMessage, response: ServerResponse, answer: ReceiverResponse): void {
  const body = Buffer.from(JSON.stringify(answer.body))
  const headers = { ...answer.headers, 'content-type': 'application/json', 'content-length': body.byteLength }
  if (request.complete) return void response.writeHead(answer.status, headers).end(body)
  response.writeHead(answer.status, { ...headers, connection: 'close' }).write(body)
  const linger = setTimeout(() => response.end(), LINGER_MS)
  response.once('close', () => clearTimeout(linger))
}
