import { readCrcToken } from './challenge-token.ts'
import { createDeduplicator } from './deduplicate.ts'
import { HttpError } from './errors.ts'
import { eventId, parseEvent, type ReceivedEvent } from './event.ts'
import type { Signatures } from './signatures.ts'
import { readSignature, SIGNATURE_HEADERS } from './signatures.ts'

/** A request, independent of the HTTP server. */
export interface ReceiverRequest {
  method: string
  /** The raw query string, without `?`. */
  query: string
  /** The value of a header by its lower-case name; undefined or null when absent. */
  header(name: string): unknown
  /** The raw body. Throws an HttpError: 408, 413, 400 when the connection was closed, 500 when a body parser has read it. */
  body(): Promise<Uint8Array>
}

/** A response with a JSON body. */
export interface ReceiverResponse {
  status: number
  headers?: Record<string, string>
  body: object
}

/** What a receiver passes to its `log`. `rejected`: the sender's mistake. `failed`: an error in this receiver that needs fixing. */
export type LogEntry =
  | { msg: 'challenge answered' }
  | { msg: 'duplicate dropped'; event_uuid: string }
  | { msg: 'rejected'; status: number; reason: string }
  | { msg: 'failed'; status: number; reason: string; error?: unknown }

interface HandlerOptions {
  secrets: readonly string[]
  onEvent: (event: ReceivedEvent, body: Uint8Array) => void | Promise<void>
  dedupeCacheSize: number
  log: (entry: LogEntry) => void
  signatures: Signatures
}

export type RequestHandler = (request: ReceiverRequest) => Promise<ReceiverResponse>

/** Handles challenges and events for every kind of HTTP server. The handler never throws, unless `log` does. */
export function createRequestHandler({ secrets, onEvent, dedupeCacheSize, log, signatures }: HandlerOptions): RequestHandler {
  const runOnce = createDeduplicator(dedupeCacheSize)

  const handleChallenge = async ({ query, header }: ReceiverRequest): Promise<ReceiverResponse> => {
    const token = readCrcToken(query)
    if (token === undefined)
      throw new HttpError(400, 'A GET request must be a challenge with exactly one crc_token. Events are sent with POST.')
    const secret = await signatures.findChallengeSecret({ header: readSignature(header), query, secrets })
    const body = await signatures.answerChallenge({ crcToken: token, secret })
    log({ msg: 'challenge answered' })
    return { status: 200, body }
  }

  const handleEvent = async (request: ReceiverRequest): Promise<ReceiverResponse> => {
    const { event, body } = await readVerifiedEvent(request, secrets, signatures)
    const id = eventId(event)
    const run = async () => onEvent(event, body)
    if (id === undefined) await run()
    else if (!(await runOnce(id, run))) {
      log({ msg: 'duplicate dropped', event_uuid: id })
      return { status: 200, body: { message: 'Duplicate, dropped.' } }
    }
    return { status: 200, body: { message: 'Received.' } }
  }

  const handleError = (error: unknown): ReceiverResponse => {
    if (!(error instanceof HttpError)) {
      log({ msg: 'failed', status: 500, reason: 'Processing an event failed. The sender was asked to retry.', error })
      return { status: 500, body: { message: 'Processing the event failed. Please retry.' } }
    }
    const { status, message } = error
    log({ msg: status >= 500 ? 'failed' : 'rejected', status, reason: message })
    const headers: Record<string, string> = status === 405 ? { allow: 'GET, POST' } : {}
    return { status, headers, body: { message } }
  }

  return async (request) => {
    try {
      if (request.method === 'GET') return await handleChallenge(request)
      if (request.method === 'POST') return await handleEvent(request)
      throw new HttpError(405, 'Use GET for challenges and POST for events.')
    } catch (error) {
      return handleError(error)
    }
  }
}

/** The body is not parsed before its signature is verified, and not even read without a signature header. */
async function readVerifiedEvent(
  request: ReceiverRequest,
  secrets: readonly string[],
  { verifySignature }: Signatures,
): Promise<{ event: ReceivedEvent; body: Uint8Array }> {
  const header = readSignature(request.header)
  if (header === undefined) throw new HttpError(401, `The signature header is missing: ${SIGNATURE_HEADERS.join(' or ')}.`)
  const body = await request.body()
  if (await verifySignature({ header, body, secrets })) return { event: parseEvent(body), body }
  throw new HttpError(401, 'The signature does not match the body with any of the configured consumer secrets.')
}
