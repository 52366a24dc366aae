import type { ErrorObject } from 'ajv'
import { didYouMean } from '../../lib/nearest.ts'
import { MAX_LONG, writeExactJson } from '../../lib/numbers.ts'
import { cutText } from '../../lib/text.ts'
import { LONG } from '../declare/ads-words.ts'
import { listedNamesOf } from '../declare/codec.ts'
import type { ErrorDetail } from '../declare/problem.ts'
import { ID_FORMAT, type TSchema } from '../declare/words.ts'

/** The rule that a value broke, as the end of a sentence about it. */
export function broken(error: ErrorObject): string {
  const { keyword, params } = error
  switch (keyword) {
    case 'type':
      return `${kindOf(error.data)} found, ${params.type} expected`
    case 'pattern':
      return `does not match the regex pattern ${params.pattern}`
    case 'format':
      return params.format === ID_FORMAT ? 'is not a number of at most 64 bits' : 'is not a valid date and time'
    case 'enum':
      return `does not have a value in the enumeration [${params.allowedValues.join(', ')}]`
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must be at least ${params.limit} characters long`
    case 'maxLength':
      return `must be at most ${params.limit} characters long`
    case 'minimum':
      return `must be at least ${params.limit}`
    case 'maximum':
      return `must be at most ${params.limit}`
    case LONG:
      return `must be a whole number between ${error.schema} and ${MAX_LONG}, in digits`
    case 'minItems':
      return `must have at least ${params.limit} items`
    case 'maxItems':
      return `must have at most ${params.limit} items`
    case 'uniqueItems':
      return `must not have the same item twice (items ${params.j} and ${params.i})`
    default:
      return error.message ?? `breaks the rule ${keyword}`
  }
}

/** What is wrong with a name that is not on a long list, as the end of a sentence that has the name; undefined for any other mistake. */
export function unknownName({ keyword, data, params, parentSchema }: ErrorObject): string | undefined {
  const names = listedNamesOf(parentSchema as TSchema)
  if (names === undefined || keyword !== 'enum' || typeof data !== 'string') return undefined
  return `is no ${names.one}.${didYouMean(data, params.allowedValues)} They are listed at ${names.listedAt}.`
}

/** What JSON calls a value. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'bigint') return 'number'
  return Array.isArray(value) ? 'array' : typeof value
}

const MAX_SHOWN_LENGTH = 200

/** A value as a message shows it: short, and as it was sent. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (writeExactJson(value) ?? '')
  return text.length > MAX_SHOWN_LENGTH ? `${cutText(text, MAX_SHOWN_LENGTH)}…` : text
}

/** An error about a parameter, with the value that was sent. */
export const withName = (name: string, value: unknown, message: string): ErrorDetail => ({
  message,
  parameters: { [name]: value === undefined ? [] : [shown(value)] },
})
