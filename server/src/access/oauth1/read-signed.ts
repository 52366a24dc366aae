import { headerOf, pathOf, type RawRequest } from '../../api/declare/raw-request.ts'
import type { Parameter } from './base-string.ts'

/** A request with OAuth 1.0a parameters. */
export interface SignedRequest {
  method: string
  /** As sent. */
  path: string
  /** All of them, in the order in which they came. */
  received: readonly Parameter[]
  /** Those that are signed, in the same order: `oauth_signature` left out, and `oauth_…` that came twice alike once. */
  parameters: readonly Parameter[]
  /** Those whose names begin with `oauth_`, and `x_auth_access_type`. */
  oauth: ReadonlyMap<string, string>
}

/** Why a request cannot be one, as a sentence. */
export class Unreadable extends Error {}

/** The same where it is no fault of the signature, but of the parameters that it covers. */
export class UnreadableParameters extends Unreadable {}

const HEADER = 'Authorization header'

const FORM = 'application/x-www-form-urlencoded'

/** Far more than any endpoint takes: encoding and sorting them is work that a stranger could ask for. */
const MOST_PARAMETERS = 1000

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

/** What stands between commas that are in no quotes: a realm may hold some. */
const PIECE = /(?:"[^"]*"|[^,])+/g

function inHeader(header: string): Parameter[] {
  return (header.replace(SCHEME, '').match(PIECE) ?? [])
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')
    .map((piece) => {
      const [, name, value] = /^([^=\s]+)\s*=\s*"([^"]*)"$/.exec(piece) ?? []
      if (name === undefined || value === undefined)
        throw new Unreadable('The Authorization header must be `OAuth name="value", …`, with each value in double quotes.')
      return { name: decode(name, HEADER), value: decode(value, HEADER), from: 'header' as const }
    })
    .filter(({ name }) => name !== 'realm')
}

const plusDecoded = (text: string, what: string) => decode(text.replaceAll('+', ' '), what)

/** The parameters of `name=value&…` text. Throws `Unreadable`. */
export const inText = (text: string, from: 'query' | 'form'): Parameter[] =>
  text
    .split('&')
    .filter((piece) => piece !== '')
    .map((piece) => {
      const at = piece.indexOf('=')
      const [name, value] = at < 0 ? [piece, ''] : [piece.slice(0, at), piece.slice(at + 1)]
      return { name: plusDecoded(name, from), value: plusDecoded(value, from), from }
    })

/** Whether a body says that it is a form. */
export const isForm = (request: RawRequest): boolean => headerOf(request, 'content-type')?.split(';')[0]?.trim().toLowerCase() === FORM

/** Whether a parameter is one of the protocol's own. */
export const isProtocols = (name: string): boolean => name.startsWith('oauth_')

/** Clients repeat what is in the header in the body; once is what they sign. */
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
  if (received.length > MOST_PARAMETERS) throw new UnreadableParameters(`The request has more than ${MOST_PARAMETERS} parameters.`)
  const all = withoutEchoes(received)
  return {
    method: request.method,
    path: pathOf(request.target),
    received,
    parameters: all.filter(({ name }) => name !== 'oauth_signature'),
    oauth: new Map(all.filter(({ name }) => isProtocols(name) || name === 'x_auth_access_type').map(({ name, value }) => [name, value])),
  }
}

/** Whether a request says anything of OAuth 1.0a. */
export const hasSignature = ({ oauth }: SignedRequest): boolean => oauth.has('oauth_consumer_key') || oauth.has('oauth_signature')
