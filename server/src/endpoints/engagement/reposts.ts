import { anyUser } from '../../access/any-user.ts'
import { nameList } from '../../api/declare/name-list.ts'
import { forbidden } from '../../api/declare/problem.ts'
import { objectId, optional } from '../../api/declare/words.ts'
import { pageParams } from '../../api/objects/page-token.ts'
import type { Outbox } from '../../delivery/outbox.ts'
import type { Ids } from '../../lib/ids.ts'
import type { Content } from '../../storage/content.ts'
import { users } from '../../storage/content-tables.ts'
import { objectEndpoint } from '../objects/object-endpoint.ts'
import { pageOfItems, pageOfPosts } from '../objects/pages.ts'
import { Post } from '../objects/post.ts'
import { lockActingUser } from '../posts/acting-user.ts'
import { surroundingsOf } from '../posts/insert-posts.ts'
import { type NewPost, repostText } from '../posts/new-post.ts'
import { announcementsOfPost } from '../posts/post-events.ts'
import { postKinds, READS_POSTS } from '../posts/post-kinds.ts'
import { removeOwnPost } from '../posts/remove-own-post.ts'
import { storedPost, storePost } from '../posts/stored-post.ts'
import { expectVisiblePost } from '../posts/visible-post.ts'
import { userKinds } from '../users/user-kinds.ts'
import { aPost, targetPost } from './relation-target.ts'
import { subjectList } from './subject-list.ts'
import { userAction } from './user-action.ts'

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

interface RepostServices {
  content: Content
  outbox: Outbox
  ids: Ids
  now: () => number
}

const GONE = 'You attempted to repost a post that is deleted or not visible to you.'
const PROTECTED = 'You cannot repost a post of a protected user.'

/** Stores a repost, unless the user has one of the post; the id of the one that there is. */
async function storeRepost(repost: NewPost & { repostedId: string }, { content, outbox }: RepostServices): Promise<string> {
  const surroundings = await surroundingsOf(repost, content)
  const events = announcementsOfPost(repost, surroundings)
  return outbox.change(events, async (transaction, announce) => {
    await lockActingUser(transaction, repost.authorId)
    const existing = await transaction.repostBy(repost.authorId, repost.repostedId)
    if (existing !== undefined) return existing
    await expectVisiblePost(transaction, repost.authorId, repost.repostedId, GONE)
    await storePost(transaction, repost, surroundings)
    await announce(events)
    return repost.id
  })
}

export const { create: repostPost, remove: removeRepost } = userAction<RepostServices>({
  create: {
    name: 'repostPost',
    summary: 'Repost a post.',
    description:
      'A repost is a post of the user whose text begins with `RT @`. There is one of each user and post. `post.create` is published, and `post.repost.create` for the author of the original.',
  },
  remove: { name: 'removeRepost', summary: 'Remove the repost of a post.' },
  path: 'reposts',
  target: 'post_id',
  removal: { target: 'source_post_id' },
  done: 'reposted',
  more: { id: optional(objectId()) },
  scopes: ['post.read', 'post.write', 'users.read'],
  async act({ caller: { user, app }, targetId }, services) {
    const { content, ids, now } = services
    const post = await targetPost(content, user.id, targetId, GONE)
    const [author] = await content.rows(users, ['username', 'protected'], [post.authorId])
    if (author?.[1] && post.authorId !== user.id) throw forbidden(PROTECTED)
    const repost = {
      id: ids.next(),
      authorId: user.id,
      text: repostText(author?.[0] as string, post.text),
      createdAtMs: now(),
      source: app.name,
      lang: post.lang,
      repostedId: post.id,
    }
    return { reposted: true, id: await storeRepost(repost, services) }
  },
  async undo({ caller: { user }, targetId }, services) {
    const { content } = services
    const postId = await aPost.storedId(content, targetId)
    const [repostId] = await content.postIds({ of: 'reposts', postId, authorId: user.id }, { limit: 1 })
    const repost = repostId === undefined ? undefined : await storedPost(content, repostId)
    if (repost) await removeOwnPost(services, repost)
  },
})
