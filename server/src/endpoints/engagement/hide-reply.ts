import { userWith } from '../../access/user-with.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { forbidden } from '../../api/declare/problem.ts'
import { boolean, object, objectId } from '../../api/declare/words.ts'
import type { Content } from '../../storage/content.ts'
import { posts } from '../../storage/content-tables.ts'
import { storedPost } from '../posts/stored-post.ts'
import { postNotFound } from '../posts/visible-post.ts'

const NO_REPLY = 'Only replies can be hidden.'
const NOT_YOURS = 'You are not authorized to hide replies of this conversation: its first post is not yours.'

export const hideReply = endpoint({
  name: 'hideReply',
  route: 'PUT /2/posts/:id/hidden',
  section: '§2.9',
  summary: 'Hide a reply in a conversation that the authenticated user began, or show it again.',
  auth: userWith('read_write'),
  scopes: ['post.moderate.write', 'post.read', 'users.read'],
  rateLimit: 50,
  params: { id: objectId(), hidden: boolean({ example: true }) },
  answer: object({ data: object({ hidden: boolean() }) }),
  problems: ['resource-not-found', 'forbidden'],
  async handle({ params, caller: { user } }, { content }: { content: Content }) {
    const reply = await storedPost(content, params.id)
    if (!reply) throw postNotFound(params.id)
    const first = await storedPost(content, reply.conversationId)
    if (first?.authorId !== user.id) throw forbidden(NOT_YOURS)
    if (reply.repliedToId === undefined) throw forbidden(NO_REPLY)
    await content.change(async (transaction) => {
      if (!(await transaction.get(posts, reply.id, ['id']))) throw postNotFound(params.id)
      await transaction.update(posts, reply.id, { hidden: params.hidden })
    })
    return { data: { hidden: params.hidden } }
  },
})
