import type { Word } from '../words.ts'
import type { Condition, Count, Query } from './query.ts'

/**
 * A conjunction for an index scan. A post that matches the query fulfils at least one of its alternatives: it has all terms of `all`, none of
 * `none`, and the counts.
 */
export interface Alternative {
  all: string[]
  none: string[]
  atLeast: Partial<Record<Count, number>>
  /** Whether a post that fulfils it may still not match the query: then `matches` decides. */
  needsCheck: boolean
}

const ANY: Alternative = { all: [], none: [], atLeast: {}, needsCheck: false }

/** The terms that a post with this phrase has. A pair of joined tokens says more than each of them. */
const termsOfPhrase = (words: readonly Word[]): string[] =>
  words.flatMap(({ text, isJoined }, place) => {
    if (isJoined) return [`w:${words[place - 1]!.text}${text}`]
    return words[place + 1]?.isJoined ? [] : [`w:${text}`]
  })

/** The terms that every post has which fulfils it. */
export function termsOfCondition(condition: Exclude<Condition, { kind: 'atLeast' | 'nothing' }>): string[] {
  if (condition.kind === 'term') return [condition.term]
  if (condition.kind === 'words') return termsOfPhrase(condition.words)
  const tokens = condition.words.map(({ text }) => `url:${text}`)
  return condition.domain === undefined ? tokens : [`url:${condition.domain}`, ...tokens]
}

/** One term says exactly what the condition says; several may also stand apart from each other. */
function alternativesOfCondition(condition: Condition, isNegated: boolean): Alternative[] {
  if (condition.kind === 'nothing') return isNegated ? [ANY] : []
  if (condition.kind === 'atLeast')
    return [isNegated ? { ...ANY, needsCheck: true } : { ...ANY, atLeast: { [condition.count]: condition.value } }]
  const terms = termsOfCondition(condition)
  const needsCheck = terms.length > 1
  if (!isNegated) return [{ ...ANY, all: terms, needsCheck }]
  return [needsCheck ? { ...ANY, needsCheck } : { ...ANY, none: terms }]
}

const mergeCounts = (one: Alternative['atLeast'], other: Alternative['atLeast']): Alternative['atLeast'] => {
  const merged = { ...one }
  for (const [count, value] of Object.entries(other) as [Count, number][]) merged[count] = Math.max(merged[count] ?? 0, value)
  return merged
}

const both = (one: Alternative, other: Alternative): Alternative => ({
  all: [...one.all, ...other.all],
  none: [...one.none, ...other.none],
  atLeast: mergeCounts(one.atLeast, other.atLeast),
  needsCheck: one.needsCheck || other.needsCheck,
})

function expand(query: Query, isNegated: boolean): Alternative[] {
  if (query.kind === 'not') return expand(query.of, !isNegated)
  if (query.kind !== 'all' && query.kind !== 'any') return alternativesOfCondition(query, isNegated)
  const parts = query.of.map((part) => expand(part, isNegated))
  if ((query.kind === 'any') !== isNegated) return parts.flat()
  return parts.reduce((sofar, part) => sofar.flatMap((one) => part.map((other) => both(one, other))), [ANY])
}

const sorted = (terms: readonly string[]): string[] => [...new Set(terms)].sort()

/**
 * The query in disjunctive normal form over index terms (`termsOf`). The parser bounds how many there are. An alternative that no post can
 * fulfil is left out, so there may be none.
 */
export function alternativesOf(query: Query): Alternative[] {
  return expand(query, false)
    .map((alternative) => ({ ...alternative, all: sorted(alternative.all), none: sorted(alternative.none) }))
    .filter(({ all, none }) => !all.some((term) => none.includes(term)))
}
