import { isLongWord } from '../declare/ads-words.ts'
import type { ErrorDetail } from '../declare/problem.ts'
import type { TSchema } from '../declare/words.ts'
import { shown } from './broken-rule.ts'
import type { DeclaredParameters, SentParameters } from './declared-parameters.ts'
import type { ParameterPolicy } from './parameter-policy.ts'

interface Word {
  type?: string
  pattern?: string
  items?: TSchema
}

const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint'

/** A value of JSON as the word means it. Clients write values as in a query too: lists with commas, numbers and booleans as texts. */
function decode(word: TSchema, value: unknown, policy: ParameterPolicy): unknown {
  const { type, pattern, items } = word as Word
  if (typeof value === 'string') return policy.decodeText(word, value)
  if (Array.isArray(value)) return items ? [...new Set(value.map((item) => decode(items, item, policy)))] : value
  // An id may be written as a number. A name has no pattern.
  if (isNumber(value) && type === 'string' && pattern !== undefined) return policy.decodeText(word, String(value))
  return typeof value === 'bigint' && !isLongWord(word) ? Number(value) : value
}

/** Reads the members of an operation as the parameters of an endpoint. Members that are not declared are passed over. */
export function readOperation(
  members: Readonly<Record<string, unknown>>,
  declared: DeclaredParameters,
  policy: ParameterPolicy,
): SentParameters {
  const spellings = new Map<string, string>()
  const values: Record<string, unknown> = {}
  const unset: Record<string, null> = {}
  const errors: ErrorDetail[] = []
  for (const [spelling, value] of Object.entries(members)) {
    const parameter = declared.get(spelling)
    if (!parameter) continue
    const { name, word, isUnsettable } = parameter
    const other = spellings.get(name)
    const asText = (one: string) => ({ name: one, value: shown(members[one]) })
    if (other !== undefined) errors.push(policy.errors.twoSpellings(asText(other), asText(spelling), 'form'))
    spellings.set(name, spelling)
    if (isUnsettable && (value === null || value === '')) unset[name] = null
    else values[name] = decode(word, value, policy)
  }
  return { values, unset, texts: [], spellingOf: (name) => spellings.get(name), errors }
}
