import { isDeepStrictEqual } from 'node:util'
import type { DeferredErrors } from '../declare/deferred-errors.ts'
import { adsError } from '../declare/problem.ts'
import { type Rule, sentenceOf } from '../declare/rules.ts'

/** Whether a field is given a value that differs from its present one. Clients send whole records back. */
export const isChanged = <R extends object>(existing: R, given: Partial<R>, field: keyof R): boolean =>
  field in given && !isDeepStrictEqual(given[field], existing[field])

/**
 * Throws 400 with every invalid parameter and every rule that a change would break. A rule is checked when one of its fields changes: an
 * invalid value that was there before keeps no other field from being changed.
 */
export function assertRules<R extends object>(rules: readonly Rule[], existing: R, given: Partial<R>, deferred: DeferredErrors) {
  const { areValid, throwWith } = deferred.against(existing)
  const isBroken = ({ parameters, holds }: Rule) =>
    parameters.some((field) => isChanged(existing, given, field as keyof R)) && areValid(parameters) && !holds({ ...existing, ...given })
  const plainly = (name: string) => name
  throwWith(rules.filter(isBroken).map((rule) => adsError(rule.code ?? 'INVALID', sentenceOf(rule, plainly), rule.parameters[0])))
}
