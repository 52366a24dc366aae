import { iso } from '../../api/declare/words.ts'
import type { Announcement } from '../../delivery/outbox.ts'
import { oncePer } from '../../lib/lazy.ts'
import type { ContentTransaction, RelationPair } from '../../storage/content.ts'
import { type Relation, users } from '../../storage/content-tables.ts'
import type { Direction } from '../../storage/subscriptions.ts'
import { answerJson, PUBLIC_FIELDS, publicUsers } from '../objects/public-objects.ts'
import { postKinds } from '../posts/post-kinds.ts'

/** A relation of a user to a user that begins or ends. */
interface BetweenUsers extends RelationPair {
  atMs: number
}

/** A relation that begins; to a post with its author. */
export interface BegunRelation extends BetweenUsers {
  position: string
  authorId: string | undefined
}

/** Both users, as they are after the change; read once, for the events of both. */
const usersSaid = ({ source, target, atMs }: BetweenUsers) =>
  oncePer(async (transaction: ContentTransaction) => {
    const said = await publicUsers(transaction, [source, target], atMs)
    return { source: { data: said.get(source)! }, target: { data: said.get(target)! } }
  })

/** Mutes and blocks: the other user learns nothing. */
const ofActor =
  (eventType: string) =>
  (change: BetweenUsers): Announcement[] => {
    const said = usersSaid(change)
    return [{ eventType, userId: change.source, say: async (transaction) => ({ payload: await said(transaction) }) }]
  }

/**
 * Follows: one event for each of both. Everybody may subscribe to it, and the lists of a protected user are not for everybody: there is none
 * about such a user, and who is followed is not the one who tells whom such a user follows.
 */
const ofBoth = (eventType: string) => (change: BetweenUsers) => {
  const said = usersSaid(change)
  const side = (end: 'source' | 'target', direction: Direction): Announcement => ({
    eventType,
    userId: change[end],
    async say(transaction) {
      const payload = await said(transaction)
      const { source, target } = payload
      const isPrivate = source.data.protected || (direction === 'received' && target.data.protected)
      return isPrivate ? undefined : { payload, direction }
    },
  })
  return [side('source', 'sent'), side('target', 'received')]
}

/** Whether a user may know what another one does: lists of likes leave out those of protected users in the same way. */
async function mayKnowOf(transaction: ContentTransaction, userId: string, actorId: string): Promise<boolean> {
  const relations = await transaction.relationsOf(userId, [actorId], ['follow', 'block'])
  if (relations.some(({ relation }) => relation === 'block')) return false
  const [actor] = await transaction.rows(users, ['protected'], [actorId])
  return !actor?.[0] || relations.some(({ source }) => source === userId)
}

/** A like: one event for who likes, and one for the author, unless they are the same. Both include both users: the payload does not name who likes. */
function liked({ source, target, position, authorId, atMs }: BegunRelation): Announcement[] {
  if (authorId === undefined) return []
  const payload = { id: position, liked_post_id: target, liked_post_author_id: authorId, created_at: iso(atMs), timestamp_ms: String(atMs) }
  const side = (userId: string, otherId: string, direction: Direction): Announcement => ({
    eventType: 'like.create',
    userId,
    async say(transaction) {
      if (direction === 'received' && !(await mayKnowOf(transaction, userId, otherId))) return undefined
      const shown = { reads: transaction, viewerId: userId, nowMs: atMs }
      const { data: post } = await answerJson(postKinds, { values: [target], isList: false }, PUBLIC_FIELDS, shown)
      const both = await publicUsers(transaction, [...new Set([source, authorId])], atMs)
      return { payload, direction, includes: { users: [...both.values()], ...(post && { posts: [post] }) } }
    },
  })
  const sent = side(source, authorId, 'sent')
  return authorId === source ? [sent] : [sent, side(authorId, source, 'received')]
}

interface RelationEvents {
  begins?(begun: BegunRelation): Announcement[]
  ends?(ended: BetweenUsers): Announcement[]
}

const table: Partial<Record<Relation, RelationEvents>> = {
  like: { begins: liked },
  follow: { begins: ofBoth('follow.follow'), ends: ofBoth('follow.unfollow') },
  mute: { begins: ofActor('mute.mute'), ends: ofActor('mute.unmute') },
  block: { begins: ofActor('block.block'), ends: ofActor('block.unblock') },
}

/** The events of a relation that a user creates. */
export const eventsOfBegin = (begun: BegunRelation): Announcement[] => table[begun.relation]?.begins?.(begun) ?? []

/** The events of a relation that ends. */
export const eventsOfEnd = (ended: BetweenUsers): Announcement[] => table[ended.relation]?.ends?.(ended) ?? []
