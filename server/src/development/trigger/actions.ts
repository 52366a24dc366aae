import type { EventTypeName } from '../../delivery/events/event-types.ts'
import { mentionsIn } from '../../endpoints/posts/new-post.ts'
import { type Relation, users } from '../../storage/content-tables.ts'
import { alreadySo, nameOf, type Route, type Sent } from './call-as-user.ts'
import {
  type Acting,
  anyPost,
  ensureRelation,
  likedBy,
  liveSpace,
  newPostOf,
  postToActOn,
  receivedMessage,
  repostedBy,
} from './prerequisites.ts'

/** What is called so that an event of a type follows. */
export interface Action {
  route: Route
  /** Whether it is done to another user. */
  isToAnother: boolean
  /** The parameter of the call that `text` is; absent for a call without a text. */
  textAs?: string
  /** A text where none was given. It differs each time. */
  usualText?(unique: string): string
  /** The relation that begins: a pair that has it cannot begin it. `past` says that in a sentence, `end` is the event type that ends it. */
  begins?: { relation: Relation; past: string; end: EventTypeName }
  /** The parameters of the call; makes what must be there before. */
  sent(acting: Acting): Sent | Promise<Sent>
}

const POST = 'POST /2/posts'

const post = (more: Partial<Action> & Pick<Action, 'sent'>): Action => ({
  route: POST,
  isToAnother: true,
  textAs: 'text',
  usualText: (unique) => `High tide at noon, ${unique}.`,
  ...more,
})

/** The text with the name of the target, if it has none. */
const mentioning = ({ target, text }: Acting) =>
  mentionsIn(text).includes(target.username.toLowerCase()) ? text : `@${target.username} ${text}`

/** A change of a member of the profile. */
const profile = (member: 'name' | 'description' | 'location' | 'url', what: string, usualText: Action['usualText']): Action => ({
  route: 'POST /1.1/account/update_profile',
  isToAnother: false,
  textAs: member,
  usualText,
  async sent({ source, text, content }) {
    const [row] = await content.rows(users, [member], [source.id])
    if (row?.[0] === text) throw alreadySo(`The text is the ${what} of ${nameOf(source)} already, so that nothing changes: send another.`)
    return { [member]: text }
  },
})

const toUser = ({ source, target }: Acting) => ({ id: source.id, target_user_id: target.id })
const fromUser = ({ source, target }: Acting) => ({ source_user_id: source.id, target_user_id: target.id })

const begins = (route: Route, relation: Relation, past: string, end: EventTypeName): Action => ({
  route,
  isToAnother: true,
  begins: { relation, past, end },
  sent: toUser,
})

const ends = (route: Route, relation: Relation, begin: Route): Action => ({
  route,
  isToAnother: true,
  async sent(acting) {
    await ensureRelation(acting, relation, begin)
    return fromUser(acting)
  },
})

const FOLLOW = 'POST /2/users/:id/following'
const MUTE = 'POST /2/users/:id/muting'
const BLOCK = 'POST /2/users/:id/blocking'

const message: Action = {
  route: 'POST /2/dm_conversations/with/:participant_id/messages',
  isToAnother: true,
  textAs: 'text',
  usualText: (unique) => `Ahoy, ${unique}!`,
  sent: ({ target, text }) => ({ participant_id: target.id, text }),
}

/** The action of each event type that users cause. All others are published by producers alone. */
export const actions: Readonly<Partial<Record<EventTypeName, Action>>> = {
  'post.create': post({ isToAnother: false, sent: ({ text }) => ({ text }) }),
  'post.delete': {
    route: 'DELETE /2/posts/:id',
    isToAnother: false,
    sent: async (acting) => ({ id: await newPostOf(acting, acting.source) }),
  },
  'post.mention.create': post({ sent: (acting) => ({ text: mentioning(acting) }) }),
  'post.reply.create': post({
    sent: async (acting) => ({ text: acting.text, reply: { in_reply_to_post_id: await postToActOn(acting, anyPost) } }),
  }),
  'post.quote.create': post({ sent: async (acting) => ({ text: acting.text, quote_post_id: await postToActOn(acting, anyPost) }) }),
  'post.repost.create': {
    route: 'POST /2/users/:id/reposts',
    isToAnother: true,
    sent: async (acting) => ({ id: acting.source.id, post_id: await postToActOn(acting, repostedBy(acting)) }),
  },
  'profile.update.bio': profile('description', 'bio', (unique) => `Keeps the tide tables, edition ${unique}.`),
  'profile.update.screenname': profile('name', 'name', (unique) => `Tide keeper ${unique}`),
  'profile.update.geo': profile('location', 'location', (unique) => `Berth ${unique}`),
  'profile.update.url': profile('url', 'URL', (unique) => `https://example.com/${unique}`),
  'like.create': {
    route: 'POST /2/users/:id/likes',
    isToAnother: true,
    sent: async (acting) => ({ id: acting.source.id, post_id: await postToActOn(acting, likedBy(acting)) }),
  },
  'mute.mute': begins(MUTE, 'mute', 'mutes', 'mute.unmute'),
  'mute.unmute': ends('DELETE /2/users/:source_user_id/muting/:target_user_id', 'mute', MUTE),
  'block.block': begins(BLOCK, 'block', 'blocks', 'block.unblock'),
  'block.unblock': ends('DELETE /2/users/:source_user_id/blocking/:target_user_id', 'block', BLOCK),
  'follow.follow': begins(FOLLOW, 'follow', 'follows', 'follow.unfollow'),
  'follow.unfollow': ends('DELETE /2/users/:source_user_id/following/:target_user_id', 'follow', FOLLOW),
  'spaces.start': {
    route: 'POST /2/spaces',
    isToAnother: false,
    textAs: 'title',
    usualText: (unique) => `Harbour talk ${unique}`,
    sent: ({ text }) => ({ title: text }),
  },
  'spaces.end': {
    route: 'PUT /2/spaces/:id',
    isToAnother: false,
    sent: async (acting) => ({ id: await liveSpace(acting), state: 'ended' }),
  },
  'dm.received': message,
  'dm.sent': message,
  'dm.read': {
    route: 'POST /1.1/direct_messages/mark_read',
    isToAnother: true,
    sent: async (acting) => ({ last_read_event_id: await receivedMessage(acting), recipient_id: acting.target.id }),
  },
  'dm.indicate_typing': {
    route: 'POST /1.1/direct_messages/indicate_typing',
    isToAnother: true,
    sent: ({ target }) => ({ recipient_id: target.id }),
  },
}
