import { userWith } from '../../access/user-with.ts'
import type { Dialect } from '../../api/declare/dialect.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { forbidden, invalidRequest } from '../../api/declare/problem.ts'
import { atLeastOneOf, mutuallyExclusive, type Rule } from '../../api/declare/rules.ts'
import { anything, boolean, integer, listOf, object, objectId, oneOf, optional, type ParamsOf, text } from '../../api/declare/words.ts'
import type { Outbox } from '../../delivery/outbox.ts'
import type { Ids } from '../../lib/ids.ts'
import { languageOf } from '../../lib/post-text/language.ts'
import type { Content, ContentTransaction } from '../../storage/content.ts'
import { places, polls, users } from '../../storage/content-tables.ts'
import type { UploadsByNow } from '../media/unready-upload.ts'
import { lockActingUser } from './acting-user.ts'
import { attachedMedia } from './attached-media.ts'
import { surroundingsOf } from './insert-posts.ts'
import { mentionsIn, type NewPost } from './new-post.ts'
import { announcementsOfPost } from './post-events.ts'
import { MEDIA_OF_POST, MOST_IMAGES, POLL_MINUTES, POLL_OPTION_LENGTH, textFits, textIsPlain } from './post-limits.ts'
import { isDuplicate, type StoredPost, storedPost, storePost } from './stored-post.ts'
import { expectVisiblePost, visiblePost } from './visible-post.ts'

const REFUSED = 'Reply to this conversation is not allowed: its author lets others reply, by `reply_settings`.'

/**
 * Throws 403 for a user whom the author of a conversation does not let reply: its first post governs all replies (public practice). If that is
 * gone, the post that is replied to does. Those mentioned always may.
 */
async function assertMayReply(content: Pick<Content, 'rows' | 'relationsOf'>, userId: string, replied: StoredPost): Promise<void> {
  const first = replied.conversationId === replied.id ? undefined : await storedPost(content, replied.conversationId)
  const { authorId, replySettings, text } = first ?? replied
  if (userId === authorId || replySettings === 'everyone') return
  const [[user], pairs] = await Promise.all([
    content.rows(users, ['username_key', 'verified'], [userId]),
    content.relationsOf(userId, [authorId], ['follow']),
  ])
  if (mentionsIn(text).includes(String(user?.[0]))) return
  const isFollowed = pairs.some(({ source }) => source === authorId)
  if (replySettings === 'following' && isFollowed) return
  if (replySettings === 'verified' && user?.[1]) return
  throw forbidden(REFUSED)
}

/** A reply mentions no more users by itself. */
const MOST_MENTIONS = 50

/**
 * The text of a reply that begins with those who take part: the author of the post that it replies to, and whom that mentions. Without the
 * user, those whom the text mentions anyway, and the excluded ones (public practice).
 */
async function withReplyMentions(
  content: Pick<Content, 'rows'>,
  userId: string,
  replied: StoredPost,
  { text, excluded }: { text: string; excluded: readonly string[] },
): Promise<string> {
  const [authors, mentioned] = await Promise.all([
    content.rows(users, ['id', 'username', 'username_key'], [replied.authorId]),
    content.rows(users, ['id', 'username', 'username_key'], mentionsIn(replied.text), 'username_key'),
  ])
  const passedOver = new Set([userId, ...excluded.map((id) => String(BigInt(id)))])
  const named = new Set(mentionsIn(text))
  const rows = [...authors, ...mentioned].filter(([id, , key]) => !passedOver.has(id as string) && !named.has(key as string))
  const usernames = [...new Set(rows.map(([, username]) => username as string))].slice(0, MOST_MENTIONS)
  return [...usernames.map((username) => `@${username}`), text].join(' ')
}

const replySettings = ['everyone', 'following', 'mentionedUsers', 'subscribers', 'verified'] as const

const params = {
  text: optional(text({ min: 0, example: 'Hello' })),
  reply: optional(
    object({
      in_reply_to_post_id: objectId(),
      exclude_reply_user_ids: optional(listOf(objectId(), { max: 100, description: 'Users whom the reply does not mention by itself.' })),
      auto_populate_reply_metadata: optional(
        boolean({ description: 'The text begins with mentions of the author of the other post, and of those whom it mentions.' }),
      ),
    }),
  ),
  quote_post_id: optional(objectId()),
  media: optional(
    object({
      media_ids: listOf(objectId(), { min: 1, max: MOST_IMAGES, description: `Media of the user: ${MEDIA_OF_POST}, each once.` }),
      tagged_user_ids: optional(listOf(objectId(), { max: 10 })),
    }),
  ),
  poll: optional(
    object({
      options: listOf(text({ max: POLL_OPTION_LENGTH }), { min: 2, max: 4 }),
      duration_minutes: integer(POLL_MINUTES),
      reply_settings: optional(oneOf(replySettings)),
    }),
  ),
  geo: optional(object({ place_id: text({ max: 50 }) })),
  reply_settings: optional(oneOf(replySettings)),
  nullcast: optional(boolean()),
  for_super_followers_only: optional(boolean()),
  direct_message_deep_link: optional(anything()),
  card_uri: optional(text({ max: 200, description: 'A card of an advertising account of which the user is a member.' })),
  community_id: optional(objectId()),
  share_with_followers: optional(boolean()),
  made_with_ai: optional(boolean()),
  paid_partnership: optional(boolean()),
}

type Sent = ParamsOf<typeof params>

const DUPLICATE = 'You are not allowed to create a post with duplicate content.'
const REPLY_REFUSED = 'You attempted to reply to a post that is deleted or not visible to you.'
const QUOTE_REFUSED = 'You attempted to quote a post that is deleted or not visible to you.'

interface CreateServices extends UploadsByNow {
  content: Content
  /** Whether a user may post a card with this URI. */
  mayCarryCard: (uri: string, userId: string) => Promise<boolean>
  outbox: Outbox
  ids: Ids
}

/** The text of a post: that of a reply may begin with mentions that are made for it. */
async function textOf({ text = '', reply }: Sent, userId: string, replied: StoredPost | undefined, content: Content): Promise<string> {
  if (!replied || !reply?.auto_populate_reply_metadata) return text
  return withReplyMentions(content, userId, replied, { text, excluded: reply.exclude_reply_user_ids ?? [] })
}

/** Everything that must hold before a post is stored. */
async function prepare(sent: Sent, userId: string, appName: string, services: CreateServices): Promise<NewPost> {
  const { content, mayCarryCard, ids, now } = services
  const replied = sent.reply && (await visiblePost(content, userId, sent.reply.in_reply_to_post_id, REPLY_REFUSED))
  if (replied) await assertMayReply(content, userId, replied)
  if (sent.quote_post_id !== undefined) await visiblePost(content, userId, sent.quote_post_id, QUOTE_REFUSED)
  if (sent.geo && (await content.rows(places, ['id'], [sent.geo.place_id])).length === 0)
    throw invalidRequest([{ message: '$.geo.place_id: is no known place', parameters: { geo: [sent.geo.place_id] } }])
  if (sent.card_uri && !(await mayCarryCard(sent.card_uri, userId)))
    throw invalidRequest([
      { message: '$.card_uri: is no card of an advertising account of the user', parameters: { card_uri: [sent.card_uri] } },
    ])
  const text = await textOf(sent, userId, replied, content)
  const { nullcast, card_uri, community_id, paid_partnership } = sent
  return {
    id: ids.next(),
    authorId: userId,
    text,
    lang: languageOf(text),
    createdAtMs: now(),
    source: appName,
    nullcast,
    repliedToId: sent.reply?.in_reply_to_post_id,
    quotedId: sent.quote_post_id,
    placeId: sent.geo?.place_id,
    replySettings: sent.reply_settings ?? sent.poll?.reply_settings,
    mediaKeys: sent.media && (await attachedMedia(services, userId, sent.media.media_ids)),
    pollId: sent.poll && ids.next(),
    more: { ...(card_uri && { card_uri }), ...(community_id && { community_id }), ...(paid_partnership && { paid_partnership }) },
  }
}

/** Members that clients send and that have no effect here, unless they are false or empty. */
const notSupported = (name: string, sentValue: (params: Record<string, unknown>) => unknown): Rule => ({
  message: `\`${name}\` is not supported here`,
  parameters: [name],
  holds(params) {
    const value = sentValue(params)
    return !value || (Array.isArray(value) && value.length === 0)
  },
})

const INSTEAD_OF_TEXT = ['media', 'poll', 'quote_post_id', 'card_uri'] as const

/** Of a text that is empty nothing would be shown. */
const hasContents: Rule = {
  message: `\`text\` must not be empty unless one of ${INSTEAD_OF_TEXT.map((name) => `\`${name}\``).join(', ')} is set`,
  parameters: ['text', ...INSTEAD_OF_TEXT],
  holds: ({ text, ...others }) =>
    typeof text !== 'string' || text.trim() !== '' || INSTEAD_OF_TEXT.some((name) => others[name] !== undefined),
}

const unsupported: readonly Rule[] = [
  notSupported('media.tagged_user_ids', ({ media }) => (media as Sent['media'])?.tagged_user_ids),
  ...(['for_super_followers_only', 'direct_message_deep_link', 'share_with_followers', 'made_with_ai'] as const).map((name) =>
    notSupported(name, (params) => params[name]),
  ),
]

/** The poll of a new post: its options without votes yet. */
const pollOf = ({ poll }: Sent, { pollId, createdAtMs }: NewPost) => ({
  id: pollId,
  options: JSON.stringify(poll!.options.map((label, index) => ({ position: index + 1, label, votes: 0 }))),
  duration_minutes: poll!.duration_minutes,
  end_ms: createdAtMs + poll!.duration_minutes * 60_000,
})

/** The posts that a new one refers to must be there, and visible, when it is stored. */
async function expectReferences(transaction: ContentTransaction, { authorId, repliedToId, quotedId }: NewPost) {
  if (repliedToId !== undefined) await expectVisiblePost(transaction, authorId, repliedToId, REPLY_REFUSED)
  if (quotedId !== undefined) await expectVisiblePost(transaction, authorId, quotedId, QUOTE_REFUSED)
}

export const createPost = endpoint({
  name: 'createPost',
  route: 'POST /2/posts',
  section: '§2.9',
  summary: 'Create a post.',
  description:
    'The same text by the same user within 24 hours is a duplicate. `source` is the name of the app. `lang` is detected; where it is not clear, it is `und`. Mentions that are made for a reply do not count for its length. `post.create` is published, unless the author is protected, and for those whom the post mentions, replies to or quotes `post.mention.create`, `post.reply.create` or `post.quote.create`, if they see the post; nothing is published of a post with `nullcast`.',
  auth: userWith('read_write'),
  scopes: ['post.read', 'post.write', 'users.read'],
  rateLimit: 100,
  params,
  rules: [
    textFits,
    textIsPlain,
    ...unsupported,
    atLeastOneOf('text', ...INSTEAD_OF_TEXT),
    hasContents,
    mutuallyExclusive(...INSTEAD_OF_TEXT),
  ],
  success: 201,
  answer: object({ data: object({ id: objectId(), text: text({ min: 0 }), edit_history_post_ids: optional(listOf(objectId())) }) }),
  problems: ['forbidden'],
  example: { text: 'Hello' },
  async handle({ params: sent, caller: { user, app } }, services: CreateServices & { dialect: Dialect }) {
    const { content, outbox, dialect } = services
    const post = await prepare(sent, user.id, app.name, services)
    const surroundings = await surroundingsOf(post, content)
    const events = announcementsOfPost(post, surroundings)
    await outbox.change(events, async (transaction, announce) => {
      // Of two duplicates at once one sees the other.
      await lockActingUser(transaction, user.id)
      await expectReferences(transaction, post)
      if (await isDuplicate(transaction, post)) throw forbidden(DUPLICATE)
      if (sent.poll) await transaction.insert(polls, pollOf(sent, post))
      await storePost(transaction, post, surroundings)
      await announce(events)
    })
    // The default fields (§2.9).
    return { data: { id: post.id, text: post.text, ...(dialect.name === 'x' && { edit_history_post_ids: [post.id] }) } }
  },
})
