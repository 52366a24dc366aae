import type { AppCaller } from '../../access/app-bearer.ts'
import { appOrUser } from '../../access/app-or-user.ts'
import type { HandlerInput } from '../../api/declare/endpoint.ts'
import { mutuallyExclusive } from '../../api/declare/rules.ts'
import { oneOf, optional, type ParamsOf, text } from '../../api/declare/words.ts'
import { LONGEST_QUERY } from '../../lib/post-text/query/parse.ts'
import type { Content } from '../../storage/content.ts'
import { objectEndpoint, viewerOf } from '../objects/object-endpoint.ts'
import { pageOfPostsBy, postPageParams, postPageRules } from '../objects/pages.ts'
import { postKinds, READS_POSTS } from './post-kinds.ts'
import { anyStart, readSearch, recentStart, searchIds } from './search.ts'

const { pagination_token, ...page } = postPageParams({ min: 10, max: 100, usual: 10 })
const { max_results } = postPageParams({ min: 10, max: 500, usual: 10 })

const QUERY_LANGUAGE =
  'The query language: words, `"exact phrases"`, `#hashtag`, `$cashtag`, `@username`, `from:`, `to:`, `url:`, `conversation_id:`, `lang:`, `has:` (`media`, `images`, `videos`, `links`, `hashtags`, `cashtags`, `mentions`, `geo`), `is:` (`reply`, `quote`, `repost`, `verified`, `nullcast`, the last only negated), `min_likes:`, `min_replies:`, `min_reposts:`, negation with `-`, `OR`, and brackets. Anything else is refused by name.'

const search = {
  section: '§2.9',
  description: [
    QUERY_LANGUAGE,
    '`sort_order` is accepted; every order is by recency. A page may have few posts, or none, and a `next_token`: where many posts had to be looked at in vain, the next page goes on.',
  ].join('\n\n'),
  auth: appOrUser,
  scopes: READS_POSTS,
  rules: [...postPageRules, mutuallyExclusive('pagination_token', 'next_token')],
  isList: true,
  isPaged: true,
} as const

const params = {
  query: text({ max: LONGEST_QUERY, example: 'hello' }),
  ...page,
  pagination_token,
  next_token: pagination_token,
  sort_order: optional(oneOf(['recency', 'relevancy'])),
}

/** Who asks. */
type Asking = Pick<HandlerInput<typeof params, AppCaller>, 'caller' | 'giveWay'>

type Sent = ParamsOf<typeof params>

async function searchPage(sent: Sent, start_time: string, { caller, giveWay }: Asking, content: Content) {
  const found = await readSearch(content, sent.query)
  const from = { ...sent, start_time, seenBy: { viewerId: viewerOf(caller) }, giveWay }
  return pageOfPostsBy((page) => searchIds(content, found, page), 'search', from)
}

export const searchRecentPosts = objectEndpoint(postKinds, {
  ...search,
  name: 'searchRecentPosts',
  route: 'GET /2/posts/search/recent',
  summary: 'Search the posts of the last seven days, newest first.',
  rateLimit: 450,
  params,
  asked: (call, { content, now }) => searchPage(call.params, recentStart(call.params.start_time, now()), call, content),
})

export const searchAllPosts = objectEndpoint(postKinds, {
  ...search,
  name: 'searchAllPosts',
  route: 'GET /2/posts/search/all',
  summary:
    'Search all posts, newest first; without `start_time` those of the 30 days before `end_time`, or before now if `end_time` is later.',
  rateLimit: 300,
  params: { ...params, max_results },
  asked: (call, { content, now }) => searchPage(call.params, anyStart(call.params, now()), call, content),
})
