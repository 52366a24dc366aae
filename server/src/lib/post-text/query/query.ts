import type { Word } from '../words.ts'

/** The counts of a post that a query can compare. */
export type Count = 'likes' | 'replies' | 'reposts'

/** A condition on a post. */
export type Condition =
  /** The tokens stand in the text in this order, next to each other. */
  | { kind: 'words'; words: readonly Word[] }
  /** The post has this index term: `#cats`, `from:101`, `has:media`. */
  | { kind: 'term'; term: string }
  /** A URL is within the domain, and has the tokens next to each other: in its path if there is a domain, else anywhere. */
  | { kind: 'url'; domain?: string; words: readonly Word[] }
  | { kind: 'atLeast'; count: Count; value: number }
  /** No post fulfils it: it names a user who does not exist. */
  | { kind: 'nothing' }

/** The author (`from`) or the user who is replied to (`to`), by a username in lower case. */
export interface UserCondition {
  kind: 'user'
  role: 'from' | 'to'
  username: string
}

type Combination<Leaf> =
  | { kind: 'all'; of: readonly Tree<Leaf>[] }
  | { kind: 'any'; of: readonly Tree<Leaf>[] }
  | { kind: 'not'; of: Tree<Leaf> }

type Tree<Leaf> = Leaf | Combination<Leaf>

/** A parsed query. It may name users by username. */
export type ParsedQuery = Tree<Condition | UserCondition>

/** A query in which users are named by id (`withUserIds`), so that it can be evaluated. */
export type Query = Tree<Condition>

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
