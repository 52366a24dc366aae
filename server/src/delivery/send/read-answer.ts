import type { Socket } from 'node:net'
import type { AnswerHeaders } from './outcome.ts'

/** Limit of everything before the body on the wire, including interim responses. */
export const MAX_HEAD_BYTES = 16 * 1024
const MAX_BODY_BYTES = 16 * 1024
/** Limit of a whole response on the wire, including chunk sizes and trailers. */
export const MAX_ANSWER_BYTES = MAX_HEAD_BYTES + MAX_BODY_BYTES
const MAX_BYTES_PER_READ = 16 * 1024

const NO_HEADERS: AnswerHeaders = {}
const NOTHING = Buffer.alloc(0)

export interface Answer {
  status: number
  headers: AnswerHeaders
  /** At most 16 KB. */
  body: Buffer
  /** The response was longer than the limit. */
  truncated: boolean
}

/** Takes the body of a response of any length piece by piece, instead of its first 16 KB. */
export interface BodyReceiver {
  /** The most bytes of a response on the wire. A longer one ends as truncated. */
  maxBytes: number
  /**
   * Called before the body. `restricted` is that of the outcome. Returns false to read nothing more; the response is then truncated.
   */
  head(status: number, headers: AllHeaders, restricted: boolean): boolean
  /**
   * Takes a piece of the body. Returns false to read nothing more, or a promise of whether to: nothing is read until it resolves, except for what
   * has arrived when the other side closes the connection. The promise must not reject.
   */
  piece(bytes: Buffer): boolean | Promise<boolean>
}

export type AllHeaders = Record<string, string | string[] | undefined>

export interface AnswerBody {
  /** Returns false once the body exceeds the limit. */
  add(piece: Buffer): boolean
  /** Returns the body and starts over. */
  take(): Buffer
}

/** Collects a body, at most `maxBytes` of it. */
function createAnswerBody(maxBytes: number): AnswerBody {
  let kept: Buffer = NOTHING
  let bytes = 0

  /** Most bodies are one piece, which is used as it is. Several pieces are copied into one buffer, so that none is retained. */
  const add = (piece: Buffer) => {
    if (bytes === 0) kept = piece
    else {
      if (kept.length < maxBytes) kept = Buffer.concat([kept], maxBytes)
      piece.copy(kept, bytes)
    }
    bytes += piece.length
    return bytes <= maxBytes
  }

  const take = () => {
    const taken = bytes === kept.length && bytes <= maxBytes ? kept : kept.subarray(0, Math.min(bytes, maxBytes))
    kept = NOTHING
    bytes = 0
    return taken
  }

  return { add, take }
}

/** Collects a response. */
export interface AnswerReader {
  /** How much has been received since the request began. */
  bytes: number
  /** The most that is received of the response. */
  maxBytes: number
  begin(receiver?: BodyReceiver): void
  /** Returns false if nothing more is to be read. */
  setHead(status: number, headers: AllHeaders, restricted?: boolean): boolean
  /** Returns false once nothing more is to be read, as a body over its limit; a promise of that if it is to be awaited before the next piece. */
  addBody(piece: Buffer): boolean | Promise<boolean>
  take(truncated: boolean): Answer
  /** Releases everything of a response. */
  clear(): void
}

export function createAnswerReader(): AnswerReader {
  const body = createAnswerBody(MAX_BODY_BYTES)
  let status = 0
  let headers = NO_HEADERS
  let receiver: BodyReceiver | undefined
  return {
    bytes: 0,
    maxBytes: MAX_ANSWER_BYTES,
    begin(given) {
      receiver = given
      this.bytes = 0
      this.maxBytes = given?.maxBytes ?? MAX_ANSWER_BYTES
    },
    setHead(statusCode, received, restricted = false) {
      status = statusCode
      headers = pick(received)
      return receiver?.head(statusCode, received, restricted) ?? true
    },
    addBody: (piece) => (receiver ? receiver.piece(piece) : body.add(piece)),
    take: (truncated) => ({ status, headers, body: body.take(), truncated }),
    clear() {
      receiver = undefined
      headers = NO_HEADERS
      body.take()
    },
  }
}

function pick(headers: AllHeaders): AnswerHeaders {
  const picked: AnswerHeaders = {}
  for (const name of ['content-type', 'retry-after', 'location'] as const) {
    const value = headers[name]
    if (value !== undefined) picked[name] = typeof value === 'string' ? value : value[0]
  }
  return picked
}

/**
 * Limits each read of a socket to 16 KB, and calls `mayRead` before each. Without this the parser gets everything that has arrived, and
 * bytes that it consumes without an event (reason phrases, interim responses, blanks, chunk extensions) would have no limit. Node itself calls
 * `read(0)`, which must take nothing: bytes wait in the socket while the receiver of a body has paused it.
 */
export function limitReads(socket: Socket, mayRead: (bytes: number) => boolean): Socket {
  const read = socket.read
  socket.read = (size?: number) => {
    if (size === 0) return read.call(socket, 0)
    if (socket.destroyed) return null
    const bytes = Math.min(socket.readableLength, MAX_BYTES_PER_READ)
    return bytes === 0 || mayRead(bytes) ? read.call(socket, bytes || undefined) : null
  }
  return socket
}
