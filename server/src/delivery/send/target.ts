import { isIP } from 'node:net'
import { SendFailure } from './outcome.ts'

/** A parsed callback URL. */
export interface Target {
  /** Scheme, host and port as in the WHATWG URL standard: the key of the connection pool. */
  origin: string
  /** A name or an address, without brackets or a trailing dot. */
  host: string
  /** The host is an address, not a name. */
  isAddress: boolean
  port: number
  secure: boolean
  /** Path and query. */
  path: string
}

/** Parses an absolute http or https URL. Returns a failure if it is not one. */
export function readTarget(text: string): Target | SendFailure {
  const url = URL.parse(text)
  if (!url) return new SendFailure('protocol', 'the callback URL cannot be read: write it like https://example.com/path')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return new SendFailure('protocol', `a callback is reached over https, not over ${url.protocol}`)
  }
  if (url.username || url.password)
    return new SendFailure('protocol', 'the callback URL contains a user name or a password: leave them out')
  const secure = url.protocol === 'https:'
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname.replace(/\.$/, '')
  return {
    origin: url.origin,
    host,
    isAddress: isIP(host) !== 0,
    port: Number(url.port) || (secure ? 443 : 80),
    secure,
    path: url.pathname + url.search,
  }
}
