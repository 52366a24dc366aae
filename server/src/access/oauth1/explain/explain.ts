import type { Code } from '../../../api/declare/codes.ts'
import { byNameAndValue, encode, type Parameter } from '../base-string.ts'
import { isProtocols } from '../read-signed.ts'
import type { Refusal } from '../verify.ts'
import { findMistake } from './find-mistake.ts'
import { createMasks, type Masks } from './masks.ts'
import { baseOf, type Signing } from './signing.ts'

/** A parameter as it was received, and as it stands in the base string. */
export interface ExplainedParameter {
  name: string
  value: string
  /** More than one when it was repeated, and counted once. */
  from: Parameter['from'][]
  /** Missing when it is not part of the base string. */
  inBase?: string
}

/** Why a signature was refused, for people. It holds no secret, no expected signature and no whole token. */
export interface Explanation {
  code: Code
  atMs: number
  method: string
  path: string
  /** The likely mistake, in sentences. */
  says: readonly string[]
  parameters: readonly ExplainedParameter[]
  /** How many more parameters there were. */
  more: number
  /** The base strings that the signature was checked against, the likeliest first. */
  bases: readonly string[]
  /** What the client signed, where that was found out. */
  signedBase?: string
}

const MOST_PARAMETERS = 60
const MOST_ORIGINS = 4
const LONGEST_BASE = 4000
const LONGEST_PATH = 500
const LONGEST_SENTENCE = 500

/** In the order of the base string. */
function parametersOf({ signed }: Refusal, masks: Masks): ExplainedParameter[] {
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
  const masked = { ...signing, parameters: signing.parameters.map(masks.pair), path: masks.text(signing.path, LONGEST_PATH) }
  return masks.text(baseOf(masked), LONGEST_BASE)
}

const originsFrom = (first: string, { client }: Refusal) => [...new Set([first, ...client.origins])].slice(0, MOST_ORIGINS)

/** Explains a refusal. What it answers may be kept and shown. */
export function explain(refusal: Refusal): Explanation {
  const { code, request, signed, nowMs } = refusal
  const masks = createMasks(refusal)
  const { says, right, signed: signing } = findMistake(refusal)
  const parameters = parametersOf(refusal, masks)
  return {
    ...{ code, atMs: nowMs, method: request.method },
    path: masks.text(signed?.path ?? request.target.split('?', 1)[0]!, LONGEST_PATH),
    says: says.map((sentence) => masks.text(sentence, LONGEST_SENTENCE)),
    parameters: parameters.slice(0, MOST_PARAMETERS),
    more: Math.max(0, parameters.length - MOST_PARAMETERS),
    bases: right ? originsFrom(right.origin, refusal).map((origin) => maskedBase({ ...right, origin }, masks)) : [],
    ...(signing && { signedBase: maskedBase(signing, masks) }),
  }
}
