import { isSecretName, isSecretWhenSent, SHORTEST_SECRET } from '../../access/secret-names.ts'
import { readExactJson, writeExactJson } from '../../lib/numbers.ts'

/** What stands for a secret. */
const HIDDEN = '***'

/** So many secrets of a call are looked for in its other texts. No client sends more, and each costs a search. */
const MAX_SECRETS = 200

/** A part of a query or a form; as it is where it is not valid encoding. */
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

/** The secrets of one call. */
interface HiddenTexts {
  /** Remembers a secret. Returns what stands for it. */
  hide(value: string): string
  /** Hides in a text what was a secret elsewhere. */
  text(text: string): string
  /** Whether there were more secrets than are remembered: a text without a name may then have one. */
  isIncomplete(): boolean
}

function createHiddenTexts(): HiddenTexts {
  const secrets = new Set<string>()
  const spellings = new Set<string>()
  let isIncomplete = false
  /** The longest first: one may be part of another. */
  let ordered: readonly string[] | undefined
  return {
    hide(value) {
      if (value.length < SHORTEST_SECRET || secrets.has(value)) return HIDDEN
      isIncomplete ||= secrets.size >= MAX_SECRETS
      if (isIncomplete) return HIDDEN
      ordered = undefined
      secrets.add(value)
      for (const one of [value, decoded(value)].flatMap(spellingsOf)) spellings.add(one)
      return HIDDEN
    },
    text(text) {
      ordered ??= [...spellings].sort((one, other) => other.length - one.length)
      return ordered.reduce((left, secret) => left.replaceAll(secret, HIDDEN), text)
    },
    isIncomplete: () => isIncomplete,
  }
}

/** A name that a parameter can have. Anything else may be a text that was split where it should not be. */
const PLAIN_NAME = /^[\w.[\]-]{0,64}$/

const looksLikeJson = (text: string) => /^\s*[{[]/.test(text)

/** What looks like a name and a value, in a text that cannot be read as JSON. */
const LOOSE_NAME = /([\w-]{1,64})["']?\s{0,8}[:=]/g
const LOOSE_MEMBER = /"([^"]{1,64})"\s{0,8}:\s{0,8}"((?:[^"\\]|\\.)*)/g

const unescaped = (text: string): string => {
  try {
    return JSON.parse(`"${text}"`)
  } catch {
    return text
  }
}

const namesSecret = (text: string) => [...text.matchAll(LOOSE_NAME)].some(([, name]) => isSecretWhenSent(name!))

/** The password in a URL, and what stands before it. */
const URL_PASSWORD = /^([a-z][a-z0-9+.-]*:\/\/[^/?#:@]*:)([^/?#]*)(?=@)/i

/** The schemes that clients name before their credentials. */
const SCHEME = /^(bearer|basic|oauth)$/i

type Side = 'request' | 'answer'

/** Masks one call: what it hides in one place it hides in all others. */
export interface Masks extends Omit<HiddenTexts, 'hide'> {
  header(name: string, value: string): string
  /** A query or a form, also where it is JSON. */
  pairs(text: string): string
  url(text: string): string
  /** The text of a JSON value; undefined if it is none. */
  json(text: string, of: Side): string | undefined
}

export function createMasks(): Masks {
  const { hide, text, isIncomplete } = createHiddenTexts()

  /** A value whose name is no secret: it may be a URL or JSON with names of its own. */
  const inner = (value: string, of: Side): string => {
    if (/^https?:\/\//i.test(value)) return url(value)
    if (!looksLikeJson(value)) return value
    return json(value, of) ?? (namesSecret(value) ? hide(value) : value)
  }

  const innerOfPair = (value: string): string => {
    const plain = decoded(value)
    const shown = inner(plain, 'request')
    return shown === plain ? value : encodeURIComponent(shown)
  }

  const pair = (text: string): string => {
    const [name = '', ...rest] = text.split('=')
    const value = rest.join('=')
    const plain = decoded(name)
    if (!PLAIN_NAME.test(plain)) {
      hide(value)
      return hide(text)
    }
    if (rest.length === 0) return text
    return `${name}=${isSecretWhenSent(plain) ? hide(value) : innerOfPair(value)}`
  }

  const pairs = (text: string): string => {
    if (!looksLikeJson(decoded(text))) return text.split('&').map(pair).join('&')
    return json(text, 'request') ?? json(decoded(text), 'request') ?? hide(text)
  }

  const url = (text: string): string => {
    const shown = text.replace(URL_PASSWORD, (_, before, password) => before + hide(password))
    const at = shown.search(/[?#]/)
    return at < 0 ? shown : shown.slice(0, at + 1) + pairs(shown.slice(at + 1))
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

  /** Every text below a secret name. */
  const hideAll = (value: unknown): unknown => {
    if (typeof value === 'string') return hide(value)
    if (typeof value === 'number' || typeof value === 'bigint') return HIDDEN
    if (Array.isArray(value)) return value.map(hideAll)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hideAll(one)]))
  }

  const walk = (value: unknown, of: Side): unknown => {
    if (typeof value === 'string') return inner(value, of)
    if (Array.isArray(value)) return value.map((one) => walk(one, of))
    if (typeof value !== 'object' || value === null) return value
    const isSecret = of === 'request' ? isSecretWhenSent : isSecretName
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, isSecret(name) ? hideAll(one) : walk(one, of)]))
  }

  const json = (text: string, of: Side): string | undefined => {
    try {
      return writeExactJson(walk(readExactJson(text), of))
    } catch {
      for (const [, name, value] of text.matchAll(LOOSE_MEMBER))
        if (isSecretWhenSent(name!)) for (const one of [value!, unescaped(value!)]) hide(one)
      return undefined
    }
  }

  return {
    pairs,
    url,
    json,
    header(name, value) {
      if (/^(proxy-)?authorization$/.test(name)) return authorization(value)
      if (name === 'location' || name === 'referer') return url(value)
      return isSecretName(name) ? hide(value) : value
    },
    text,
    isIncomplete,
  }
}
