import type { ErrorDetail } from './problem.ts'

/** The deferred errors that remain beside a record as it exists. */
export interface RemainingErrors {
  /** Whether none of these parameters has an error. */
  areRight(names: readonly string[]): boolean
  /** Throws 400 with every error that remains, and with those that the handler found. */
  throwWith(found?: readonly ErrorDetail[]): void
}

/** Errors in the parameters of a call, for a handler that checks a record as a whole: its own errors are named beside them. */
export interface DeferredErrors {
  /** All of them; once the handler has thrown them, those that remained. */
  readonly errors: readonly ErrorDetail[]
  /** Whether the handler has called `throwWith`. */
  readonly wereThrown: boolean
  /** A value that equals the existing one is no error: clients send whole objects back. */
  against(existing?: object): RemainingErrors
}
