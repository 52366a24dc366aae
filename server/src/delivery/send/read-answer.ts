import type { AnswerHeaders } from './outcome.ts'

/** Limit of everything before the body on the wire, including interim responses. */
export const MAX_HEAD_BYTES = 16 * 1024
const MAX_BODY_BYTES = 16 * 1024
/** Limit of a whole response on the wire, including chunk sizes and trailers. */
export const MAX_ANSWER_BYTES = MAX_HEAD_BYTES + MAX_BODY_BYTES

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
   * Called before the body. `length` is its Content-Length, `restricted` that of the outcome. Returns false to read nothing more; the
   * response is then truncated.
   */
  head(status: number, length: number | undefined, restricted: boolean): boolean
  /**
   * Takes a piece of the body. Returns false to read nothing more, or a promise of whether to: nothing is read until it resolves, except for what
   * has arrived when the other side closes the connection. The promise must not reject.
   */
  piece(bytes: Buffer): boolean | Promise<boolean>
}

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
  /** The most that is received of the response. */
  readonly maxBytes: number
  /** A receiver takes the body. */
  readonly isReceived: boolean
  begin(receiver?: BodyReceiver): void
  /** Returns false if nothing more is to be read. */
  setHead(status: number, headers: AnswerHeaders, length: number | undefined, restricted: boolean): boolean
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
    get maxBytes() {
      return receiver?.maxBytes ?? MAX_ANSWER_BYTES
    },
    get isReceived() {
      return receiver !== undefined
    },
    begin(given) {
      receiver = given
    },
    setHead(statusCode, received, length, restricted) {
      status = statusCode
      headers = received
      return receiver?.head(statusCode, length, restricted) ?? true
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
