import { forbidden } from '../../api/declare/problem.ts'
import { conversationOf, shownFromMs } from '../../endpoints/direct-messages/conversation.ts'
import { whyHidden } from '../../endpoints/posts/visible-post.ts'
import type { Content } from '../../storage/content.ts'
import { directMessages, posts, type Relation, spaces } from '../../storage/content-tables.ts'
import type { User } from '../../storage/users.ts'
import { type CallAnswer, nameOf, type Route, type Sent } from './call-as-user.ts'

/** An action that is about to be performed. */
export interface Acting {
  /** Who does it. */
  source: User
  /** To whom it is done; the same user for what nobody else takes part in. */
  target: User
  /** Text, name or title. */
  text: string
  content: Content
  now: () => number
  /** A word that no other call has. */
  unique: () => string
  call(route: Route, user: User, sent: Sent): Promise<CallAnswer>
}

/** How many of the newest posts, messages and spaces of a user are looked at. */
const MOST_LOOKED_AT = 20

export const idOf = (answer: CallAnswer, member = 'id') => String((answer.data as Record<string, unknown>)[member])

/** A new post of a user. */
export const newPostOf = async ({ call, unique }: Acting, user: User): Promise<string> =>
  idOf(await call('POST /2/posts', user, { text: `Low tide at dusk, ${unique()}.` }))

/** The posts of a list that everybody may see and reply to. */
async function openTo(content: Content, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await content.rows(posts, ['id', 'reply_settings', 'restriction'], ids)
  return new Set(rows.flatMap(([id, replies, restriction]) => (replies === 'everyone' && !restriction ? [id as string] : [])))
}

/** A post of the target that the source may act on: the newest one that is not taken, else a new one. */
export async function postToActOn(acting: Acting, taken: (ids: readonly string[]) => Promise<ReadonlySet<string>>): Promise<string> {
  const { source, target, content } = acting
  if (source.id !== target.id && (await whyHidden(content, source.id, { authorId: target.id })))
    throw forbidden(`${nameOf(source)} does not see the posts of ${nameOf(target)}, who is protected or suspended, or blocks them.`)
  const list = { of: 'author', authorId: target.id, replies: false, reposts: false } as const
  const ids = await content.postIds(list, { limit: MOST_LOOKED_AT })
  const [open, not] = await Promise.all([openTo(content, ids), taken(ids)])
  return ids.find((id) => open.has(id) && !not.has(id)) ?? newPostOf(acting, target)
}

const NONE: ReadonlySet<string> = new Set()

export const anyPost = async () => NONE

/** The posts that the source likes already. */
export const likedBy =
  ({ content, source }: Acting) =>
  async (ids: readonly string[]) =>
    new Set((await content.relationsOf(source.id, ids, ['like'])).map(({ target }) => target))

/** The posts that the source has reposted already. */
export const repostedBy =
  ({ content, source }: Acting) =>
  async (ids: readonly string[]) => {
    const reposts = ids.map(async (postId) => {
      const [repost] = await content.postIds({ of: 'reposts', postId, authorId: source.id }, { limit: 1 })
      return repost === undefined ? [] : [postId]
    })
    return new Set((await Promise.all(reposts)).flat())
  }

/** A message that the source has received from the target. */
export async function receivedMessage({ source, target, content, now, call, unique }: Acting): Promise<string> {
  const list = {
    of: 'messages',
    userId: source.id,
    conversationId: conversationOf(source.id, target.id),
    types: ['MessageCreate'],
  } as const
  const items = await content.items(list, { limit: MOST_LOOKED_AT, fromMs: shownFromMs(now()) })
  const rows = await content.rows(
    directMessages,
    ['id', 'sender_id'],
    items.map(({ key }) => key),
  )
  const received = new Set(rows.flatMap(([id, sender]) => (sender === target.id ? [id] : [])))
  const found = items.find(({ key }) => received.has(key))
  if (found) return found.key
  const sent = { participant_id: source.id, text: `Ahoy, ${unique()}!` }
  return idOf(await call('POST /2/dm_conversations/with/:participant_id/messages', target, sent), 'dm_event_id')
}

/** A space of the source that is live. */
export async function liveSpace({ source, content, call, unique }: Acting): Promise<string> {
  const items = await content.items({ of: 'spaces', creatorIds: [source.id] }, { limit: MOST_LOOKED_AT })
  const rows = await content.rows(
    spaces,
    ['id', 'state'],
    items.map(({ key }) => key),
  )
  const live = rows.find(([, state]) => state === 'live')
  return live ? String(live[0]) : idOf(await call('POST /2/spaces', source, { title: `Harbour talk ${unique()}` }))
}

/** Makes sure that the source has a relation to the target. */
export async function ensureRelation({ source, target, content, call }: Acting, relation: Relation, route: Route): Promise<void> {
  const has = async () => (await content.relationsOf(source.id, [target.id], [relation])).some((pair) => pair.source === source.id)
  if (await has()) return
  await call(route, source, { id: source.id, target_user_id: target.id })
  if (await has()) return
  throw forbidden(`${nameOf(target)} is protected, and is not followed before that is accepted: name another user with to.`)
}
