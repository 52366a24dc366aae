import { forbidden, Problem } from '../../api/declare/problem.ts'
import type { Content, ContentTransaction, RelationPair } from '../../storage/content.ts'
import { type ContentTable, posts, users } from '../../storage/content-tables.ts'
import { inLockOrder } from '../../storage/lock-order.ts'
import { targetPost } from './target-post.ts'

/** A user as others act on it. */
export interface TargetUser {
  disabled: boolean
  protected: boolean
}

/** What relations point to, and when a user may have them. */
export interface RelationTarget {
  table: ContentTable
  /** The member of the body that has its id. */
  parameter: 'post_id' | 'target_user_id'
  /** The id that the relation is stored with. Throws if the user may not act on it. `verb` is what the user does, for messages. */
  resolve(content: Content, userId: string, id: string, verb: string): Promise<string>
  /** The same for a relation that is removed: its target may be gone. */
  resolveRemoved(content: Content, id: string): Promise<string>
  /** Locks what the transaction must see unchanged. For a relation that is created it throws 404 if the target is gone. */
  lock(transaction: ContentTransaction, pair: RelationPair, isCreated: boolean): Promise<TargetUser | undefined>
}

/** A post. It is not locked: many like one post at once. */
export const aPost: RelationTarget = {
  table: posts,
  parameter: 'post_id',
  resolve: async (content, userId, id, verb) =>
    (await targetPost(content, userId, id, `You attempted to ${verb} a post that is deleted or not visible to you.`)).id,
  resolveRemoved: async (content, id) => ((await content.rows(posts, ['reposted_id'], [id]))[0]?.[0] as string | undefined) ?? id,
  lock: async () => undefined,
}

const userNotFound = (id: string) =>
  new Problem('resource-not-found', {
    detail: `Could not find user with target_user_id: [${id}].`,
    ...{ parameter: 'target_user_id', resource_id: id, resource_type: 'user', value: id },
  })

/** Another user. Both are locked, so that a follow and a block that happen at once see each other. */
export const anotherUser: RelationTarget = {
  table: users,
  parameter: 'target_user_id',
  async resolve(_content, userId, id, verb) {
    if (id === userId) throw forbidden(`You cannot ${verb} yourself.`)
    return id
  },
  resolveRemoved: async (_content, id) => id,
  async lock(transaction, { source, target }, isCreated) {
    const locked = new Map<string, Record<string, unknown> | undefined>()
    for (const key of [source, target].sort(inLockOrder)) locked.set(key, await transaction.get(users, key, ['disabled', 'protected']))
    const user = locked.get(target)
    if (!user && isCreated) throw userNotFound(target)
    return user && { disabled: Boolean(user.disabled), protected: Boolean(user.protected) }
  },
}
