import type { Condition, ParsedQuery, UserCondition } from './query.ts'

/** Whether a query is one condition. */
export const isCondition = (query: ParsedQuery): query is Condition | UserCondition =>
  query.kind !== 'all' && query.kind !== 'any' && query.kind !== 'not'

/** How many conditions a query has. */
export function countConditions(query: ParsedQuery): number {
  if (isCondition(query)) return 1
  if (query.kind === 'not') return countConditions(query.of)
  return query.of.reduce((sum, part) => sum + countConditions(part), 0)
}

/** How many alternatives a query has in disjunctive normal form, without building them. */
export function countAlternatives(query: ParsedQuery, isNegated = false): number {
  if (isCondition(query)) return 1
  if (query.kind === 'not') return countAlternatives(query.of, !isNegated)
  const counts = query.of.map((part) => countAlternatives(part, isNegated))
  const multiplies = (query.kind === 'all') !== isNegated
  return counts.reduce((total, count) => (multiplies ? total * count : total + count), multiplies ? 1 : 0)
}
