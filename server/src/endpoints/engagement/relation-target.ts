import { forbidden, Problem } from '../../api/declare/problem.ts'
import type { Content, ContentTransaction, RelationPair } from '../../storage/content.ts'
import { posts, users } from '../../storage/content-tables.ts'
import { targetPost } from './target-post.ts'

/** What a relation points to, and what of it decides whether a user may have the relation. */
export interface Target {
  id: string
  isSuspended?: boolean
  isProtected?: boolean
}

/** A kind of objects that relations point to. */
export interface TargetKind {
  /** The member of the body that has the id. */
  parameter: 'post_id' | 'target_user_id'
  /** Finds the target of a new relation. Throws if the user may not act on it. `verb` is what the user does, for messages. */
  find(content: Content, userId: string, id: string, verb: string): Promise<Target>
  /** The id that a relation is stored with whose target may be gone. */
  storedId(content: Content, id: string): Promise<string>
  /** Runs first in the transaction. */
  lock?(transaction: ContentTransaction, pair: RelationPair): Promise<void>
}

/** A post; of a repost the original. */
export const aPost: TargetKind = {
  parameter: 'post_id',
  async find(content, userId, id, verb) {
    const post = await targetPost(content, userId, id, `You attempted to ${verb} a post that is deleted or not visible to you.`)
    return { id: post.id }
  },
  async storedId(content, id) {
    const [post] = await content.rows(posts, ['reposted_id'], [id])
    return (post?.[0] as string | null | undefined) ?? id
  },
}

const userNotFound = (id: string) =>
  new Problem('resource-not-found', {
    detail: `Could not find user with target_user_id: [${id}].`,
    ...{ parameter: 'target_user_id', resource_id: id, resource_type: 'user', value: id },
  })

/** Another user. The pair is locked, so that a follow and a block that happen at once see each other. */
export const anotherUser: TargetKind = {
  parameter: 'target_user_id',
  async find(content, userId, id, verb) {
    if (id === userId) throw forbidden(`You cannot ${verb} yourself.`)
    const [user] = await content.rows(users, ['disabled', 'protected'], [id])
    if (!user) throw userNotFound(id)
    return { id, isSuspended: Boolean(user[0]), isProtected: Boolean(user[1]) }
  },
  storedId: async (_content, id) => id,
  lock: (transaction, { source, target }) => transaction.lockPair(source, target),
}
