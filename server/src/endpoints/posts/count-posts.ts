import { appOrUser } from '../../access/app-or-user.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { nameList } from '../../api/declare/name-list.ts'
import { mutuallyExclusive } from '../../api/declare/rules.ts'
import { defaulting, integer, iso, listOf, object, oneOf, optional, type ParamsOf, text, timestamp } from '../../api/declare/words.ts'
import { type WriteOptions, WrittenAnswer } from '../../api/declare/written-answer.ts'
import { pageToken, readPageToken } from '../../api/objects/page-token.ts'
import type { GiveWay } from '../../lib/fair-turns.ts'
import { LONGEST_QUERY } from '../../lib/post-text/query/parse.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/time.ts'
import type { Content, PageOf } from '../../storage/content.ts'
import { type ContentRow, posts, users } from '../../storage/content-tables.ts'
import { postPageParams, postPageRules } from '../objects/pages.ts'
import { anyStart, idsThatMatch, readSearch, recentStart, type Search } from './search.ts'

/** Posts are read so many at a time, and of a search the newest so often: 100,000 posts, or 500,000 entries of the index. */
const AT_ONCE = 1000
const MAX_ROUNDS = 100

/** When these posts were created; without those that not everybody may see. */
async function publicTimes(content: Content, ids: readonly string[]): Promise<number[]> {
  const rows = await content.rows(posts, ['author_id', 'restriction', 'created_at_ms', 'reposted_author_id'], ids)
  const authorIds = rows.flatMap(([author, , , original]) => [author, original ?? author] as string[])
  const authors = await content.rows(users, ['id', 'disabled', 'protected'], [...new Set(authorIds)])
  const open = new Set(authors.filter(([, disabled, isProtected]) => !disabled && !isProtected).map(([id]) => id))
  const isPublic = ([author, restriction, , original]: ContentRow) =>
    restriction === null && open.has(author) && (original === null || open.has(original))
  return rows.filter(isPublic).map(([, , ms]) => Number(ms))
}

/** When the posts that a search finds were created, in parts. */
async function* searchedTimes(content: Content, search: Search, page: Omit<PageOf, 'limit'>): AsyncGenerator<number[]> {
  let { olderThan } = page
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { ids, readTo } = await content.postsWithTerms(search.alternatives, { ...page, limit: AT_ONCE, olderThan })
    yield await publicTimes(content, await idsThatMatch(content, ids, search, page))
    if (ids.length < AT_ONCE && readTo === undefined) return
    olderThan = readTo ?? ids.at(-1)
  }
}

/** How long the parts are of which posts are counted. */
const granularities = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const

/** The full minutes, hours or days (UTC) of a span, oldest first; the first and the last may be shorter, as the span is. */
interface Buckets {
  startMs: number
  endMs: number
  lengthMs: number
  /** The posts of each. */
  posts: Uint32Array
}

/** The number of a bucket since 1970. */
const numberOf = (atMs: number, lengthMs: number) => Math.floor(atMs / lengthMs)

const bucketsOf = (startMs: number, endMs: number, lengthMs: number): Buckets => ({
  startMs,
  endMs,
  lengthMs,
  posts: new Uint32Array(Math.max(0, startMs < endMs ? numberOf(endMs - 1, lengthMs) - numberOf(startMs, lengthMs) + 1 : 0)),
})

/** Counts a post at a time of the span. */
function countAt({ startMs, lengthMs, posts }: Buckets, atMs: number) {
  const place = numberOf(atMs, lengthMs) - numberOf(startMs, lengthMs)
  if (place >= 0 && place < posts.length) posts[place]! += 1
}

/** So many buckets are written at once. */
const BUCKETS_OF_A_PIECE = 1000

/** The counts of a page as JSON: a month has 43,000 minutes. */
class CountsAnswer extends WrittenAnswer {
  readonly #buckets: Buckets
  readonly #nextToken: string | undefined

  constructor(buckets: Buckets, nextToken: string | undefined) {
    super()
    this.#buckets = buckets
    this.#nextToken = nextToken
  }

  *pieces({ dialect }: WriteOptions): Generator<string> {
    const { startMs, endMs, lengthMs, posts } = this.#buckets
    const count = dialect.out('post_count')
    yield '{"data":['
    let piece: string[] = []
    let start = iso(startMs)
    for (const [place, found] of posts.entries()) {
      const end = iso(Math.min((numberOf(startMs, lengthMs) + place + 1) * lengthMs, endMs))
      piece.push(`${place === 0 ? '' : ','}{"start":"${start}","end":"${end}","${count}":${found}}`)
      start = end
      if (piece.length < BUCKETS_OF_A_PIECE) continue
      // Joined it is one text, not a tree of texts, which is walked when it is sent.
      yield piece.join('')
      piece = []
    }
    const total = posts.reduce((sum, found) => sum + found, 0)
    const next = this.#nextToken === undefined ? '' : `,"next_token":${JSON.stringify(this.#nextToken)}`
    yield `${piece.join('')}],"meta":{"${dialect.out('total_post_count')}":${total}${next}}}`
  }
}

/** A page has at most so many days, and goes on with those before. */
const PAGE_MS = 31 * DAY_MS

const LIST = 'counts'

const { max_results: _, pagination_token, ...between } = postPageParams({ max: 1 })

const params = {
  query: text({ max: LONGEST_QUERY, example: 'hello' }),
  granularity: defaulting(oneOf(['minute', 'hour', 'day']), 'hour'),
  'search_count.fields': optional(nameList(['end', 'start', 'post_count'], { description: 'Every answer has all of them.' })),
  ...between,
  pagination_token,
  next_token: pagination_token,
}

type Sent = ParamsOf<typeof params>

interface CountServices {
  content: Content
  now: () => number
}

const counts = {
  section: '§2.9',
  description:
    'Posts that not everybody may see do not count. Of a search that finds more than 100,000 posts, or looks at more than 500,000, the newest count.',
  auth: appOrUser,
  scopes: ['post.read'],
  rateLimit: 300,
  params,
  rules: [...postPageRules, mutuallyExclusive('pagination_token', 'next_token')],
  answer: object({
    data: listOf(object({ start: timestamp(), end: timestamp(), post_count: integer({ min: 0 }) })),
    meta: object({ total_post_count: integer({ min: 0 }), next_token: optional(text()) }),
  }),
} as const

/** Where the page ends: before the page that had the token, and never after the span or now, whatever the token says. */
function endOf({ pagination_token, next_token, end_time }: Sent, nowMs: number): number {
  const name = pagination_token === undefined ? 'next_token' : 'pagination_token'
  const token = pagination_token ?? next_token
  const spanEndMs = end_time === undefined ? nowMs : Math.min(Date.parse(end_time), nowMs)
  return token === undefined ? spanEndMs : Math.min(Number(readPageToken(LIST, name, token).position), spanEndMs)
}

/** Counts from a time on; of more than a page has, the newest part. */
async function count(sent: Sent, earliest: string, { content, now }: CountServices, giveWay: GiveWay) {
  const search = await readSearch(content, sent.query)
  const endMs = endOf(sent, now())
  const startMs = Math.max(Date.parse(earliest), endMs - PAGE_MS)
  const buckets = bucketsOf(startMs, endMs, granularities[sent.granularity])
  const page = { olderThan: sent.until_id, newerThan: sent.since_id, fromMs: startMs, toMs: endMs, giveWay }
  for await (const times of searchedTimes(content, search, page)) {
    for (const atMs of times) countAt(buckets, atMs)
    await giveWay()
  }
  const hasMore = startMs > Date.parse(earliest)
  return new CountsAnswer(buckets, hasMore ? pageToken(LIST, { position: String(startMs), goesBack: false }) : undefined)
}

export const countRecentPosts = endpoint({
  ...counts,
  name: 'countRecentPosts',
  route: 'GET /2/posts/counts/recent',
  summary: 'Count the posts of the last seven days that a search finds, by minute, hour or day.',
  handle: ({ params, giveWay }, services: CountServices) =>
    count(params, recentStart(params.start_time, services.now()), services, giveWay),
})

export const countAllPosts = endpoint({
  ...counts,
  name: 'countAllPosts',
  route: 'GET /2/posts/counts/all',
  summary:
    'Count the posts that a search finds, by minute, hour or day; without `start_time` those of the 30 days before `end_time`, or before now if `end_time` is later.',
  handle: ({ params, giveWay }, services: CountServices) => count(params, anyStart(params, services.now()), services, giveWay),
})
