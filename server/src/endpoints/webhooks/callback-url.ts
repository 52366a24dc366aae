import { webhookProblem } from '../../api/declare/problem.ts'

export const LONGEST_CALLBACK_URL = 200

const refuse = (what: string) => webhookProblem('UrlValidationFailed', what)

const SHAPE = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^#]*)(#.*)?$/i

/** `host`, `[address]`, with a port or without. */
const AUTHORITY = /^(\[[^\]]*\]|[^:]*)(:(.*))?$/

const isLoopback = (host: string) => host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)

/**
 * Judges a callback URL on its text as sent (§2.1): https, a host, no port, no user info, no fragment, no control characters or
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
  const onLoopback = loopbackAllowed && isLoopback(parsed.hostname)
  const httpAllowed = onLoopback && scheme.toLowerCase() === 'http'
  if (scheme.toLowerCase() !== 'https' && !httpAllowed) throw refuse(`the URL must be https, not ${scheme.toLowerCase()}`)
  const port = AUTHORITY.exec(authority)?.[2]
  if (port !== undefined && !onLoopback) throw refuse(`the URL must not specify a port: remove ${port}`)
  if (parsed.hostname.endsWith('.')) parsed.hostname = parsed.hostname.replace(/\.+$/, '')
  return parsed.href
}
