import { appOrUser } from '../../access/app-or-user.ts'
import { commaList, objectId } from '../../api/declare/words.ts'
import { objectEndpoint } from '../objects/object-endpoint.ts'
import { postKinds, READS_POSTS } from './post-kinds.ts'

export const listPosts = objectEndpoint(postKinds, {
  name: 'listPosts',
  route: 'GET /2/posts',
  section: '§2.9',
  summary: 'Get up to 100 posts by their ids.',
  auth: appOrUser,
  scopes: READS_POSTS,
  rateLimit: 5000,
  params: { ids: commaList(objectId(), { max: 100, example: ['1997712707928100864'] }) },
  isList: true,
  asked: ({ params }) => ({ values: params.ids, parameter: 'ids', isList: true }),
})
