import type { ErrorObject } from 'ajv'
import { MAX_LONG, writeExactJson } from '../../lib/numbers.ts'
import { cutText } from '../../lib/text.ts'
import { LONG } from '../declare/ads-words.ts'
import { mustBeOf } from '../declare/codec.ts'
import type { ErrorDetail } from '../declare/problem.ts'
import { type Naming, sentenceOf } from '../declare/rules.ts'
import type { TSchema } from '../declare/words.ts'
import type { ParameterErrors } from './parameter-policy.ts'
import type { Place } from './url-encoded.ts'

/** The rule that a value broke, as the end of a sentence about it. */
function broken(error: ErrorObject): string {
  const { keyword, params } = error
  switch (keyword) {
    case 'type':
      return `${kindOf(error.data)} found, ${params.type} expected`
    case 'pattern':
      return `does not match the regex pattern ${params.pattern}`
    case 'format':
      return 'is not a valid date and time'
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

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'bigint') return 'number'
  return Array.isArray(value) ? 'array' : typeof value
}

const LONGEST_SHOWN = 200

/** A value as a message shows it: short, and as it was sent. */
function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (writeExactJson(value) ?? '')
  return text.length > LONGEST_SHOWN ? `${cutText(text, LONGEST_SHOWN)}…` : text
}

const unescapePointer = (pointer: string) => pointer.replaceAll('~1', '/').replaceAll('~0', '~')

/** The path of an error: `['filter', 'user_id']`. */
const stepsOf = (error: ErrorObject) => error.instancePath.split('/').slice(1).map(unescapePointer)

const withName = (name: string, value: unknown, message: string): ErrorDetail => ({
  message,
  parameters: { [name]: value === undefined ? [] : [shown(value)] },
})

function missing(name: string, place: Place): ErrorDetail {
  const message = place === 'body' ? `$.${name}: is missing but it is required` : `The \`${name}\` ${place} parameter can not be empty`
  return withName(name, undefined, message)
}

/** An error of the validator, with the parameter as it was sent, and the rule that it breaks. */
function invalidValue(error: ErrorObject, place: Place, sentAs: Naming): ErrorDetail {
  const steps = stepsOf(error).map(sentAs)
  if (error.keyword === 'required') return missing([...steps, sentAs(error.params.missingProperty)].join('.'), place)
  if (error.keyword === 'additionalProperties') {
    const name = [...steps, error.params.additionalProperty].join('.')
    return withName(name, undefined, `$.${name}: is not defined in the schema and the schema does not allow additional properties`)
  }
  const name = place === 'body' ? steps.join('.') : steps[0]!
  const mustBe = error.keyword === 'pattern' ? mustBeOf(error.parentSchema as TSchema) : undefined
  const rule = mustBe === undefined ? broken(error) : `must be ${mustBe}`
  if (place !== 'body') return withName(name, error.data, `The \`${name}\` ${place} parameter value [${shown(error.data)}] ${rule}`)
  return withName(name, error.data, mustBe === undefined ? `$.${name}: ${rule}` : `${name} ${rule}`)
}

/** Errors as the general API words them (§7, public practice). */
export const generalErrors: ParameterErrors = {
  twoSpellings: (one, other, place) => ({
    message: `Duplicate parameters are not allowed: the \`${one.name}\` ${place} parameter and the \`${other.name}\` ${place} parameter`,
    parameters: { [one.name]: [one.value], [other.name]: [other.value] },
  }),
  brokenRule: (rule, sentAs) => ({
    message: `${sentenceOf(rule, (name) => `\`${sentAs(name)}\``)}.`,
    parameters: { [sentAs(rule.parameters[0]!)]: [] },
  }),
  invalidValues: (errors, { placeOf, sentAs }) => errors.map((error) => invalidValue(error, placeOf(error), sentAs)),
}
