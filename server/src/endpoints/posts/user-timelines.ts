import { anyUser } from '../../access/any-user.ts'
import { appOrUser } from '../../access/app-or-user.ts'
import { nameList } from '../../api/declare/name-list.ts'
import { objectId, optional } from '../../api/declare/words.ts'
import { assertSelf } from '../objects/assert-self.ts'
import { objectEndpoint, viewerOf } from '../objects/object-endpoint.ts'
import { pageOfPosts, postPageParams, postPageRules } from '../objects/pages.ts'
import { User } from '../objects/user.ts'
import { listOfSubject } from './list-of-subject.ts'
import { postKinds, READS_POSTS } from './post-kinds.ts'

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
    return listOfSubject(content, { object: User, id: params.id, viewerId }, list)
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
  asked: ({ params, caller }, { content }) => {
    assertSelf(caller.user.id, params.id)
    const sent = { ...params, seenBy: { viewerId: params.id } }
    return pageOfPosts(content, { of: 'home', userId: params.id, ...kindsOf(params.exclude) }, `home-${params.id}`, sent)
  },
})
