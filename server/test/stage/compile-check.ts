import { ajv } from '../../src/api/validator.ts'
import type { TSchema } from '../../src/api/words.ts'

/** Checks a value against a schema; answers what is wrong in words, or undefined. */
export function compileCheck(schema: TSchema): (value: unknown) => string | undefined {
  const validate = ajv.compile(schema)
  return (value) => (validate(value) ? undefined : ajv.errorsText(validate.errors))
}
