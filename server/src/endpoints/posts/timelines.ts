import { anyUser } from '../../access/any-user.ts'
import { appOrUser } from '../../access/app-or-user.ts'
import { nameList } from '../../api/declare/name-list.ts'
import { objectId, optional } from '../../api/declare/words.ts'
import { termHash } from '../../lib/post-text/terms.ts'
import { assertSelf } from '../objects/assert-self.ts'
import { listOfUser } from '../objects/not-found.ts'
import { objectEndpoint, viewerOf } from '../objects/object-endpoint.ts'
import { pageOfPosts, pageOfPostsBy, postPageParams, postPageRules } from '../objects/pages.ts'
import { User } from '../objects/user.ts'
import { hiddenSubject } from './list-of-subject.ts'
import { postKinds, READS_POSTS } from './post-kinds.ts'
import { findByTerms, NULLCAST_HASH, REPOST_HASH } from './search.ts'

const ofUser = { id: objectId({ example: '101', description: 'The id of the user.' }) }
const exclude = { exclude: optional(nameList(['replies', 'reposts'])) }

const timeline = { section: '§2.9', scopes: READS_POSTS, rules: postPageRules, isList: true, isPaged: true } as const

const kindsOf = (excluded: readonly string[] = []) => ({
  replies: !excluded.includes('replies'),
  reposts: !excluded.includes('reposts'),
})

export const listUserPosts = objectEndpoint(postKinds, {
  ...timeline,
  name: 'listUserPosts',
  route: 'GET /2/users/:id/posts',
  summary: 'List the posts of a user, newest first.',
  auth: appOrUser,
  rateLimit: 900,
  params: { ...ofUser, ...postPageParams({ min: 5, max: 100, usual: 10 }), ...exclude },
  asked({ params, caller }, { content }) {
    const viewerId = viewerOf(caller)
    const sent = { ...params, seenBy: { viewerId } }
    const list = pageOfPosts(content, { of: 'author', authorId: params.id, ...kindsOf(params.exclude) }, `posts-${params.id}`, sent)
    // Whoever sees a post of the user may read them.
    return { ...list, whyNone: () => hiddenSubject(content, { object: User, id: params.id, viewerId }) }
  },
})

export const listHomeTimeline = objectEndpoint(postKinds, {
  ...timeline,
  name: 'listHomeTimeline',
  route: 'GET /2/users/:id/timelines/reverse_chronological',
  summary: 'List the posts of those whom the authenticated user follows, and of the user, newest first.',
  auth: anyUser,
  rateLimit: 180,
  params: { ...ofUser, ...postPageParams({ max: 100 }), ...exclude },
  asked: ({ params, caller, giveWay }, { content }) => {
    assertSelf(caller.user.id, params.id)
    const sent = { ...params, seenBy: { viewerId: params.id }, giveWay }
    return pageOfPosts(content, { of: 'home', userId: params.id, ...kindsOf(params.exclude) }, `home-${params.id}`, sent)
  },
})

export const listMentions = objectEndpoint(postKinds, {
  name: 'listMentions',
  route: 'GET /2/users/:id/mentions',
  section: '§2.9',
  summary: 'List the posts that mention a user, newest first.',
  description: 'Reposts are left out: their text names the author of the original, whom nobody mentioned.',
  auth: appOrUser,
  scopes: READS_POSTS,
  rateLimit: 450,
  rules: postPageRules,
  isList: true,
  isPaged: true,
  params: { id: objectId({ example: '101', description: 'The id of the user.' }), ...postPageParams({ min: 5, max: 100, usual: 10 }) },
  asked({ params, caller }, { content }) {
    const mentioned = { all: [String(termHash(`mention:${params.id}`))], none: [NULLCAST_HASH, REPOST_HASH] }
    const sent = { ...params, seenBy: { viewerId: viewerOf(caller) } }
    return listOfUser(
      content,
      params.id,
      pageOfPostsBy((page) => findByTerms(content, [mentioned], page), `mentions-${params.id}`, sent),
    )
  },
})
