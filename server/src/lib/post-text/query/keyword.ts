import { alternativesOf } from './alternatives.ts'
import { describeError, parseQuery } from './parse.ts'
import type { Query } from './query.ts'
import { type Token, tokensOf } from './tokens.ts'

/** A keyword of advertising: words that a post has, a phrase, a hashtag, a cashtag, a mention. */
export interface Keyword {
  query: Query
  /** The index terms that each post with the keyword has. */
  terms: readonly string[]
  /** Whether a post with all these terms may still not have the keyword: the words of a phrase may stand apart. */
  needsCheck: boolean
}

/** Characters and index terms that a keyword may have: what a search for ten of them costs is bounded. */
const LONGEST_KEYWORD = 80
const MOST_TERMS = 10

/** Why a keyword may not have a part of the search language. */
const unsupported: Partial<Record<Token['kind'], string>> = {
  '-': 'negation with - is not supported: send a negative keyword',
  OR: 'OR is not supported: separate keywords by commas',
  '(': 'brackets are not supported',
  ')': 'brackets are not supported',
}

const refusalOf = (token: Token): string[] =>
  token.kind === 'operator' ? [`${token.name}: is not supported in keywords`] : [unsupported[token.kind] ?? []].flat()

/** Parses a keyword, in the search language; answers a sentence for what is none. */
export function parseKeyword(text: string): Keyword | string {
  const [refused] = tokensOf(text).flatMap(refusalOf)
  if (refused !== undefined) return refused
  const parsed = parseQuery(text, { longest: LONGEST_KEYWORD, isOfText: true })
  if ('error' in parsed) return describeError(parsed.error)
  const query = parsed.query as Query
  const [alternative] = alternativesOf(query)
  const { all, needsCheck } = alternative!
  if (all.length > MOST_TERMS) return `a keyword may have ${MOST_TERMS} words at most; this has ${all.length}`
  return { query, terms: all, needsCheck }
}
