import { parseCookie } from 'cookie'
import { percentDecoded } from '../../access/percent-decoded.ts'
import { isSecretWhenSent, secretsInPairs, secretsInText } from '../../access/secret-names.ts'
import { headerOf, type RawRequest } from '../../api/declare/raw-request.ts'

/** Shorter texts hide nothing, and would be masked in the middle of words. */
const MIN_LENGTH = 6

const HIDDEN = '...'

/** What credentials of HTTP Basic say, in the clear. */
function inBasic(value: string): string[] {
  const text = Buffer.from(value, 'base64').toString('utf8')
  const at = text.indexOf(':')
  return at < 0 ? [] : [text.slice(at + 1), percentDecoded(text.slice(at + 1)), text.slice(0, at)]
}

function inAuthorization(header: string): string[] {
  const [scheme = '', value = ''] = header.split(/ +/, 2)
  const pairs = [...header.matchAll(/(\w+)="([^"]*)"/g)]
  const quoted = pairs.flatMap(([, name, text]) => (isSecretWhenSent(name!) ? [percentDecoded(text!)] : []))
  return [...(scheme.toLowerCase() === 'basic' ? inBasic(value) : []), value, percentDecoded(value), ...quoted]
}

/** Every text of a request that may be a secret, longest first: one may be part of another. */
function secretsIn(request: RawRequest): string[] {
  const body = request.body?.toString('utf8') ?? ''
  const all = [
    ...inAuthorization(headerOf(request, 'authorization') ?? ''),
    ...Object.values(parseCookie(headerOf(request, 'cookie') ?? '')).map((value) => value ?? ''),
    ...secretsInPairs(request.query),
    ...secretsInText(percentDecoded(request.query)),
    ...secretsInPairs(body),
    ...secretsInText(body),
  ]
  return [...new Set(all)].filter((text) => text.length >= MIN_LENGTH).sort((one, other) => other.length - one.length)
}

/** Returns a function that hides in texts whatever a request sent as a secret. */
export function maskOf(request: RawRequest): (text: string) => string {
  const secrets = secretsIn(request)
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text)
}
