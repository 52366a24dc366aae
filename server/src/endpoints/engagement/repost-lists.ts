import { anyUser } from '../../access/any-user.ts'
import { nameList } from '../../api/declare/name-list.ts'
import { optional } from '../../api/declare/words.ts'
import { pageParams } from '../../api/objects/page-token.ts'
import { objectEndpoint } from '../objects/object-endpoint.ts'
import { pageOfItems, pageOfPosts } from '../objects/pages.ts'
import { Post } from '../objects/post.ts'
import { postKinds, READS_POSTS } from '../posts/post-kinds.ts'
import { userKinds } from '../users/user-kinds.ts'
import { subjectList } from './subject-list.ts'

const ofPost = { subject: Post, scopes: READS_POSTS, rateLimit: 75 } as const

export const listRepostingUsers = subjectList(userKinds, {
  ...ofPost,
  name: 'listRepostingUsers',
  route: 'GET /2/posts/:id/reposted_by',
  summary: 'List the users who reposted a post, the latest repost first.',
  page: { max: 100 },
  read: (content, postId, params) => pageOfItems(content, { of: 'reposters', postId }, `reposters-${postId}`, params),
})

export const listReposts = subjectList(postKinds, {
  ...ofPost,
  name: 'listReposts',
  route: 'GET /2/posts/:id/reposts',
  summary: 'List the reposts of a post, the latest first.',
  page: { max: 100 },
  read: (content, postId, params) => pageOfPosts(content, { of: 'reposts', postId }, `reposts-${postId}`, params),
})

export const listQuotes = subjectList(postKinds, {
  ...ofPost,
  name: 'listQuotes',
  route: 'GET /2/posts/:id/quote_posts',
  summary: 'List the posts that quote a post, the latest first.',
  description: 'A repost quotes nothing, so `exclude=reposts` changes nothing.',
  page: { min: 10, max: 100, usual: 10 },
  params: { exclude: optional(nameList(['replies', 'reposts'])) },
  read(content, postId, params) {
    const replies = !(params.exclude as string[] | undefined)?.includes('replies')
    return pageOfPosts(content, { of: 'quotes', postId, replies }, `quotes-${postId}`, params)
  },
})

export const listRepostsOfMe = objectEndpoint(postKinds, {
  name: 'listRepostsOfMe',
  route: 'GET /2/users/reposts_of_me',
  section: '§2.9',
  summary: 'List the reposts of the posts of the authenticated user, the latest first.',
  auth: anyUser,
  scopes: ['post.read', 'timeline.read'],
  rateLimit: 75,
  params: pageParams({ max: 100 }),
  isList: true,
  isPaged: true,
  asked: ({ params, caller: { user } }, { content }) =>
    pageOfPosts(content, { of: 'reposts-of', authorId: user.id }, `reposts-of-${user.id}`, params),
})
