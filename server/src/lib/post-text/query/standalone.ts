import { isCondition } from './complexity.ts'
import type { Condition, ParsedQuery, UserCondition } from './query.ts'

/** Whether a condition narrows a search enough to be used alone. */
export const isStandalone = (condition: Condition | UserCondition): boolean => {
  if (condition.kind === 'atLeast') return false
  return condition.kind !== 'term' || !/^(?:has|is|lang):/.test(condition.term)
}

const firstCondition = (query: ParsedQuery): Condition | UserCondition => {
  if (isCondition(query)) return query
  return firstCondition(query.kind === 'not' ? query.of : query.of[0]!)
}

/**
 * The first condition of an alternative in which nothing narrows the search: no word, user or the like that is not negated. Undefined if
 * every alternative has one.
 */
export function firstTooWide(query: ParsedQuery): Condition | UserCondition | undefined {
  if (isCondition(query)) return isStandalone(query) ? undefined : query
  if (query.kind === 'not') return firstCondition(query)
  if (query.kind === 'any') return query.of.map(firstTooWide).find((found) => found !== undefined)
  const found = query.of.map(firstTooWide)
  return found.includes(undefined) ? undefined : found[0]
}

/** The first `is:nullcast` that is not negated: public practice only allows to exclude such posts. */
export function firstPositiveNullcast(query: ParsedQuery, isNegated = false): Condition | UserCondition | undefined {
  if (isCondition(query)) return !isNegated && query.kind === 'term' && query.term === 'is:nullcast' ? query : undefined
  if (query.kind === 'not') return firstPositiveNullcast(query.of, !isNegated)
  return query.of.map((part) => firstPositiveNullcast(part, isNegated)).find((found) => found !== undefined)
}
