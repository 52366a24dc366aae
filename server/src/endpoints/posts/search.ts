import { invalidRequest } from '../../api/declare/problem.ts'
import { alternativesOf } from '../../lib/post-text/query/alternatives.ts'
import { matches } from '../../lib/post-text/query/match.ts'
import { LONGEST_QUERY, parseQuery } from '../../lib/post-text/query/parse.ts'
import type { Query } from '../../lib/post-text/query/query.ts'
import { usernamesOf, withUserIds } from '../../lib/post-text/query/users.ts'
import { termHash } from '../../lib/post-text/term-hash.ts'
import type { Content, PageOf, TermQuery } from '../../storage/content.ts'
import { users } from '../../storage/content-tables.ts'
import type { Found } from '../objects/pages.ts'
import { searchablePosts } from './searchable-posts.ts'

/** A search as it is run: which index terms its posts have, and the query for the final check where those do not suffice. */
export interface Search {
  alternatives: readonly TermQuery[]
  check: Query | undefined
}

/** Posts that are shown to nobody but who was promoted to: they are found by no search. */
export const NULLCAST_HASH = String(termHash('is:nullcast'))

export const REPOST_HASH = String(termHash('is:repost'))

/** The hashes of index terms. */
export const hashesOf = (terms: readonly string[]) => terms.map((term) => String(termHash(term)))

/** Reads a query. Throws `invalid-request` with what is wrong in it, and where. */
export async function readSearch(content: Pick<Content, 'rows'>, text: string): Promise<Search> {
  const parsed = parseQuery(text, { longest: LONGEST_QUERY })
  if ('error' in parsed) {
    const { message, position } = parsed.error
    throw invalidRequest([
      { message: `The \`query\` query parameter: ${message} (at position ${position})`, parameters: { query: [text] } },
    ])
  }
  const named = await content.rows(users, ['username_key', 'id'], usernamesOf(parsed.query), 'username_key')
  const query = withUserIds(parsed.query, new Map(named.map(([key, id]) => [key as string, id as string])))
  const alternatives = alternativesOf(query)
  const needsCheck = alternatives.some(({ needsCheck, atLeast }) => needsCheck || Object.keys(atLeast).length > 0)
  return {
    alternatives: alternatives.map(({ all, none }) => ({ all: hashesOf(all), none: [...hashesOf(none), NULLCAST_HASH] })),
    check: needsCheck ? query : undefined,
  }
}

/** So many times more posts are read, at most, where the index finds posts that do not match. */
const MAX_ROUNDS = 10

/** Finds the posts of a page that have some terms. */
export async function findByTerms(content: Content, alternatives: readonly TermQuery[], page: PageOf): Promise<Found<string>> {
  const { ids, readTo } = await content.postsWithTerms(alternatives, page)
  return { items: ids, readTo }
}

/** The ids of the posts of a page. Where few of those that the index finds match, the page may have fewer posts than it could. */
export async function searchIds(content: Content, { alternatives, check }: Search, page: PageOf): Promise<Found<string>> {
  if (!check) return findByTerms(content, alternatives, page)
  const found: string[] = []
  let { olderThan, newerThan } = page
  for (let round = 0; round < MAX_ROUNDS && found.length < page.limit; round += 1) {
    const { ids, readTo } = await content.postsWithTerms(alternatives, { ...page, olderThan, newerThan })
    const known = await searchablePosts(content, ids)
    const matching = ids.filter((id) => known.has(id) && matches(check, known.get(id)!))
    if (page.nextToNewer) found.unshift(...matching)
    else found.push(...matching)
    if (ids.length < page.limit && readTo === undefined) return { items: cut(found, page) }
    if (page.nextToNewer) newerThan = readTo ?? ids[0]
    else olderThan = readTo ?? ids.at(-1)
    if (readTo !== undefined) break
  }
  if (found.length >= page.limit) return { items: cut(found, page) }
  return { items: found, readTo: page.nextToNewer ? newerThan : olderThan }
}

const cut = (found: readonly string[], { limit, nextToNewer }: PageOf) => (nextToNewer ? found.slice(-limit) : found.slice(0, limit))
