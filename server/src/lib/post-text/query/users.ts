import { isCondition } from './complexity.ts'
import type { Condition, ParsedQuery, Query, UserCondition } from './query.ts'

/** The usernames that `from:` and `to:` of a query name, in lower case, each once. */
export function usernamesOf(query: ParsedQuery): string[] {
  if (isCondition(query)) return query.kind === 'user' ? [query.username] : []
  const parts = query.kind === 'not' ? [query.of] : query.of
  return [...new Set(parts.flatMap(usernamesOf))]
}

const withId = (condition: Condition | UserCondition, ids: ReadonlyMap<string, string>): Condition => {
  if (condition.kind !== 'user') return condition
  const id = ids.get(condition.username)
  return id === undefined ? { kind: 'nothing' } : { kind: 'term', term: `${condition.role}:${id}` }
}

/** Replaces usernames by user ids. A username without an id names nobody: no post is from or to that user. */
export function withUserIds(query: ParsedQuery, ids: ReadonlyMap<string, string>): Query {
  if (isCondition(query)) return withId(query, ids)
  if (query.kind === 'not') return { kind: 'not', of: withUserIds(query.of, ids) }
  return { kind: query.kind, of: query.of.map((part) => withUserIds(part, ids)) }
}
