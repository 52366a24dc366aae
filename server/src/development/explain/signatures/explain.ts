import { byNameAndValue, encode, type Parameter } from '../../../access/oauth1/base-string.ts'
import { isProtocols } from '../../../access/oauth1/read-signed.ts'
import type { RejectedSignature } from '../../../access/oauth1/verify.ts'
import { codes } from '../../../api/declare/codes.ts'
import type { ExplainedParameter, Explanation } from '../explanation.ts'
import { findMistake } from './find-mistake.ts'
import { createMasks, type Masks } from './masks.ts'
import { baseOf, type Signing } from './signing.ts'

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

/** Explains a rejected signature. The result has no secrets and may be stored and shown. */
export function explain(refusal: RejectedSignature): Explanation {
  const { code, request, signed, nowMs } = refusal
  const masks = createMasks(refusal)
  const { sentences, right, signed: signing } = findMistake(refusal)
  const parameters = parametersOf(refusal, masks)
  return {
    atMs: nowMs,
    method: request.method,
    path: masks.text(signed?.path ?? request.target.split('?', 1)[0]!, MAX_PATH_LENGTH),
    answer: `code ${code}: ${codes[code].message}`,
    sentences: sentences.map((sentence) => masks.text(sentence, MAX_SENTENCE_LENGTH)),
    signature: {
      parameters: parameters.slice(0, MAX_PARAMETERS),
      more: Math.max(0, parameters.length - MAX_PARAMETERS),
      bases: right ? originsFrom(right.origin, refusal).map((origin) => maskedBase({ ...right, origin }, masks)) : [],
      ...(signing && { signedBase: maskedBase(signing, masks) }),
    },
  }
}
