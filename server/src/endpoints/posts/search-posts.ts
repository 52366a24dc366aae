import { appOrUser } from '../../access/app-or-user.ts'
import { invalidRequest } from '../../api/declare/problem.ts'
import { mutuallyExclusive } from '../../api/declare/rules.ts'
import { oneOf, optional, text } from '../../api/declare/words.ts'
import { LONGEST_QUERY } from '../../lib/post-text/query/parse.ts'
import { objectEndpoint, viewerOf } from '../objects/object-endpoint.ts'
import { pageOfPostsBy, postPageParams, postPageRules } from '../objects/pages.ts'
import { postKinds, READS_POSTS } from './post-kinds.ts'
import { readSearch, searchIds } from './search.ts'

const DAY_MS = 86_400_000
const RECENT_DAYS = 7

const { pagination_token, ...page } = postPageParams({ min: 10, max: 100, usual: 10 })

/** The earliest time of a recent search. Throws `invalid-request` for an earlier `start_time`. */
function earliest(start: string | undefined, nowMs: number): string {
  const from = new Date(nowMs - RECENT_DAYS * DAY_MS).toISOString()
  if (start === undefined || start >= from) return start ?? from
  const message = `The \`start_time\` query parameter value [${start}] must be on or after [${from}]: recent search covers ${RECENT_DAYS} days`
  throw invalidRequest([{ message, parameters: { start_time: [start] } }])
}

export const searchRecentPosts = objectEndpoint(postKinds, {
  name: 'searchRecentPosts',
  route: 'GET /2/posts/search/recent',
  section: '§2.9',
  summary: 'Search the posts of the last seven days, newest first.',
  description: [
    'The query language: words, `"exact phrases"`, `#hashtag`, `$cashtag`, `@username`, `from:`, `to:`, `url:`, `conversation_id:`, `lang:`, `has:` (`media`, `images`, `videos`, `links`, `hashtags`, `cashtags`, `mentions`, `geo`), `is:` (`reply`, `quote`, `repost`, `verified`, `nullcast`, the last only negated), `min_likes:`, `min_replies:`, `min_reposts:`, negation with `-`, `OR`, and brackets. Anything else is refused by name.',
    '`sort_order` is accepted; every order is by recency.',
  ].join('\n\n'),
  auth: appOrUser,
  scopes: READS_POSTS,
  rateLimit: 450,
  params: {
    query: text({ max: LONGEST_QUERY, example: 'hello' }),
    ...page,
    pagination_token,
    next_token: pagination_token,
    sort_order: optional(oneOf(['recency', 'relevancy'])),
  },
  rules: [...postPageRules, mutuallyExclusive('pagination_token', 'next_token')],
  isList: true,
  isPaged: true,
  async asked({ params, caller }, { content, now }) {
    const search = await readSearch(content, params.query)
    const from = { ...params, start_time: earliest(params.start_time, now()), seenBy: { viewerId: viewerOf(caller) } }
    return pageOfPostsBy((page) => searchIds(content, search, page), 'search', from)
  },
})
