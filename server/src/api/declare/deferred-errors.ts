import type { ErrorDetail } from './problem.ts'

/** The deferred errors without those of unchanged values. */
export interface RemainingErrors {
  /** Whether none of these parameters has an error. */
  areValid(names: readonly string[]): boolean
  /** Throws 400 with every remaining error and those that the handler found. */
  throwWith(found?: readonly ErrorDetail[]): void
}

/** Errors of single parameters that wait for the handler, which checks the record as a whole and reports all errors together. */
export interface DeferredErrors {
  /** All deferred errors; after `throwWith` those that remained. */
  readonly errors: readonly ErrorDetail[]
  /** Whether the handler has called `throwWith`. */
  readonly wereThrown: boolean
  /** Drops errors of values that equal the existing ones, because clients send whole objects back. */
  against(existing?: object): RemainingErrors
}
