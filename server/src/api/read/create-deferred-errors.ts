import { isDeepStrictEqual } from 'node:util'
import type { DeferredErrors } from '../declare/deferred-errors.ts'
import { type ErrorDetail, invalidRequest } from '../declare/problem.ts'

/** An error in a parameter, by the parameter's declared name. */
interface ParameterError {
  name: string
  /** The value; undefined if it could not be read. */
  value: unknown
  error: ErrorDetail
}

export function createDeferredErrors(deferred: readonly ParameterError[] = []): DeferredErrors {
  let remaining = deferred
  let wereThrown = false
  return {
    get errors() {
      return remaining.map(({ error }) => error)
    },
    get wereThrown() {
      return wereThrown
    },
    against(existing = {}) {
      const existingValue = (name: string) => (existing as Record<string, unknown>)[name]
      const wrong = deferred.filter(({ name, value }) => value === undefined || !isDeepStrictEqual(value, existingValue(name)))
      const names = new Set(wrong.map(({ name }) => name))
      return {
        areValid: (parameters) => !parameters.some((name) => names.has(name)),
        throwWith(found = []) {
          remaining = wrong
          wereThrown = true
          if (remaining.length + found.length > 0) throw invalidRequest([...remaining.map(({ error }) => error), ...found])
        },
      }
    },
  }
}
