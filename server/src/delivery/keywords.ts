import { LRUCache } from 'lru-cache'
import { matcherOf } from '../lib/post-text/query/match.ts'
import { describeError, parseQuery, type QueryError } from '../lib/post-text/query/parse.ts'
import { type Query, withUserIds } from '../lib/post-text/query/query.ts'
import { searchableText } from '../lib/post-text/searchable-post.ts'

/** Parsed keywords in memory: every event asks those of all subscriptions to its type again. */
const MOST_PARSED = 5000

const parsed = new LRUCache<string, { query?: Query }>({ max: MOST_PARSED })
const NO_USERS = new Map<string, string>()

function parse(keyword: string): { query: Query } | { error: QueryError } {
  const result = parseQuery(keyword, { isOfText: true })
  return 'query' in result ? { query: withUserIds(result.query, NO_USERS) } : result
}

/** What is wrong with the keyword of a filter, which is a query over the text of an event alone; undefined if nothing is. */
export function keywordError(keyword: string): string | undefined {
  const result = parse(keyword)
  return 'error' in result ? describeError(result.error) : undefined
}

function parsedOf(keyword: string): { query?: Query } {
  const known = parsed.get(keyword)
  if (known !== undefined) return known
  const result = parse(keyword)
  const read = 'query' in result ? { query: result.query } : {}
  parsed.set(keyword, read)
  return read
}

/**
 * Returns a function that says whether a keyword matches a text. A keyword that is no query was stored before keywords were queries: it
 * matches as part of the text, without case.
 */
export function keywordMatcherOf(text: string): (keyword: string) => boolean {
  let isMatch: ((query: Query) => boolean) | undefined
  return (keyword) => {
    const { query } = parsedOf(keyword)
    if (query === undefined) return text.toLowerCase().includes(keyword.toLowerCase())
    isMatch ??= matcherOf(searchableText(text))
    return isMatch(query)
  }
}
