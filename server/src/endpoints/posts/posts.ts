import { appOrUser } from '../../access/app-or-user.ts'
import { userWith } from '../../access/user-with.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { forbidden } from '../../api/declare/problem.ts'
import { boolean, commaList, object, objectId } from '../../api/declare/words.ts'
import { objectEndpoint } from '../objects/object-endpoint.ts'
import { postKinds, READS_POSTS } from './post-kinds.ts'
import { type RemoveServices, removeOwnPost } from './remove-own-post.ts'
import { storedPost } from './stored-post.ts'
import { postNotFound } from './visible-post.ts'

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

export const deletePost = endpoint({
  name: 'deletePost',
  route: 'DELETE /2/posts/:id',
  section: '§2.9',
  summary: 'Delete a post of the authenticated user.',
  description: '`post.delete` is published, unless the post is for promotion only.',
  auth: userWith('read_write'),
  scopes: ['post.read', 'post.write', 'users.read'],
  rateLimit: 50,
  params: { id: objectId() },
  answer: object({ data: object({ deleted: boolean() }) }),
  problems: ['resource-not-found', 'forbidden'],
  async handle({ params, caller: { user } }, services: RemoveServices) {
    const post = await storedPost(services.content, params.id)
    if (!post) throw postNotFound(params.id)
    if (post.authorId !== user.id) throw forbidden('You are not authorized to delete this post.')
    return { data: { deleted: await removeOwnPost(services, post) } }
  },
})
