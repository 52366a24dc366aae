import { adsError, type ErrorDetail } from '../../../api/declare/problem.ts'
import type { GiveWay } from '../../../lib/fair-turns.ts'
import { type Keyword, parseKeyword } from '../../../lib/post-text/query/keyword.ts'
import { matcherOf } from '../../../lib/post-text/query/match.ts'
import { searchableText } from '../../../lib/post-text/searchable-post.ts'
import { HOUR_MS } from '../../../lib/time.ts'
import type { Content, IdRange, KeywordQuery } from '../../../storage/content.ts'
import { hashesOf } from '../../posts/search.ts'

/** Posts that have any of some keywords and none of others, maybe of one country. */
interface KeywordSearch {
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

/** Reads the keywords of a request. Adds an error for each that is none. */
export function readKeywords(
  { keywords, negative, countryCode }: { keywords: readonly string[]; negative: readonly string[]; countryCode: string | undefined },
  errors: ErrorDetail[],
): KeywordSearch {
  const any = parseAll(keywords, 'keywords', errors)
  const none = parseAll(negative, 'negative_keywords', errors)
  return {
    any: any.map(({ terms }) => hashesOf(terms)),
    none: none.filter(({ needsCheck }) => !needsCheck).map(({ terms }) => hashesOf(terms)),
    needsTexts: [...any, ...none].some(({ needsCheck }) => needsCheck),
    countryCode,
    ownTerms: new Set(any.flatMap(({ terms }) => terms)),
    matchesText(text) {
      const isMatch = matcherOf(searchableText(text))
      return any.some(({ query }) => isMatch(query)) && !none.some(({ query }) => isMatch(query))
    },
  }
}

export interface KeywordServices {
  content: Pick<Content, 'rows' | 'postsWithKeywords' | 'termFrequencies'>
}

/** Hours since 1970; `to` is exclusive. */
export interface Hours {
  from: number
  to: number
}

/** Of the posts that only their texts can confirm, so many are read at most, the newest. */
const MAX_TEXTS = 100_000

/** Related keywords are taken from so many posts, the newest. */
const SAMPLE = 256

interface KeywordCounts {
  /** How many posts of each hour match. */
  byHour: Map<number, number>
  /** The ids of the newest posts that match. */
  newest: string[]
}

/** Counts the posts of some hours that match. Others are served between two parts. */
export async function countKeywords(
  { content }: KeywordServices,
  search: KeywordSearch,
  hours: Hours,
  giveWay: GiveWay = () => undefined,
): Promise<KeywordCounts> {
  const { any, none, countryCode, needsTexts, matchesText } = search
  const query = { any, none, countryCode, fromMs: hours.from * HOUR_MS, toMs: hours.to * HOUR_MS, withTexts: needsTexts }
  const byHour = new Map<number, number>()
  const newest: string[] = []
  let textsLeft = MAX_TEXTS
  let left: IdRange | undefined
  do {
    const found = await content.postsWithKeywords(query, left)
    const matching: typeof found.posts = needsTexts ? [] : found.posts
    if (needsTexts)
      for (const post of found.posts) {
        if (matchesText(post.text)) matching.push(post)
        const given = giveWay()
        if (given) await given
      }
    for (const { createdAtMs } of matching) {
      const hour = Math.floor(createdAtMs / HOUR_MS)
      byHour.set(hour, (byHour.get(hour) ?? 0) + 1)
    }
    newest.push(...matching.slice(0, SAMPLE - newest.length).map(({ id }) => id))
    if (needsTexts) textsLeft -= found.posts.length
    left = found.left
    await giveWay()
  } while (left && textsLeft > 0)
  return { byHour, newest }
}
