import { forbidden, Problem } from '../../api/declare/problem.ts'
import type { Content, ContentTransaction, RelationPair } from '../../storage/content.ts'
import { posts, userAccounts, users } from '../../storage/content-tables.ts'
import { keepActingUser } from '../posts/acting-user.ts'
import type { StoredPost } from '../posts/stored-post.ts'
import { expectVisiblePost, visiblePost } from '../posts/visible-post.ts'

/**
 * The post that a user acts on: of a repost the original (public practice). Throws 403 with the sentence `refusal` if either is gone or not
 * visible.
 */
export async function targetPost(content: Content, userId: string, id: string, refusal: string): Promise<StoredPost> {
  const post = await visiblePost(content, userId, id, refusal)
  return post.repostedId === undefined ? post : visiblePost(content, userId, post.repostedId, refusal)
}

/** What a relation points to, and what of it decides whether a user may have the relation. */
export interface RelationTarget {
  id: string
  isProtected?: boolean
  isSuspended?: boolean
}

/** What a user acts on; of a post with its author. */
interface FoundTarget {
  id: string
  authorId?: string
}

/** A kind of objects that relations point to. */
export interface TargetKind {
  /** The member of the body that has the id. */
  parameter: 'post_id' | 'target_user_id'
  /** The target that a new relation is stored with. `verb` is what the user does, for messages. */
  find(content: Content, userId: string, id: string, verb: string): Promise<FoundTarget>
  /** The id that a relation is stored with whose target may be gone. */
  storedId(content: Content, id: string): Promise<string>
  /** Keeps the users who are concerned. Runs first in the transaction. */
  lock(transaction: ContentTransaction, pair: RelationPair): Promise<void>
  /** The target of a new relation, which is there when the transaction commits. Throws if the user may not act on it. */
  admit(transaction: ContentTransaction, pair: RelationPair, verb: string): Promise<RelationTarget>
}

const refusal = (verb: string) => `You attempted to ${verb} a post that is deleted or not visible to you.`

/** A post; of a repost the original. */
export const aPost: TargetKind = {
  parameter: 'post_id',
  find: (content, userId, id, verb) => targetPost(content, userId, id, refusal(verb)),
  async storedId(content, id) {
    const [post] = await content.rows(posts, ['reposted_id'], [id])
    return (post?.[0] as string | null | undefined) ?? id
  },
  lock: (transaction, { source }) => keepActingUser(transaction, source),
  async admit(transaction, { source, target }, verb) {
    await expectVisiblePost(transaction, source, target, refusal(verb))
    return { id: target }
  },
}

const userNotFound = (id: string) =>
  new Problem('resource-not-found', {
    detail: `Could not find user with target_user_id: [${id}].`,
    parameter: 'target_user_id',
    resource_id: id,
    resource_type: 'user',
    value: id,
  })

/** Another user. The pair is locked, so that a follow and a block that happen at once see each other. */
export const anotherUser: TargetKind = {
  parameter: 'target_user_id',
  async find(_content, userId, id, verb) {
    if (id === userId) throw forbidden(`You cannot ${verb} yourself.`)
    return { id }
  },
  storedId: async (_content, id) => id,
  async lock(transaction, { source, target }) {
    await transaction.lockPair(source, target)
    await keepActingUser(transaction, source)
    await transaction.keep(userAccounts, target, ['id'])
  },
  async admit(transaction, { target }) {
    const [user] = await transaction.rows(users, ['disabled', 'protected'], [target])
    if (!user) throw userNotFound(target)
    return { id: target, isSuspended: Boolean(user[0]), isProtected: Boolean(user[1]) }
  },
}
