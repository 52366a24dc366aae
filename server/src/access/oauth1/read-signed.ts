import { MAX_PARAMETERS } from '../../api/declare/host-limits.ts'
import { headerOf, pathOf, type RawRequest } from '../../api/declare/raw-request.ts'
import { CONTENT_TYPES, isOfType } from '../../api/read/body.ts'
import type { Parameter } from './base-string.ts'

/** A request with OAuth 1.0a parameters. */
export interface SignedRequest {
  method: string
  /** As sent. */
  path: string
  /** All parameters, in the order in which they were sent. */
  received: readonly Parameter[]
  /** The signed parameters, in the same order: without `oauth_signature`, and repeated equal `oauth_…` parameters once. */
  parameters: readonly Parameter[]
  /** The parameters whose names begin with `oauth_`, and `x_auth_access_type`. */
  oauth: ReadonlyMap<string, string>
}

/** The request has no readable signature. The message is a sentence. */
export class Unreadable extends Error {}

/** The signed parameters cannot be read; the signature itself is not at fault. */
export class UnreadableParameters extends Unreadable {}

const HEADER = 'Authorization header'

const SCHEME = /^oauth(?:\s+|$)/i

function decode(text: string, what: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    const Kind = what === HEADER ? Unreadable : UnreadableParameters
    throw new Kind(`The ${what} holds percent-encoding that is not UTF-8.`)
  }
}

/** The text between commas outside quotes; a realm may contain commas. */
const PIECE = /(?:"[^"]*"|[^,])+/g

/** `name="value"`. */
const PAIR = /^([^=\s]+)\s*=\s*"([^"]*)"$/

function inHeader(header: string): Parameter[] {
  const parameters: Parameter[] = []
  for (const piece of header.replace(SCHEME, '').match(PIECE) ?? []) {
    const trimmed = piece.trim()
    if (trimmed === '') continue
    const found = PAIR.exec(trimmed)
    if (!found) throw new Unreadable('The Authorization header must be `OAuth name="value", …`, with each value in double quotes.')
    const parameter: Parameter = { name: decode(found[1]!, HEADER), value: decode(found[2]!, HEADER), from: 'header' }
    if (parameter.name !== 'realm') parameters.push(parameter)
  }
  return parameters
}

const plusDecoded = (text: string, what: string) => decode(text.replaceAll('+', ' '), what)

/** Throws if there are more parameters than any endpoint takes. */
function assertFew(pieces: readonly unknown[]): void {
  if (pieces.length > MAX_PARAMETERS) throw new UnreadableParameters(`The request has more than ${MAX_PARAMETERS} parameters.`)
}

/** The parameters of `name=value&…` text. Throws `Unreadable`; of too many before it decodes any. */
export function inText(text: string, from: 'query' | 'form'): Parameter[] {
  const pieces = text.split('&', MAX_PARAMETERS + 1)
  assertFew(pieces)
  return pieces
    .filter((piece) => piece !== '')
    .map((piece) => {
      const at = piece.indexOf('=')
      const [name, value] = at < 0 ? [piece, ''] : [piece.slice(0, at), piece.slice(at + 1)]
      return { name: plusDecoded(name, from), value: plusDecoded(value, from), from }
    })
}

/** Whether the content type is a form. */
export const isForm = (request: RawRequest): boolean => isOfType(request, CONTENT_TYPES.form)

/** Whether a parameter belongs to the OAuth protocol. */
export const isProtocols = (name: string): boolean => name.startsWith('oauth_')

/** Some clients repeat the header's parameters in the body, but sign them once. */
function withoutEchoes(parameters: readonly Parameter[]): Parameter[] {
  const first = new Map<string, string>()
  return parameters.filter(({ name, value }) => {
    if (!isProtocols(name)) return true
    const before = first.get(name)
    if (before === undefined) first.set(name, value)
    else if (before !== value) throw new Unreadable(`${name} was sent twice, with two values.`)
    return before === undefined
  })
}

/** Reads parameters from the Authorization header, the query and a form body (RFC 5849, section 3.4.1.3.1). Throws `Unreadable`. */
export function readSigned(request: RawRequest): SignedRequest {
  const header = headerOf(request, 'authorization') ?? ''
  const form = request.body && isForm(request) ? request.body.toString('utf8') : ''
  const received = [...(SCHEME.test(header) ? inHeader(header) : []), ...inText(request.query, 'query'), ...inText(form, 'form')]
  assertFew(received)
  const all = withoutEchoes(received)
  const oauth = new Map<string, string>()
  for (const { name, value } of all) if (isProtocols(name) || name === 'x_auth_access_type') oauth.set(name, value)
  return {
    method: request.method,
    path: pathOf(request.target),
    received,
    parameters: all.filter(({ name }) => name !== 'oauth_signature'),
    oauth,
  }
}

/** Whether a request has OAuth 1.0a parameters. */
export const hasSignature = ({ oauth }: SignedRequest): boolean => oauth.has('oauth_consumer_key') || oauth.has('oauth_signature')
