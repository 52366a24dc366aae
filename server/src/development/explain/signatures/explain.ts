import { byNameAndValue, encode, type Parameter } from '../../../access/oauth1/base-string.ts'
import { isProtocols } from '../../../access/oauth1/read-signed.ts'
import type { RejectedSignature } from '../../../access/oauth1/verify.ts'
import { SHORTEST_SECRET } from '../../../access/secret-names.ts'
import { cutText } from '../../../lib/text.ts'
import type { ExplainedParameter, Explanation } from '../explanations.ts'
import { findMistake } from './find-mistake.ts'
import { baseOf, type Pair, type Signing } from './signing.ts'

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

/** The secrets of a request, and what is shown instead. Longer ones first, because one may be part of another. */
function secretsOf({ app, tokenSecret, signed }: RejectedSignature): [secret: string, shown: string][] {
  const own = [app?.consumerSecret, app?.previousConsumerSecret, tokenSecret].map((secret) => [secret ?? '', HIDDEN] as const)
  const sent = (signed?.received ?? [])
    .filter(({ name }) => SECRET_NAME.test(name) || TOKEN_NAME.test(name))
    .map(({ name, value }) => [value, SECRET_NAME.test(name) ? HIDDEN : shorten(value)] as const)
  return [...own, ...sent]
    .filter(([secret]) => secret.length >= SHORTEST_SECRET)
    .flatMap(([secret, shown]): [string, string][] => [...new Set([secret, encode(secret)])].map((form) => [form, shown]))
    .sort(([one], [other]) => other.length - one.length)
}

const cut = (text: string, max: number) => (text.length > max ? `${cutText(text, max)}${HIDDEN}` : text)

interface Masks {
  /** Masks the secrets in a text, and cuts it to `max` characters. */
  text(text: string, max: number): string
  /** Masks a parameter, also because of its name, and cuts it. */
  pair<P extends Pair>(pair: P): P
}

const MAX_VALUE_LENGTH = 200

/** Creates masks for a rejected signature. Masked texts contain no secret and no complete token. */
function createMasks(refusal: RejectedSignature): Masks {
  const secrets = secretsOf(refusal)
  const text = (text: string, max: number) => {
    const masked = secrets.reduce((rest, [secret, shown]) => rest.replaceAll(secret, () => shown), text)
    return cut(masked, max)
  }
  const shownOf = ({ name, value }: Pair) => {
    if (value === '') return ''
    if (SECRET_NAME.test(name)) return HIDDEN
    return TOKEN_NAME.test(name) ? shorten(value) : text(value, MAX_VALUE_LENGTH)
  }
  return { text, pair: (pair) => ({ ...pair, name: text(pair.name, MAX_VALUE_LENGTH), value: shownOf(pair) }) }
}

const MAX_PARAMETERS = 60
const MAX_ORIGINS = 4
const MAX_BASE_LENGTH = 4000
const MAX_PATH_LENGTH = 500
const MAX_SENTENCE_LENGTH = 500

/** In the order of the base string. */
function parametersOf({ signed }: RejectedSignature, masks: Masks): ExplainedParameter[] {
  const rows = new Map<string | Parameter, ExplainedParameter>()
  for (const parameter of signed?.received ?? []) {
    const key = isProtocols(parameter.name) ? parameter.name : parameter
    const { name, value, from } = masks.pair(parameter)
    const before = rows.get(key)
    if (before) before.from.push(from)
    else rows.set(key, { name, value, from: [from], ...(name !== 'oauth_signature' && { inBase: `${encode(name)}=${encode(value)}` }) })
  }
  return [...rows.values()].sort((one, other) =>
    byNameAndValue([encode(one.name), encode(one.value)], [encode(other.name), encode(other.value)]),
  )
}

function maskedBase(signing: Signing, masks: Masks): string {
  const masked = { ...signing, parameters: signing.parameters.map(masks.pair), path: masks.text(signing.path, MAX_PATH_LENGTH) }
  return masks.text(baseOf(masked), MAX_BASE_LENGTH)
}

const originsFrom = (first: string, { client }: RejectedSignature) => [...new Set([first, ...client.origins])].slice(0, MAX_ORIGINS)

/** Explains a rejected signature, to which the client got `answer`. The result has no secrets and may be stored and shown. */
export function explain(refusal: RejectedSignature, answer: string): Explanation {
  const { request, signed, nowMs } = refusal
  const masks = createMasks(refusal)
  const { sentences, right, signed: signing } = findMistake(refusal, (text) => masks.text(text, MAX_SENTENCE_LENGTH))
  const parameters = parametersOf(refusal, masks)
  return {
    atMs: nowMs,
    method: request.method,
    path: masks.text(signed?.path ?? request.target.split('?', 1)[0]!, MAX_PATH_LENGTH),
    answer,
    sentences: sentences.map((sentence) => cut(sentence, MAX_SENTENCE_LENGTH)),
    signature: {
      parameters: parameters.slice(0, MAX_PARAMETERS),
      more: Math.max(0, parameters.length - MAX_PARAMETERS),
      bases: right ? originsFrom(right.origin, refusal).map((origin) => maskedBase({ ...right, origin }, masks)) : [],
      ...(signing && { signedBase: maskedBase(signing, masks) }),
    },
  }
}
