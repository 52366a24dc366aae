import { appOrUser } from '../../access/app-or-user.ts'
import { objectId } from '../../api/declare/words.ts'
import { pageParams } from '../../api/objects/page-token.ts'
import { objectEndpoint, viewerOf } from '../objects/object-endpoint.ts'
import { pageOfPosts } from '../objects/pages.ts'
import { postKinds } from '../posts/post-kinds.ts'
import { READS_LISTS } from './list-kinds.ts'
import { pageOfList } from './seen-list.ts'

export const listListPosts = objectEndpoint(postKinds, {
  name: 'listListPosts',
  route: 'GET /2/lists/:id/posts',
  section: '§2.9',
  summary: 'List the posts of the members of a list, newest first.',
  auth: appOrUser,
  scopes: READS_LISTS,
  rateLimit: 900,
  isList: true,
  isPaged: true,
  params: { id: objectId(), ...pageParams({ max: 100 }) },
  asked: ({ params, caller }, { content }) =>
    pageOfList(content, viewerOf(caller), params.id, () =>
      pageOfPosts(content, { of: 'list', listId: params.id }, `list-posts-${params.id}`, {
        ...params,
        seenBy: { viewerId: viewerOf(caller) },
      }),
    ),
})
