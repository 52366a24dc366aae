import { cutText } from '../../lib/text.ts'
import { MAX_PARAMETERS } from '../declare/host-limits.ts'
import { type ErrorDetail, malformedRequest } from '../declare/problem.ts'
import { HIDDEN_VALUE } from '../declare/secret-words.ts'

/** Where `name=value&…` text stands. */
export type UrlEncodedPlace = 'query' | 'form'

/** Where a parameter stands in the request. */
export type Place = UrlEncodedPlace | 'path' | 'body'

function decode(piece: string): string | undefined {
  try {
    return decodeURIComponent(piece.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** A text parameter as it was sent. */
export interface SentText {
  name: string
  value: string
}

export interface UrlEncoded {
  /** The first value of each name. */
  values: Map<string, string>
  /** Every parameter in the order in which they came, those of a repeated name each. */
  texts: SentText[]
  /** Pieces that cannot be decoded, or that no parameter may hold. */
  malformed: ErrorDetail[]
  /** Names that came twice. */
  repeated: ErrorDetail[]
}

const NO_SECRETS: ReadonlySet<string> = new Set()

/**
 * Parses `name=value&…` text of at most `MAX_PARAMETERS`. A broken percent-encoding, U+0000, `__proto__` or a repeated name is an error;
 * none repeats the value of a secret.
 */
export function parseUrlEncoded(source: string, place: UrlEncodedPlace, secrets = NO_SECRETS): UrlEncoded {
  const values = new Map<string, string>()
  const texts: SentText[] = []
  const malformed: ErrorDetail[] = []
  const repeated: ErrorDetail[] = []
  const isSecret = (name: string | undefined) => name !== undefined && secrets.has(name)
  const pieces = source.split('&', MAX_PARAMETERS + 1)
  if (pieces.length > MAX_PARAMETERS) {
    malformed.push({ message: `The ${place} has more than ${MAX_PARAMETERS} parameters.` })
    pieces.length = 0
  }
  for (const piece of pieces) {
    if (piece === '') continue
    const at = piece.indexOf('=')
    const name = decode(at < 0 ? piece : piece.slice(0, at))
    const value = at < 0 ? '' : decode(piece.slice(at + 1))
    if (name === undefined || value === undefined)
      malformed.push({
        message: `The ${place} parameter text [${isSecret(name) ? `${name}=${HIDDEN_VALUE}` : cutText(piece, 100)}] is not valid percent-encoded UTF-8.`,
      })
    else if (`${name}${value}`.includes('\u0000'))
      malformed.push({
        message: `The \`${cutText(name.replaceAll('\u0000', ''), 100)}\` ${place} parameter holds U+0000.`,
        parameters: { [name]: [] },
      })
    else if (name === '__proto__') malformed.push({ message: `The ${place} parameter \`__proto__\` is not allowed.`, parameters: {} })
    else {
      texts.push({ name, value })
      if (values.has(name))
        repeated.push({
          message: `Duplicate parameters are not allowed: the \`${name}\` ${place} parameter`,
          parameters: { [name]: isSecret(name) ? [HIDDEN_VALUE, HIDDEN_VALUE] : [values.get(name)!, value] },
        })
      else values.set(name, value)
    }
  }
  return { values, texts, malformed, repeated }
}

/** Throws 400 with every piece that is malformed or repeated. */
export function assertWellFormed({ malformed, repeated }: UrlEncoded) {
  if (malformed.length + repeated.length > 0) throw malformedRequest([...malformed, ...repeated])
}
