import type { TSchema } from '../../src/api/declare/words.ts'
import { validator } from '../../src/api/read/validator.ts'

/** Checks a value against a schema; answers what is wrong in words, or undefined. */
export function compileCheck(schema: TSchema): (value: unknown) => string | undefined {
  const validate = validator().compile(schema)
  return (value) => (validate(value) ? undefined : validator().errorsText(validate.errors))
}
