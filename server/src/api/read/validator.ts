import { createRequire } from 'node:module'
import type { Ajv, ErrorObject, FuncKeywordDefinition } from 'ajv'
import { countryCodeOf } from '../../lib/countries.ts'
import { lazy } from '../../lib/lazy.ts'
import { fitsLong, isLong } from '../../lib/numbers.ts'
import { isRealMoment } from '../../lib/time.ts'
import { COUNTRY_FORMAT, isUint64, LONG, UINT64_FORMAT } from '../declare/ads-words.ts'
import { ID_FORMAT, MOMENT_FORMAT, type TSchema } from '../declare/words.ts'

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

/** Reports the first error: a large body can hold millions. */
const hastyValidator = lazy((): Ajv => new (library().Ajv)(options))
const LARGE_BODY_BYTES = 1024 * 1024

/** What the validator says of values that came in so many bytes. */
export function errorsIn(values: unknown, schema: TSchema, bytes = 0): readonly ErrorObject[] {
  const validate = (bytes > LARGE_BODY_BYTES ? hastyValidator() : validator()).compile(schema)
  return validate(values) ? [] : validate.errors!
}
