import { appOrUser } from '../../access/app-or-user.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { nameList } from '../../api/declare/name-list.ts'
import { mutuallyExclusive } from '../../api/declare/rules.ts'
import { defaulting, integer, iso, listOf, object, oneOf, optional, type ParamsOf, text, timestamp } from '../../api/declare/words.ts'
import { pageToken, readPageToken } from '../../api/objects/page-token.ts'
import { LONGEST_QUERY } from '../../lib/post-text/query/parse.ts'
import type { Content } from '../../storage/content.ts'
import { postPageParams, postPageRules } from '../objects/pages.ts'
import { bucketsOf, countAt, granularities } from './count-buckets.ts'
import { readSearch } from './search.ts'
import { anyStart, DAY_MS, recentStart } from './search-span.ts'
import { searchedTimes } from './searched-times.ts'

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

/** Where the page ends: before the page that had the token. */
function endOf({ pagination_token, next_token, end_time }: Sent, nowMs: number): number {
  const name = pagination_token === undefined ? 'next_token' : 'pagination_token'
  const token = pagination_token ?? next_token
  if (token !== undefined) return Number(readPageToken(LIST, name, token).position)
  return end_time === undefined ? nowMs : Math.min(Date.parse(end_time), nowMs)
}

/** Counts from a time on; of more than a page has, the newest part. */
async function count(sent: Sent, earliest: string, { content, now }: CountServices) {
  const search = await readSearch(content, sent.query)
  const endMs = endOf(sent, now())
  const startMs = Math.max(Date.parse(earliest), endMs - PAGE_MS)
  const lengthMs = granularities[sent.granularity]
  const buckets = bucketsOf(startMs, endMs, lengthMs)
  const page = { olderThan: sent.until_id, newerThan: sent.since_id, fromMs: startMs, toMs: endMs }
  for await (const times of searchedTimes(content, search, page)) for (const atMs of times) countAt(buckets, atMs, lengthMs)
  return {
    data: buckets.map(({ startMs, endMs, posts }) => ({ start: iso(startMs), end: iso(endMs), post_count: posts })),
    meta: {
      total_post_count: buckets.reduce((sum, { posts }) => sum + posts, 0),
      ...(startMs > Date.parse(earliest) && { next_token: pageToken(LIST, { position: String(startMs), goesBack: false }) }),
    },
  }
}

export const countRecentPosts = endpoint({
  ...counts,
  name: 'countRecentPosts',
  route: 'GET /2/posts/counts/recent',
  summary: 'Count the posts of the last seven days that a search finds, by minute, hour or day.',
  handle: ({ params }, services: CountServices) => count(params, recentStart(params.start_time, services.now()), services),
})

export const countAllPosts = endpoint({
  ...counts,
  name: 'countAllPosts',
  route: 'GET /2/posts/counts/all',
  summary: 'Count the posts that a search finds, by minute, hour or day; without `start_time` those of the 30 days before `end_time`.',
  handle: ({ params }, services: CountServices) => count(params, anyStart(params, services.now()), services),
})
