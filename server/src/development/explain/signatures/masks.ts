import { encode } from '../../../access/oauth1/base-string.ts'
import type { RejectedSignature } from '../../../access/oauth1/verify.ts'
import { cutText } from '../../../lib/text.ts'
import type { Pair } from './signing.ts'

/** Percent-encoding does not change it, so that masked texts can still be compared. */
const HIDDEN = '...'
const SHOWN_CHARACTERS = 4
/** Of shorter texts not even the beginning is shown. */
const MIN_LENGTH_TO_SHOW = 16

/** A token is cut to its beginning. */
const shorten = (text: string) => (text.length < MIN_LENGTH_TO_SHOW ? HIDDEN : `${cutText(text, SHOWN_CHARACTERS)}${HIDDEN}`)

/** Names of parameters with secrets or tokens. */
const SECRET_NAME = /secret|password|signature$/i
const TOKEN_NAME = /token|verifier/i

const isShort = (text: string) => text.length < SHOWN_CHARACTERS

/** The secrets of a request, and what is shown instead. Longer ones first, because one may be part of another. */
function secretsOf({ app, tokenSecret, signed }: RejectedSignature): [secret: string, shown: string][] {
  const own = [app?.consumerSecret, app?.previousConsumerSecret, tokenSecret].map((secret) => [secret ?? '', HIDDEN] as const)
  const sent = (signed?.received ?? [])
    .filter(({ name, value }) => (SECRET_NAME.test(name) || TOKEN_NAME.test(name)) && !isShort(value))
    .map(({ name, value }) => [value, SECRET_NAME.test(name) ? HIDDEN : shorten(value)] as const)
  return [...own, ...sent]
    .filter(([secret]) => secret.length > 0)
    .flatMap(([secret, shown]): [string, string][] => [...new Set([secret, encode(secret)])].map((form) => [form, shown]))
    .sort(([one], [other]) => other.length - one.length)
}

export interface Masks {
  /** Masks the secrets in a text, and cuts it to `max` characters. */
  text(text: string, max: number): string
  /** Masks a parameter, also because of its name, and cuts it. */
  pair<P extends Pair>(pair: P): P
}

const MAX_VALUE_LENGTH = 200

/** Creates masks for a rejected signature. Masked texts contain no secret and no complete token. */
export function createMasks(refusal: RejectedSignature): Masks {
  const secrets = secretsOf(refusal)
  const text = (text: string, max: number) => {
    const masked = secrets.reduce((rest, [secret, shown]) => rest.replaceAll(secret, () => shown), text)
    return masked.length > max ? `${cutText(masked, max)}${HIDDEN}` : masked
  }
  const shownOf = ({ name, value }: Pair) => {
    if (value === '') return ''
    if (SECRET_NAME.test(name)) return HIDDEN
    return TOKEN_NAME.test(name) ? shorten(value) : text(value, MAX_VALUE_LENGTH)
  }
  return { text, pair: (pair) => ({ ...pair, name: text(pair.name, MAX_VALUE_LENGTH), value: shownOf(pair) }) }
}
