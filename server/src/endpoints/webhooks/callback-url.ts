import { webhookProblem } from '../../api/declare/problem.ts'

export const LONGEST_CALLBACK_URL = 200

const refuse = (what: string) => webhookProblem('UrlValidationFailed', what)

const SHAPE = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^#]*)(#.*)?$/i

/** `host`, `[address]`, with a port or without. */
const AUTHORITY = /^(\[[^\]]*\]|[^:]*)(:(.*))?$/

/** A name of labels (RFC 1035, section 2.3.4), one dot after it or none. */
const HOST_NAME = /^(?=.{1,253}\.?$)[^.]{1,63}(\.[^.]{1,63})*\.?$/

const isHost = (hostname: string) => hostname.startsWith('[') || HOST_NAME.test(hostname)

const isLoopback = (host: string) => host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)

/**
 * Judges a callback URL on its text as sent (§2.1): https, a well-formed host, no port, no user info, no fragment, no control characters or
 * white space, at most 200 characters. Where `loopbackAllowed`, one on loopback may be http and name a port. Answers the
 * normalised form, in which duplicates are recognised; throws `UrlValidationFailed` with the rule that was broken.
 */
export function checkCallbackUrl(url: string, loopbackAllowed: boolean): string {
  const { length } = [...url]
  if (length > LONGEST_CALLBACK_URL) throw refuse(`the URL must be at most ${LONGEST_CALLBACK_URL} characters long, not ${length}`)
  if (/[\u0000-\u0020\u007f-\u009f\u00a0\\]/.test(url))
    throw refuse('the URL must not contain control characters, white space or backslashes')
  const shape = SHAPE.exec(url)
  if (!shape) throw refuse('the URL must be absolute: https://<host>/<path>')
  const [, scheme = '', authority = '', , fragment] = shape
  if (authority === '') throw refuse('the URL must name a host')
  if (authority.includes('@')) throw refuse('the URL must not contain user info before an @')
  if (fragment !== undefined) throw refuse('the URL must not contain a fragment (#)')
  if (!URL.canParse(url)) throw refuse('the URL has an invalid format')
  const parsed = new URL(url)
  if (!isHost(parsed.hostname))
    throw refuse('the name of the host must be labels of 1 to 63 characters with dots between, 253 characters in all')
  const onLoopback = loopbackAllowed && isLoopback(parsed.hostname)
  const httpAllowed = onLoopback && scheme.toLowerCase() === 'http'
  if (scheme.toLowerCase() !== 'https' && !httpAllowed) throw refuse(`the URL must be https, not ${scheme.toLowerCase()}`)
  const port = AUTHORITY.exec(authority)?.[2]
  if (port !== undefined && !onLoopback) throw refuse(`the URL must not specify a port: remove ${port}`)
  if (parsed.port === '0') throw refuse(`the URL must not specify port 0: leave ${port} out, or name the port of the callback`)
  if (parsed.hostname.endsWith('.')) parsed.hostname = parsed.hostname.slice(0, -1)
  return parsed.href
}
