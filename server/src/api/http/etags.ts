import { headerOf, type RawRequest } from '../declare/raw-request.ts'

/** Which of some ETags a client has already, as `If-None-Match` says (RFC 9110, section 13.1.2); the first where it names any with `*`. */
export function knownTo(request: RawRequest, ...etags: readonly string[]): string | undefined {
  const known = (headerOf(request, 'if-none-match') ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''))
  return known.includes('*') ? etags[0] : etags.find((etag) => known.includes(etag))
}
