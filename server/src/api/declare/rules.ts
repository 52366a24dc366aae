import type { Caller } from './auth.ts'
import type { AdsCode } from './codes.ts'
import type { ErrorDetail } from './problem.ts'

/** A rule between parameters. It checks, and it prints itself into the endpoint's description. */
export interface Rule {
  /** The rule as a sentence, naming the parameters as they are declared. */
  message: string
  /** The parameters that it is about; an error is reported on the first. */
  parameters: readonly string[]
  /** `caller` is who calls the endpoint that these are the parameters of. */
  holds(params: Record<string, unknown>, caller?: Caller): boolean
  /** The code of the error on the advertising hosts. */
  code?: AdsCode
}

/** What a request calls a parameter. */
export type Naming = (declared: string) => string

/** A rule as a sentence, in which its parameters are called as `naming` says. */
export const sentenceOf = ({ message, parameters }: Rule, naming: Naming): string =>
  parameters.reduce((text, name) => text.replaceAll(`\`${name}\``, naming(name)), message)

const given = (value: unknown) => value !== undefined && value !== null

const named = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

/** `one` is allowed only together with `other`. */
export const requires = (one: string, other: string): Rule => ({
  message: `\`${other}\` is required when \`${one}\` is set`,
  parameters: [other, one],
  code: 'INCLUSIVE_PARAMETERS',
  holds: (params) => !given(params[one]) || given(params[other]),
})

/** At least one of these. */
export const atLeastOneOf = (...names: string[]): Rule => ({
  message: `at least one of ${named(names)} is required`,
  parameters: names,
  code: 'MISSING_PARAMETER',
  holds: (params) => names.some((name) => given(params[name])),
})

/** One of these, and not two. */
export const exactlyOne = (...names: string[]): Rule => ({
  message: `exactly one of ${named(names)} is required`,
  parameters: names,
  holds: (params) => names.filter((name) => given(params[name])).length === 1,
})

/** At most one of these. */
export const mutuallyExclusive = (...names: string[]): Rule => ({
  message: `at most one of ${named(names)} may be set`,
  parameters: names,
  code: 'EXCLUSIVE_PARAMETERS',
  holds: (params) => names.filter((name) => given(params[name])).length < 2,
})

/** The first moment lies before the second, where both are given. */
export const before = (start: string, end: string): Rule => ({
  message: `\`${end}\` must lie after \`${start}\``,
  parameters: [end, start],
  code: 'INVALID_TIME_WINDOW',
  holds: (params) => !given(params[start]) || !given(params[end]) || String(params[start]) < String(params[end]),
})

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
  /** Drops errors of values that equal the existing ones, because clients send whole objects back, and of parameters that are ignored. */
  against(existing?: object, ignored?: readonly string[]): RemainingErrors
}
