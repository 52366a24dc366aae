import { beginMessage, type Parsing, type ResponseHandler } from './parsing.ts'
import { start } from './status-line.ts'

export interface ResponseParser {
  /** The response is complete; the next bytes are not part of it. */
  readonly isComplete: boolean
  /** The body ends with the connection. */
  readonly isUntilClose: boolean
  /** The connection must be closed after this response: the server says so, or the response is unusual. */
  readonly isLast: boolean
  /** How long the connection may be idle, if the server said so. */
  readonly keepAliveMs: number | undefined
  /** Starts over, with the next response. */
  begin(): void
  /**
   * Reads bytes from `at` to `end` and calls the handler. Returns how far it has read: less than `end` if the response is complete or the
   * handler has stopped it. Throws `InvalidResponse`.
   */
  read(bytes: Buffer, at: number, end: number): number
}

/**
 * An incremental HTTP/1.1 response parser. It keeps nothing but the values of a few headers, so pieces of any length give the same result.
 *
 * A state is a function that consumes bytes and sets the next state. In order: blank lines → status line → headers → body by length, in
 * chunks, or until the connection closes. After an interim response the next head begins.
 *
 * It refuses what could be understood in two ways: two lengths, a length with an encoding, lines that end with LF alone, folded headers.
 * What does not change where the response ends is read, and the connection is closed after it: trailers, chunk extensions, a body that
 * 204 or 304 announces.
 */
export function createResponseParser(handler: ResponseHandler): ResponseParser {
  const parsing: Parsing = {
    handler,
    start,
    state: start,
    isStopped: false,
    isComplete: false,
    isUntilClose: false,
    isLast: false,
    keepAliveMs: undefined,
    place: 0,
    version: 0,
    status: 0,
    name: '',
    value: '',
    isKept: false,
    headers: {},
    contentLength: undefined,
    transferEncoding: undefined,
    connection: '',
    keepAlive: '',
    left: 0,
    hasDigit: false,
  }

  const begin = () => {
    beginMessage(parsing)
    parsing.isStopped = false
    parsing.isComplete = false
    parsing.isUntilClose = false
    parsing.isLast = false
    parsing.keepAliveMs = undefined
  }

  const read = (bytes: Buffer, at: number, end: number) => {
    parsing.isStopped = false
    let next = at
    while (next < end && !parsing.isComplete && !parsing.isStopped) next = parsing.state(parsing, bytes, next, end)
    return next
  }

  return {
    get isComplete() {
      return parsing.isComplete
    },
    get isUntilClose() {
      return parsing.isUntilClose
    },
    get isLast() {
      return parsing.isLast
    },
    get keepAliveMs() {
      return parsing.keepAliveMs
    },
    begin,
    read,
  }
}
