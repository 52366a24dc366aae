import { createRequire } from 'node:module'
import type { Ajv, ErrorObject, FuncKeywordDefinition } from 'ajv'
import { countryCodeOf } from '../../lib/countries.ts'
import { lazy } from '../../lib/lazy.ts'
import { fitsLong, isLong } from '../../lib/numbers.ts'
import { isRealMoment } from '../../lib/time.ts'
import { COUNTRY_FORMAT, isUint64, LONG, UINT64_FORMAT } from '../declare/ads-words.ts'
import { ID_FORMAT, MOMENT_FORMAT, type Params, type TSchema } from '../declare/words.ts'

/** What a type and a pattern cannot say. */
const formats = {
  [UINT64_FORMAT]: isUint64,
  [COUNTRY_FORMAT]: (text: string) => countryCodeOf(text) !== undefined,
  [MOMENT_FORMAT]: isRealMoment,
  [ID_FORMAT]: (text: string) => !/^\d+$/.test(text) || fitsLong(text),
} as const

/** JSON Schema knows no bigint. */
const long: FuncKeywordDefinition = {
  keyword: LONG,
  schemaType: 'number',
  errors: false,
  compile: (least: number) => (value: unknown) => isLong(value) && value >= least,
}

/**
 * Schemas are our own: the schema of schemas, by which they would be checked, is not loaded. The code of a schema is not optimised: that takes
 * more than half of its compilation, and a check is no quicker for it.
 */
const options = { verbose: true, strict: false, formats, keywords: [long], meta: false, validateSchema: false, code: { optimize: false } }

/** Loaded with the first values that are checked: its hundred modules are a tenth of a start. */
const library = lazy(() => createRequire(import.meta.url)('ajv') as typeof import('ajv'))

/** The one validator. Every error is reported, with its value. */
export const validator = lazy((): Ajv => new (library().Ajv)({ ...options, allErrors: true }))

/** Reports the first error. */
const hastyValidator = lazy((): Ajv => new (library().Ajv)(options))

/** The bounds that an integer does not declare: beyond them a number of JSON is rounded, and no column holds it. What its word says stays as it is. */
const undeclaredBounds = ({ minimum, maximum }: Parts) => [
  ...(minimum === undefined ? [{ minimum: Number.MIN_SAFE_INTEGER }] : []),
  ...(maximum === undefined ? [{ maximum: Number.MAX_SAFE_INTEGER }] : []),
]

interface Parts {
  type?: string
  minimum?: number
  maximum?: number
  enum?: readonly unknown[]
  properties?: Params
  items?: TSchema
  additionalProperties?: TSchema | boolean
  anyOf?: readonly TSchema[]
}

/** The validator keeps what it has compiled by schema. */
const boundedSchemas = new WeakMap<TSchema, TSchema>()

/** The schema with bounds for every integer in it. */
function bounded(schema: TSchema): TSchema {
  const known = boundedSchemas.get(schema)
  if (known) return known
  const parts = schema as TSchema & Parts
  const { properties, items, additionalProperties: values, anyOf } = parts
  const bounds = parts.type === 'integer' && !parts.enum ? undeclaredBounds(parts) : []
  const made = {
    ...schema,
    ...(bounds.length > 0 && { allOf: bounds }),
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, bounded(one)])) }),
    ...(items && { items: bounded(items) }),
    ...(typeof values === 'object' && { additionalProperties: bounded(values) }),
    ...(anyOf && { anyOf: anyOf.map(bounded) }),
  } as TSchema
  boundedSchemas.set(schema, made)
  return made
}

/** Whether an integer that no number holds exactly is an error, or is passed on as it came. */
export type Integers = 'exact' | 'as they came'

/** Of more values the first error alone is reported: each of them can have one, and takes 20 µs to report. */
const MOST_DESCRIBED = 1000

/** How many more values than `left` may be counted; below zero, there are more. */
function leftAfter(value: unknown, left: number): number {
  if (typeof value !== 'object' || value === null) return left - 1
  let rest = left - 1
  for (const name in value) {
    if (rest < 0) return rest
    rest = leftAfter((value as Record<string, unknown>)[name], rest)
  }
  return rest
}

/** What the validator says of values. */
export function errorsIn(values: unknown, schema: TSchema, integers: Integers = 'exact'): readonly ErrorObject[] {
  const isMuch = leftAfter(values, MOST_DESCRIBED) < 0
  const validate = (isMuch ? hastyValidator() : validator()).compile(integers === 'exact' ? bounded(schema) : schema)
  return validate(values) ? [] : validate.errors!
}
