import { adsError, type ErrorDetail, invalidRequest } from '../../../api/declare/problem.ts'
import { countryTerm, type Keyword, parseKeyword } from '../../../lib/post-text/query/keyword.ts'
import { matches } from '../../../lib/post-text/query/match.ts'
import { searchableText } from '../../../lib/post-text/searchable-post.ts'
import { termHash } from '../../../lib/post-text/term-hash.ts'

/** A keyword by the places of its terms. */
export interface PlacedKeyword {
  places: readonly number[]
  needsCheck: boolean
}

/** Posts that have any of some keywords and none of others, maybe of one country. */
export interface KeywordSearch {
  /** The hashes of all terms. */
  terms: readonly string[]
  any: readonly PlacedKeyword[]
  none: readonly PlacedKeyword[]
  country: PlacedKeyword | undefined
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
  const terms: string[] = []
  const placeOf = (term: string) => {
    const place = terms.indexOf(term)
    return place < 0 ? terms.push(term) - 1 : place
  }
  const placed = ({ terms, needsCheck }: Pick<Keyword, 'terms' | 'needsCheck'>) => ({ places: terms.map(placeOf), needsCheck })
  const search = {
    any: any.map(placed),
    none: none.map(placed),
    country: countryCode === undefined ? undefined : placed({ terms: [countryTerm(countryCode)], needsCheck: false }),
  }
  return {
    ...search,
    terms: terms.map((term) => String(termHash(term))),
    countryCode,
    ownTerms: new Set(any.flatMap(({ terms }) => terms)),
    matchesText(text) {
      const post = searchableText(text)
      return any.some(({ query }) => matches(query, post)) && !none.some(({ query }) => matches(query, post))
    },
  }
}
