import { adsError, type ErrorDetail, invalidRequest } from '../../../api/declare/problem.ts'
import { type Keyword, parseKeyword } from '../../../lib/post-text/query/keyword.ts'
import { matches } from '../../../lib/post-text/query/match.ts'
import { searchableText } from '../../../lib/post-text/searchable-post.ts'
import type { KeywordQuery } from '../../../storage/content.ts'
import { hashesOf } from '../../posts/search.ts'

/** Posts that have any of some keywords and none of others, maybe of one country. */
export interface KeywordSearch {
  /** A post that matches has all terms (hashes) of one of these. */
  any: KeywordQuery['any']
  /** None has all terms of one of these. */
  none: KeywordQuery['none']
  /** Whether a post with those terms may still not match: then its text decides. */
  needsTexts: boolean
  countryCode: string | undefined
  /** The terms of the keywords that a post should have. */
  ownTerms: ReadonlySet<string>
  /** Whether a text has any keyword and no negative one: the final authority. */
  matchesText(text: string): boolean
}

function parseAll(texts: readonly string[], parameter: string, errors: ErrorDetail[]): Keyword[] {
  return texts.flatMap((text) => {
    const parsed = parseKeyword(text)
    if (typeof parsed !== 'string') return [parsed]
    errors.push(adsError('INVALID_PARAMETER', `Expected a keyword, got "${text}" for ${parameter}: ${parsed}`, parameter))
    return []
  })
}

/** Reads the keywords of a request. Throws 400 with each that is none. */
export function readKeywords(keywords: readonly string[], negative: readonly string[], countryCode?: string): KeywordSearch {
  const errors: ErrorDetail[] = []
  const any = parseAll(keywords, 'keywords', errors)
  const none = parseAll(negative, 'negative_keywords', errors)
  if (errors.length > 0) throw invalidRequest(errors)
  return {
    any: any.map(({ terms }) => hashesOf(terms)),
    none: none.filter(({ needsCheck }) => !needsCheck).map(({ terms }) => hashesOf(terms)),
    needsTexts: [...any, ...none].some(({ needsCheck }) => needsCheck),
    countryCode,
    ownTerms: new Set(any.flatMap(({ terms }) => terms)),
    matchesText(text) {
      const post = searchableText(text)
      return any.some(({ query }) => matches(query, post)) && !none.some(({ query }) => matches(query, post))
    },
  }
}
