import type { ErrorObject } from 'ajv'
import { cutText } from '../lib/cut-text.ts'
import { expectationOf } from './ads-words.ts'
import type { Mistake } from './problem.ts'
import type { TSchema } from './words.ts'

const LONGEST_SHOWN = 200

const shown = (value: unknown) => {
  const text = Array.isArray(value) ? value.join(',') : String(value)
  return `"${text.length > LONGEST_SHOWN ? `${cutText(text, LONGEST_SHOWN)}…` : text}"`
}

const plainTypes: Record<string, string> = { integer: 'Int', boolean: 'boolean', array: 'a list' }

interface Schema {
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

const between = (min: number | undefined, max: number | undefined) =>
  min === undefined
    ? `at most ${max}`
    : max === undefined || max === Number.MAX_SAFE_INTEGER
      ? `at least ${min}`
      : `between ${min} and ${max}`

/** What a parameter should have been, in the manner of public practice. */
function expected(error: ErrorObject): string {
  const { keyword, params } = error
  const schema = error.parentSchema as TSchema & Schema
  switch (keyword) {
    case 'enum':
      return `a value in ${params.allowedValues.join(', ')}`
    case 'minimum':
    case 'maximum':
      return `a value ${between(schema.minimum, schema.maximum)}`
    case 'minLength':
    case 'maxLength':
      return `a text of ${between(schema.minLength ?? 0, schema.maxLength)} characters`
    case 'minItems':
    case 'maxItems':
      return `a list of ${between(schema.minItems ?? 0, schema.maxItems)} values`
    case 'uniqueItems':
      return 'each value once'
    default:
      return expectationOf(schema) ?? plainTypes[params.type] ?? `a value like ${params.pattern}`
  }
}

/** Turns one error of the validator into a mistake in the words of the advertising hosts. */
export function adsMistakeOf(error: ErrorObject, sentAs: (name: string) => string): Mistake {
  if (error.keyword === 'required') {
    const name = sentAs(error.params.missingProperty)
    return { message: `"${name}" is a required parameter`, parameters: { [name]: [] }, code: 'MISSING_PARAMETER' }
  }
  const name = sentAs(error.instancePath.split('/')[1]!)
  return { message: `Expected ${expected(error)}, got ${shown(error.data)} for ${name}`, parameters: { [name]: [] } }
}
