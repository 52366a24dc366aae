import { appOrUser } from '../../access/app-or-user.ts'
import { objectId } from '../../api/declare/words.ts'
import { objectEndpoint } from '../objects/object-endpoint.ts'
import { postKinds, READS_POSTS } from './post-kinds.ts'

export const getPost = objectEndpoint(postKinds, {
  name: 'getPost',
  route: 'GET /2/posts/:id',
  section: '§2.9',
  summary: 'Get a post.',
  auth: appOrUser,
  scopes: READS_POSTS,
  rateLimit: 450,
  params: { id: objectId() },
  asked: ({ params }) => ({ values: [params.id], parameter: 'id', isList: false }),
})
