import { isDeepStrictEqual } from 'node:util'
import { invalidRequest, type Mistake } from './problem.ts'

/** A mistake in a parameter: its name as it is declared, and the value that was sent, where that could be read. */
export interface DeferredError {
  name: string
  value: unknown
  mistake: Mistake
}

/** What is left of the deferred beside a thing as it stands. */
export interface Findings {
  /** Whether none of these parameters is wrong. */
  areRight(names: readonly string[]): boolean
  /** Throws 400 with every mistake, and with those that were found in the whole. */
  throwWith(found?: readonly Mistake[]): void
}

/** Mistakes in the parameters of a call, for a handler that judges the thing as a whole: what it finds is named beside them. */
export interface DeferredErrors {
  /** Every mistake that there may be; once they are settled, those that there are. */
  readonly mistakes: readonly Mistake[]
  /** Whether a handler has settled them. */
  readonly wereThrown: boolean
  /** A value that is sent as it stands is no mistake, for clients send whole objects back. */
  against(existing?: object): Findings
}

export function createDeferredErrors(deferred: readonly DeferredError[] = []): DeferredErrors {
  let left = deferred
  let wereThrown = false
  return {
    get mistakes() {
      return left.map(({ mistake }) => mistake)
    },
    get wereThrown() {
      return wereThrown
    },
    against(existing = {}) {
      const existingValue = (name: string) => (existing as Record<string, unknown>)[name]
      const wrong = deferred.filter(({ name, value }) => value === undefined || !isDeepStrictEqual(value, existingValue(name)))
      const names = new Set(wrong.map(({ name }) => name))
      return {
        areRight: (asked) => !asked.some((name) => names.has(name)),
        throwWith(found = []) {
          left = wrong
          wereThrown = true
          if (left.length + found.length > 0) throw invalidRequest([...left.map(({ mistake }) => mistake), ...found])
        },
      }
    },
  }
}
