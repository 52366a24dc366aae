import { SECOND_MS } from '../../../lib/time.ts'
import { bodyOfLength, bodyUntilClose, startOfChunk } from './body.ts'
import { beginMessage, InvalidResponse, type Parsing } from './parsing.ts'

const VERSION_1_1 = 11
/** A connection is closed this long before the server says that it closes it. */
const KEEP_ALIVE_MARGIN_MS = 2 * SECOND_MS

/** Whether a connection stays open after this message. */
function mayFollow({ version, connection }: Parsing): boolean {
  if (connection === '') return version === VERSION_1_1
  const options = connection.toLowerCase().split(',')
  const says = (option: string) => options.some((one) => one.trim() === option)
  return !says('close') && (version === VERSION_1_1 || says('keep-alive'))
}

/** The hint of the server: `keep-alive: timeout=5`. */
function readKeepAlive(parsing: Parsing): void {
  parsing.keepAliveMs = undefined
  const seconds = parsing.keepAlive && /,[ \t]*timeout=(\d+)/i.exec(parsing.keepAlive)?.[1]
  if (!seconds) return
  parsing.keepAliveMs = Number(seconds) * SECOND_MS - KEEP_ALIVE_MARGIN_MS
  if (parsing.keepAliveMs <= 0) parsing.isLast = true
}

function refuse({ status }: Parsing): void {
  if (status < 100) throw new InvalidResponse('its status is not that of an answer')
  if (status === 100) throw new InvalidResponse('it begins with 100 Continue, which was not asked for')
  if (status === 101) throw new InvalidResponse('it switches protocols, which was not asked for')
}

/** Whether chunks are the last encoding, and only once. */
function isChunked(transferEncoding: string): boolean {
  const encodings = transferEncoding.split(',')
  return encodings.findIndex((one) => /^[ \t]*chunked *$/i.test(one)) === encodings.length - 1
}

function chooseBody(parsing: Parsing): void {
  const { status, transferEncoding, contentLength, version } = parsing
  // Somebody in between may not know of chunks (RFC 9112, 6.1).
  if (transferEncoding !== undefined && version !== VERSION_1_1) parsing.isLast = true
  if (status === 204 || status === 304) {
    // The body that these must not have may come all the same.
    if (contentLength || transferEncoding !== undefined) parsing.isLast = true
    parsing.isComplete = true
  } else if (transferEncoding !== undefined && isChunked(transferEncoding)) parsing.state = startOfChunk
  else if (transferEncoding !== undefined || contentLength === undefined) {
    parsing.isUntilClose = true
    parsing.isLast = true
    parsing.state = bodyUntilClose
  } else {
    parsing.left = contentLength
    parsing.isComplete = contentLength === 0
    parsing.state = bodyOfLength
  }
}

/** Decides what follows the headers: the body, the end, or after an interim response another head. */
export function beginBody(parsing: Parsing): void {
  refuse(parsing)
  if (mayFollow(parsing)) readKeepAlive(parsing)
  else parsing.isLast = true
  if (parsing.status < 200) {
    beginMessage(parsing)
    return
  }
  chooseBody(parsing)
  if (!parsing.handler.head(parsing.status, parsing.headers, parsing.contentLength)) parsing.isStopped = true
}
