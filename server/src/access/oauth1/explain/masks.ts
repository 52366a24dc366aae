import { cutText } from '../../../lib/text.ts'
import { encode } from '../base-string.ts'
import type { Refusal } from '../verify.ts'
import type { Pair } from './signing.ts'

/** Every percent-encoding leaves it as it is, so that texts with it can still be compared. */
const HIDDEN = '...'
const SHOWN_CHARACTERS = 4
/** Of what is shorter even the beginning would say too much. */
const SHORTEST_SHOWN = 16

/** What is shown of a token: its beginning. */
const shorten = (text: string) => (text.length < SHORTEST_SHOWN ? HIDDEN : `${cutText(text, SHOWN_CHARACTERS)}${HIDDEN}`)

/** Which parameters hold what is not for everyone, by their names. */
const SECRET_NAME = /secret|password|signature$/i
const TOKEN_NAME = /token|verifier/i

const isShort = (text: string) => text.length < SHOWN_CHARACTERS

/** What is secret of a refusal, and what is shown of it. Longer ones first: one may be a part of another. */
function secretsOf({ app, tokenSecret, signed }: Refusal): [secret: string, shown: string][] {
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
  /** A text without the secrets of the refusal, cut to so many characters. */
  text(text: string, most: number): string
  /** A parameter without them, and without what its name calls one; cut. */
  pair<P extends Pair>(pair: P): P
}

const LONGEST_VALUE = 200

/** Masks what a refusal knows. What was masked holds no secret and no whole token. */
export function createMasks(refusal: Refusal): Masks {
  const secrets = secretsOf(refusal)
  const text = (text: string, most: number) => {
    const masked = secrets.reduce((rest, [secret, shown]) => rest.replaceAll(secret, () => shown), text)
    return masked.length > most ? `${cutText(masked, most)}${HIDDEN}` : masked
  }
  const shownOf = ({ name, value }: Pair) => {
    if (value === '') return ''
    if (SECRET_NAME.test(name)) return HIDDEN
    return TOKEN_NAME.test(name) ? shorten(value) : text(value, LONGEST_VALUE)
  }
  return { text, pair: (pair) => ({ ...pair, name: text(pair.name, LONGEST_VALUE), value: shownOf(pair) }) }
}
