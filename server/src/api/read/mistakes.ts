import type { ErrorObject } from 'ajv'
import { MOST_LONG, writeExactJson } from '../../lib/numbers.ts'
import { cutText } from '../../lib/text.ts'
import { LONG } from '../declare/ads-words.ts'
import type { Mistake } from '../declare/problem.ts'
import type { Place } from './text-params.ts'

/** The rule that a value broke, as the end of a sentence about it. */
function broken(error: ErrorObject): string {
  const { keyword, params } = error
  switch (keyword) {
    case 'type':
      return `${kindOf(error.data)} found, ${params.type} expected`
    case 'pattern':
      return `does not match the regex pattern ${params.pattern}`
    case 'format':
      return 'is not a moment that exists'
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
      return `must be a whole number between ${error.schema} and ${MOST_LONG}, in digits`
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

interface Named {
  place: Place
  /** The name a parameter was sent under. */
  sentAs: (name: string) => string
}

const withName = (name: string, value: unknown, message: string): Mistake => ({
  message,
  parameters: { [name]: value === undefined ? [] : [shown(value)] },
})

function missing(name: string, place: Place): Mistake {
  const message = place === 'body' ? `$.${name}: is missing but it is required` : `The \`${name}\` ${place} parameter can not be empty`
  return withName(name, undefined, message)
}

/** Turns one error of the validator into a mistake that names the parameter as it was sent, and the rule. */
export function mistakeOf(error: ErrorObject, { place, sentAs }: Named): Mistake {
  const steps = stepsOf(error).map(sentAs)
  if (error.keyword === 'required') return missing([...steps, sentAs(error.params.missingProperty)].join('.'), place)
  if (error.keyword === 'additionalProperties') {
    const name = [...steps, error.params.additionalProperty].join('.')
    return withName(name, undefined, `$.${name}: is not defined in the schema and the schema does not allow additional properties`)
  }
  const name = place === 'body' ? steps.join('.') : steps[0]!
  const message =
    place === 'body' ? `$.${name}: ${broken(error)}` : `The \`${name}\` ${place} parameter value [${shown(error.data)}] ${broken(error)}`
  return withName(name, error.data, message)
}
