import type { TSchema } from '../../src/api/declare/words.ts'
import { ajv } from '../../src/api/read/validator.ts'

/** Checks a value against a schema; answers what is wrong in words, or undefined. */
export function compileCheck(schema: TSchema): (value: unknown) => string | undefined {
  const validate = ajv.compile(schema)
  return (value) => (validate(value) ? undefined : ajv.errorsText(validate.errors))
}
