import { parseCookie } from 'cookie'
import { headerOf, type RawRequest } from '../../api/declare/raw-request.ts'
import { percentDecoded } from '../percent-decoded.ts'

/** Names of parameters, members and fields whose values are no one else's to see. */
const SECRET_NAME = /(secret|password|signature|token|verifier|code|challenge|assertion|proof|key)$/i

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
  const quoted = pairs.flatMap(([, name, text]) => (SECRET_NAME.test(name!) ? [percentDecoded(text!)] : []))
  return [...(scheme.toLowerCase() === 'basic' ? inBasic(value) : []), value, percentDecoded(value), ...quoted]
}

const inForm = (text: string): string[] =>
  [...new URLSearchParams(text)].flatMap(([name, value]) => (SECRET_NAME.test(name) ? [value] : []))

function inJson(text: string): string[] {
  const found: string[] = []
  try {
    JSON.parse(text, (name, value) => {
      if (typeof value === 'string' && SECRET_NAME.test(name)) found.push(value)
      return value
    })
  } catch {
    // No JSON: it was read as a form.
  }
  return found
}

/** Every text of a request that may be a secret, longest first: one may be part of another. */
function secretsIn(request: RawRequest): string[] {
  const body = request.body?.toString('utf8') ?? ''
  const all = [
    ...inAuthorization(headerOf(request, 'authorization') ?? ''),
    ...Object.values(parseCookie(headerOf(request, 'cookie') ?? '')).map((value) => value ?? ''),
    ...inForm(request.query),
    ...inForm(body),
    ...inJson(body),
  ]
  return [...new Set(all)].filter((text) => text.length >= MIN_LENGTH).sort((one, other) => other.length - one.length)
}

/** Returns a function that hides in texts whatever a request sent as a secret. */
export function maskOf(request: RawRequest): (text: string) => string {
  const secrets = secretsIn(request)
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text)
}
