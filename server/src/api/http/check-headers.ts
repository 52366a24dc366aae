import type { IncomingMessage } from 'node:http'
import { pathOf } from '../declare/raw-request.ts'

function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === 'host') count += 1
  return count
}

/** Whether a header is absent or has just this value. */
const isOnly = (value: string | undefined, supported: string) => value === undefined || value.trim().toLowerCase() === supported

/** An origin that is part of the target (RFC 9112, 3.2.2): it must be one, and no fragment follows it. */
const ABSOLUTE = /^https?:\/\//i
const HAS_ORIGIN = /^https?:\/\/[^/?#]{1,259}(?:[/?][^#]*)?$/i
/** `https://`, a name of 253 characters and a port. Other letters than ASCII take the square of their number to read. */
const LONGEST_ORIGIN = 267

/** Whether the path of a request target can be decoded. */
function isDecodable(target: string, path: string): boolean {
  if (ABSOLUTE.test(target) && !(HAS_ORIGIN.test(target) && URL.canParse(target))) return false
  if (!path.includes('%')) return true
  try {
    decodeURIComponent(path.split('#', 1)[0]!)
    return true
  } catch {
    return false
  }
}

/**
 * The problem of a request's path and headers, as a sentence; undefined when there is none. Its host must be named once, its body must not be
 * encoded, and not every database keeps U+0000.
 */
export function headerProblem(request: IncomingMessage): string | undefined {
  const { url: target = '/' } = request
  const path = pathOf(target)
  if (!isDecodable(target, path)) return 'The path is not valid percent-encoded UTF-8.'
  const hosts = countHosts(request)
  if (hosts > 1 || (hosts === 0 && request.httpVersion === '1.1')) return `The request has ${hosts} Host headers; it must have one.`
  const long = (['host', 'origin'] as const).find((name) => (request.headers[name]?.length ?? 0) > LONGEST_ORIGIN)
  if (long) return `The header ${long} has more than ${LONGEST_ORIGIN} characters.`
  if (!isOnly(request.headers['transfer-encoding'], 'chunked')) return 'The only Transfer-Encoding that is served is chunked.'
  // Who speaks HTTP/1.0 may take such a body for the next request (RFC 9112, 6.1).
  if (request.headers['transfer-encoding'] !== undefined && request.httpVersion === '1.0') return 'HTTP/1.0 has no Transfer-Encoding.'
  if (!isOnly(request.headers['content-encoding'], 'identity')) return 'No Content-Encoding is served: send the body as it is.'
  if (path.includes('%00')) return 'The path contains the character U+0000, which is not allowed in text.'
  return undefined
}
