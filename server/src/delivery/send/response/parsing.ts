import type { AnswerHeaders } from '../outcome.ts'

/** The response is not HTTP/1.1. The message is the reason; it follows "HTTP/1.1: " in a sentence. */
export class InvalidResponse extends Error {}

/** Called while a response is parsed. Both return false to stop there; the next `read` goes on. */
export interface ResponseHandler {
  /** Called once for a response, after its headers. Not called for interim responses. `length`: its Content-Length. */
  head(status: number, headers: AnswerHeaders, length: number | undefined): boolean
  /** A piece of the body: `bytes` from `at` to `end`. They are valid only during the call. */
  body(bytes: Buffer, at: number, end: number): boolean
}

/** Consumes bytes from `at` on, or none and sets another state. Returns where the next state goes on. Called with `at` < `end`. */
export type ParserState = (parsing: Parsing, bytes: Buffer, at: number, end: number) => number

/** What a parser knows of the current response. */
export interface Parsing {
  readonly handler: ResponseHandler
  /** The state before a status line. */
  readonly start: ParserState
  state: ParserState
  /** The handler wants no more for now. */
  isStopped: boolean
  isComplete: boolean
  /** The body ends with the connection. */
  isUntilClose: boolean
  /** No request may follow on this connection. */
  isLast: boolean
  /** How long the connection may be idle, if the server said so. */
  keepAliveMs: number | undefined

  /** How much of the fixed part of the status line has been read. */
  place: number
  /** `10 * major + minor`. */
  version: number
  status: number

  /** Bytes of the current header's name and value. A value that nobody reads is not kept. */
  name: string
  value: string
  isKept: boolean
  headers: AnswerHeaders
  contentLength: number | undefined
  transferEncoding: string | undefined
  /** The lists of `connection` and `keep-alive`, joined by commas. */
  connection: string
  keepAlive: string

  /** How much of the body, or of the chunk, is still to come. */
  left: number
  /** The size of a chunk has a digit. */
  hasDigit: boolean
}

/** Forgets the head of the last message. */
export function beginMessage(parsing: Parsing): void {
  parsing.state = parsing.start
  parsing.place = 0
  parsing.version = 0
  parsing.status = 0
  parsing.name = ''
  parsing.value = ''
  parsing.headers = {}
  parsing.contentLength = undefined
  parsing.transferEncoding = undefined
  parsing.connection = ''
  parsing.keepAlive = ''
}

export const CR = 13
export const LF = 10
export const isDigit = (byte: number): boolean => byte >= 48 && byte <= 57

/** The state at the end of a line, before its LF. `reason`: why the response is refused if something else comes. */
export const lineFeed =
  (reason: string, then: (parsing: Parsing) => void): ParserState =>
  (parsing, bytes, at) => {
    if (bytes[at] !== LF) throw new InvalidResponse(reason)
    then(parsing)
    return at + 1
  }

/** A set of bytes. */
export const byteSet = (isMember: (byte: number) => boolean): readonly boolean[] => Array.from({ length: 256 }, (_, byte) => isMember(byte))
