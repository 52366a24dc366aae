import { readExactJson, writeExactJson } from '../../../lib/numbers.ts'

/** Names of parameters, members and headers whose values are secrets, or may be. */
const SECRET =
  /token|secret|password|verifier|signature|authenticity|authorization|cookie|session|csrf|assertion|credential|challenge$|^pin$/i

/** Names that only look so. */
const HARMLESS: ReadonlySet<string> = new Set(['next_token', 'previous_token', 'pagination_token', 'token_type', 'token_type_hint'])

/** A secret in requests and in redirects; in an answer it is the number of an error. */
const CODE = 'code'

const HIDDEN = '***'

/** Shorter values would be found by chance. */
const SHORTEST_SECRET = 6

const isSecretName = (name: string) => SECRET.test(name) && !HARMLESS.has(name)

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** A text as it stands in other texts: in a query, a form and JSON. */
const spellingsOf = (text: string) => [
  text,
  encodeURIComponent(text.toWellFormed()),
  new URLSearchParams([['', text]]).toString().slice(1),
  JSON.stringify(text).slice(1, -1),
]

/** The schemes that clients name before their credentials. */
const SCHEME = /^(bearer|basic|oauth)$/i

/** Masks one call: what it hides in one place it hides in all others. */
export interface Masks {
  header(name: string, value: string): string
  /** A query or a form. */
  pairs(text: string): string
  url(text: string): string
  /** The text of a JSON value; undefined if it is none. */
  json(text: string, of: 'request' | 'answer'): string | undefined
  /** Hides in a text what was a secret elsewhere. */
  text(text: string): string
}

export function createMasks(): Masks {
  const secrets = new Set<string>()

  const hide = (value: string) => {
    if (value.length < SHORTEST_SECRET) return HIDDEN
    for (const one of [value, decoded(value)].flatMap(spellingsOf)) secrets.add(one)
    return HIDDEN
  }

  const pairs = (text: string): string =>
    text
      .split('&')
      .map((pair) => {
        const [name = '', ...value] = pair.split('=')
        const plain = decoded(name)
        return isSecretName(plain) || plain === CODE ? `${name}=${hide(value.join('='))}` : pair
      })
      .join('&')

  const url = (text: string): string => {
    const at = text.search(/[?#]/)
    return at < 0 ? text : text.slice(0, at + 1) + pairs(text.slice(at + 1))
  }

  /** The credentials themselves are remembered, so that an error which repeats them does not show them. */
  const authorization = (value: string): string => {
    const [scheme = '', ...rest] = value.split(' ')
    const credentials = rest.join(' ')
    hide(credentials)
    for (const part of Buffer.from(credentials, 'base64').toString('latin1').split(':').slice(1)) hide(part)
    for (const [, name = '', secret = ''] of credentials.matchAll(/([\w-]+)="([^"]*)"/g)) if (isSecretName(name)) hide(secret)
    hide(value)
    return SCHEME.test(scheme) ? `${scheme} ${HIDDEN}` : HIDDEN
  }

  const member = (name: string, value: unknown, of: 'request' | 'answer'): unknown => {
    const isSecret = isSecretName(name) || (name === CODE && of === 'request')
    if (isSecret && typeof value === 'string') return hide(value)
    if (isSecret && (typeof value === 'number' || typeof value === 'bigint')) return HIDDEN
    return walk(value, of)
  }

  const walk = (value: unknown, of: 'request' | 'answer'): unknown => {
    if (Array.isArray(value)) return value.map((one) => walk(one, of))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, member(name, inner, of)]))
  }

  return {
    pairs,
    url,
    header(name, value) {
      if (/^(proxy-)?authorization$/.test(name)) return authorization(value)
      if (name === 'location' || name === 'referer') return url(value)
      return isSecretName(name) ? hide(value) : value
    },
    json(text, of) {
      try {
        return writeExactJson(walk(readExactJson(text), of))
      } catch {
        return undefined
      }
    },
    text: (text) => [...secrets].reduce((left, secret) => left.replaceAll(secret, HIDDEN), text),
  }
}
