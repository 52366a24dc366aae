import type { ErrorObject } from 'ajv'
import { MAX_LONG, writeExactJson } from '../../lib/numbers.ts'
import { cutText } from '../../lib/text.ts'
import { LONG } from '../declare/ads-words.ts'
import { expectationOf } from '../declare/codec.ts'
import { adsError, adsProblem, type ErrorDetail, Problem } from '../declare/problem.ts'
import { sentenceOf } from '../declare/rules.ts'
import type { TSchema } from '../declare/words.ts'
import { CONTENT_TYPES, formText } from './body.ts'
import { lenientText } from './decode-text.ts'
import type { InvalidValues, ParameterErrors, ParameterPolicy } from './parameter-policy.ts'

const MAX_SHOWN_LENGTH = 200

/** What came in a comma list. */
const isPlainList = (value: object) => Array.isArray(value) && value.every((item) => typeof item !== 'object')

export const shownValue = (value: unknown): string => {
  const text = typeof value === 'object' && value !== null && !isPlainList(value) ? writeExactJson(value) : String(value)
  return `"${text.length > MAX_SHOWN_LENGTH ? `${cutText(text, MAX_SHOWN_LENGTH)}…` : text}"`
}

const plainTypes: Record<string, string> = {
  integer: 'Int',
  boolean: 'boolean',
  array: 'a list',
  object: 'an object',
  string: 'a text',
}

interface Schema {
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

const between = (min: number | undefined, max: number | undefined) =>
  min === undefined ? `at most ${max}` : max === undefined ? `at least ${min}` : `between ${min} and ${max}`

const isWhole = (value: unknown) => typeof value === 'bigint' || Number.isSafeInteger(value)

/** What a value should have been, in the words of public practice. */
export function expected(error: ErrorObject): string {
  const { keyword, params } = error
  const schema = error.parentSchema as TSchema & Schema
  switch (keyword) {
    case 'enum':
      return `a value in ${params.allowedValues.join(', ')}`
    case 'minimum':
    case 'maximum':
      return `a value ${between(schema.minimum, schema.maximum)}`
    case LONG:
      return isWhole(error.data) ? `a value between ${error.schema} and ${MAX_LONG}` : expectationOf(schema)!
    case 'minLength':
    case 'maxLength':
      return `a text of ${between(schema.minLength ?? 0, schema.maxLength)} characters`
    case 'minItems':
    case 'maxItems':
      return `a list of ${between(schema.minItems ?? 0, schema.maxItems)} values`
    case 'additionalProperties':
      return `nothing called ${cutText(params.additionalProperty, MAX_SHOWN_LENGTH)}`
    case 'uniqueItems':
      return 'each value once'
    default:
      return expectationOf(schema) ?? plainTypes[params.type] ?? `a value like ${params.pattern}`
  }
}

/** The steps to a value: its parameter, and inside of it `components`, `0`, `type`. An item of a list is named as its list. */
function pathTo({ instancePath, keyword, params }: ErrorObject): [parameter: string, ...inside: string[]] {
  const path = instancePath.split('/').slice(1)
  if (keyword === 'required') path.push(params.missingProperty)
  else if (path.length === 2 && /^\d+$/.test(path[1]!)) path.pop()
  return path as [string]
}

const IN_MICROS = ' (in micros: 1000000 is 1.00)'

function invalidValue([parameter, ...inside]: [string, ...string[]], error: ErrorObject, { sentAs, textOf }: InvalidValues): ErrorDetail {
  const name = sentAs(parameter)
  const place = [name, ...inside].join('.')
  if (error.keyword === 'required') return adsError('MISSING_PARAMETER', `"${place}" is a required parameter`, name)
  const hint = error.keyword === LONG && !isWhole(error.data) && name.endsWith('_local_micro') ? IN_MICROS : ''
  const isWholeParameter = error.instancePath.split('/').length === 2
  const sent = isWholeParameter ? (textOf(name) ?? error.data) : error.data
  return adsError('INVALID_PARAMETER', `Expected ${expected(error)}, got ${shownValue(sent)} for ${place}${hint}`, name)
}

/** The first error of each value, for a long list would hide the others. A parameter that has an error, or is unset, has no other. */
function invalidValues(errors: readonly ErrorObject[], context: InvalidValues): ErrorDetail[] {
  const { named, unset } = context
  const found = new Map<string, ErrorDetail>()
  for (const error of errors) {
    const path = pathTo(error)
    const key = path.join('.')
    if (!found.has(key) && !Object.hasOwn(unset, key)) found.set(key, invalidValue(path, error, context))
  }
  return [...found.values()].filter(({ parameters = {} }) => !Object.keys(parameters).some((name) => named.has(name)))
}

/** Errors as the advertising hosts word them (public practice). */
const adsErrors: ParameterErrors = {
  twoSpellings: (one, other) => adsError('EXCLUSIVE_PARAMETERS', `${one.name} and ${other.name} are one parameter`, other.name),
  brokenRule: (rule, sentAs) => adsError(rule.code ?? 'INVALID_PARAMETER', sentenceOf(rule, sentAs), sentAs(rule.parameters[0]!)),
  invalidValues,
}

/** Parameters of the advertising hosts (§4.4): an empty value unsets what may be null, and what was sent is repeated (§2.4). */
export const adsPolicy: ParameterPolicy = {
  unknown: 'ignored',
  malformedText: 'named',
  emptyUnsets: true,
  echoes: true,
  // What is deleted may be named in a form too.
  textOf: (request, place) =>
    place === 'form' || request.method === 'DELETE'
      ? { source: formText(request), place: 'form' }
      : { source: request.query, place: 'query' },
  decodeText: lenientText,
  wrongMediaType(place) {
    const where = place === 'form' ? 'in the query, or in a body' : 'in a body'
    return new Problem('unsupported-media-type', { detail: `Send the parameters ${where} with content-type ${CONTENT_TYPES[place]}` })
  },
  invalidPath: (name) => adsProblem('INVALID_ID_ILLEGAL_CHARACTERS', `${name} in the path is not an id`),
  errors: adsErrors,
}
