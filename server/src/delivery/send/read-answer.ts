import type { Socket } from 'node:net'
import type { AnswerHeaders } from './outcome.ts'

/** Of everything before the body, interim answers among it, as it comes over the wire. */
export const MOST_HEAD_BYTES = 16 * 1024
const MOST_BODY_BYTES = 16 * 1024
/** Of a whole answer, as it comes over the wire, with the sizes of its chunks and its trailers. */
export const MOST_ANSWER_BYTES = MOST_HEAD_BYTES + MOST_BODY_BYTES
const MOST_BYTES_AT_ONCE = 16 * 1024

const NO_HEADERS: AnswerHeaders = {}
const NOTHING = Buffer.alloc(0)

export interface Answer {
  status: number
  headers: AnswerHeaders
  /** At most 16 KB. */
  body: Buffer
  /** The answer was longer than is read. */
  truncated: boolean
}

export interface AnswerBody {
  /** False once there is more than is kept. */
  add(piece: Buffer): boolean
  /** Hands over what is kept and begins anew. */
  take(): Buffer
}

/** A body while it comes, of which at most `mostBytes` are kept. */
function createAnswerBody(mostBytes: number): AnswerBody {
  let kept: Buffer = NOTHING
  let bytes = 0

  /** Most bodies are one piece, which is taken as it is; several are copied together, so that none is held on to. */
  const add = (piece: Buffer) => {
    if (bytes === 0) kept = piece
    else {
      if (kept.length < mostBytes) kept = Buffer.concat([kept], mostBytes)
      piece.copy(kept, bytes)
    }
    bytes += piece.length
    return bytes <= mostBytes
  }

  const take = () => {
    const taken = bytes === kept.length && bytes <= mostBytes ? kept : kept.subarray(0, Math.min(bytes, mostBytes))
    kept = NOTHING
    bytes = 0
    return taken
  }

  return { add, take }
}

/** An answer while it comes. */
export interface AnswerReader {
  /** How much has come over the wire since the request began. */
  bytes: number
  begin(): void
  setHead(status: number, headers: Record<string, string | string[] | undefined>): void
  /** False once the body is longer than is kept. */
  addBody(piece: Buffer): boolean
  take(truncated: boolean): Answer
  /** Holds on to nothing of an answer. */
  clear(): void
}

export function createAnswerReader(): AnswerReader {
  const body = createAnswerBody(MOST_BODY_BYTES)
  let status = 0
  let headers = NO_HEADERS
  return {
    bytes: 0,
    begin() {
      this.bytes = 0
    },
    setHead(statusCode, received) {
      status = statusCode
      headers = pick(received)
    },
    addBody: body.add,
    take: (truncated) => ({ status, headers, body: body.take(), truncated }),
    clear() {
      headers = NO_HEADERS
      body.take()
    },
  }
}

function pick(headers: Record<string, string | string[] | undefined>): AnswerHeaders {
  const picked: AnswerHeaders = {}
  for (const name of ['content-type', 'retry-after', 'location'] as const) {
    const value = headers[name]
    if (value !== undefined) picked[name] = typeof value === 'string' ? value : value[0]
  }
  return picked
}

/**
 * Lets whoever reads a socket have at most 16 KB at a time, and asks before each piece whether there may be more of it.
 * Without this a parser is handed all that has come, and one that takes in what it does not hand on (the reason of a
 * status, interim answers, blanks, chunk extensions) does so for as long as the other side likes to send it.
 */
export function limitReads(socket: Socket, mayRead: (bytes: number) => boolean): Socket {
  const read = socket.read
  socket.read = () => {
    if (socket.destroyed) return null
    const bytes = Math.min(socket.readableLength, MOST_BYTES_AT_ONCE)
    return bytes === 0 || mayRead(bytes) ? read.call(socket, bytes || undefined) : null
  }
  return socket
}
