import { invalidRequest } from '../../api/declare/problem.ts'
import { lazy } from '../../lib/lazy.ts'
import { entitiesOf } from '../../lib/post-text/entities.ts'
import { alternativesOf } from '../../lib/post-text/query/alternatives.ts'
import { matches } from '../../lib/post-text/query/match.ts'
import { LONGEST_QUERY, parseQuery } from '../../lib/post-text/query/parse.ts'
import { type Query, usernamesOf, withUserIds } from '../../lib/post-text/query/query.ts'
import type { SearchablePost } from '../../lib/post-text/searchable-post.ts'
import { termHash } from '../../lib/post-text/terms.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { Content, PageOf, TermQuery } from '../../storage/content.ts'
import { media, posts, users } from '../../storage/content-tables.ts'
import type { Found } from '../objects/pages.ts'

const COLUMNS = [
  ...(['id', 'text', 'author_id', 'lang', 'conversation_id', 'in_reply_to_user_id', 'replied_to_id', 'quoted_id', 'reposted_id'] as const),
  ...(['entities', 'media_keys', 'place_id', 'nullcast', 'like_count', 'reply_count', 'repost_count'] as const),
]

type Column = (typeof COLUMNS)[number]

const PLACES = Object.fromEntries(COLUMNS.map((column, place) => [column, place])) as Record<Column, number>

const keysIn = (value: unknown): string[] => (typeof value === 'string' ? JSON.parse(value) : [])

/** Ids of mentioned users that an entities column names. */
const mentionedIn = (value: unknown): string[] =>
  typeof value === 'string' && value.includes('"mentions"')
    ? (JSON.parse(value) as { mentions: { id?: string }[] }).mentions.flatMap(({ id }) => id ?? [])
    : []

/** Posts as a search sees them, by id; those that do not exist are missing. Their entities are computed when they are asked for. */
export async function searchablePosts(content: Pick<Content, 'rows'>, ids: readonly string[]): Promise<Map<string, SearchablePost>> {
  const rows = await content.rows(posts, COLUMNS, ids)
  const keys = rows.flatMap((row) => keysIn(row[PLACES.media_keys]))
  const [authors, found] = await Promise.all([
    content.rows(users, ['id', 'verified'], [...new Set(rows.map((row) => row[PLACES.author_id] as string))]),
    content.rows(media, ['media_key', 'type'], [...new Set(keys)]),
  ])
  const verified = new Map(authors.map(([id, isVerified]) => [id, Boolean(isVerified)]))
  const kinds = new Map(found.map(([key, type]) => [key, type as 'photo']))
  return new Map(rows.map((row) => [row[PLACES.id] as string, searchable(row)]))

  function searchable(row: readonly unknown[]): SearchablePost {
    const value = <T>(column: Column) => row[PLACES[column]] as T
    const text = value<string>('text')
    const entities = lazy(() => entitiesOf(text))
    return {
      text,
      get entities() {
        return entities()
      },
      authorId: value('author_id'),
      lang: value('lang'),
      conversationId: value('conversation_id'),
      isAuthorVerified: verified.get(value('author_id')),
      mentionedIds: mentionedIn(value('entities')),
      inReplyToUserId: value<string | null>('in_reply_to_user_id') ?? undefined,
      isReply: value('replied_to_id') !== null,
      isQuote: value('quoted_id') !== null,
      isRepost: value('reposted_id') !== null,
      isNullcast: Boolean(value('nullcast')),
      mediaKinds: keysIn(value('media_keys')).flatMap((key) => kinds.get(key) ?? []),
      hasGeo: value('place_id') !== null,
      likes: value('like_count'),
      replies: value('reply_count'),
      reposts: value('repost_count'),
    }
  }
}

const RECENT_DAYS = 7
const USUAL_DAYS = 30

/** The earliest time of a recent search. Throws `invalid-request` for an earlier `start_time`. */
export function recentStart(start: string | undefined, nowMs: number): string {
  const from = new Date(nowMs - RECENT_DAYS * DAY_MS).toISOString()
  if (start === undefined || start >= from) return start ?? from
  const message = `The \`start_time\` query parameter value [${start}] must be on or after [${from}]: recent search covers ${RECENT_DAYS} days`
  throw invalidRequest([{ message, parameters: { start_time: [start] } }])
}

/** The earliest time of a search without a bound: as sent, or 30 days before its end, as in public practice, and before now if that is earlier. */
export function anyStart({ start_time, end_time }: { start_time?: string; end_time?: string }, nowMs: number): string {
  const endMs = end_time === undefined ? nowMs : Math.min(Date.parse(end_time), nowMs)
  return start_time ?? new Date(endMs - USUAL_DAYS * DAY_MS).toISOString()
}

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

/** Which of these posts a search finds. A thousand take longer than a turn: others may pass before each. */
export async function idsThatMatch(
  content: Pick<Content, 'rows'>,
  ids: readonly string[],
  { check }: Search,
  { giveWay }: Pick<PageOf, 'giveWay'>,
): Promise<readonly string[]> {
  if (!check) return ids
  const known = await searchablePosts(content, ids)
  const found: string[] = []
  for (const id of ids) {
    await giveWay?.()
    const post = known.get(id)
    if (post && matches(check, post)) found.push(id)
  }
  return found
}

/** So many times more posts are read, at most, where the index finds posts that do not match. */
const MAX_ROUNDS = 10

/** Finds the posts of a page that have some terms. */
export async function findByTerms(content: Content, alternatives: readonly TermQuery[], page: PageOf): Promise<Found<string>> {
  const { ids, readTo } = await content.postsWithTerms(alternatives, page)
  return { items: ids, readTo }
}

/** The ids of the posts of a page. Where few of those that the index finds match, the page may have fewer posts than it could. */
export async function searchIds(content: Content, search: Search, page: PageOf): Promise<Found<string>> {
  const { alternatives, check } = search
  if (!check) return findByTerms(content, alternatives, page)
  const found: string[] = []
  let { olderThan, newerThan } = page
  for (let round = 0; round < MAX_ROUNDS && found.length < page.limit; round += 1) {
    const { ids, readTo } = await content.postsWithTerms(alternatives, { ...page, olderThan, newerThan })
    const matching = await idsThatMatch(content, ids, search, page)
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
