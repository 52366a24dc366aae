import { iso, listOf, object, objectId, optional } from '../../api/declare/words.ts'
import { includesSchema } from '../../api/objects/data-object.ts'
import { Post } from '../objects/post.ts'
import { User } from '../objects/user.ts'
import {
  type Cast,
  type EventExample,
  type EventPayload,
  type Person,
  payloadsOf,
  userObject,
  wrapped,
  wrappedUser,
} from './event-payload.ts'

const includes = includesSchema([Post, User])

/** The post that the post of an example refers to. */
const REFERRED_ID = '2234209271808086016'

const postOf = (id: string, { id: author_id }: Person, text: string, atMs: number, more: object = {}) => ({
  id,
  text,
  edit_history_post_ids: [id],
  author_id,
  conversation_id: id,
  created_at: iso(atMs),
  lang: 'en',
  possibly_sensitive: false,
  reply_settings: 'everyone',
  public_metrics: { repost_count: 0, reply_count: 0, like_count: 0, quote_count: 0, bookmark_count: 0, impression_count: 0 },
  ...more,
})

const exampleOf = (text: string, { source, target, id, atMs }: Cast, more: object): EventExample => ({
  payload: postOf(id, source, text, atMs, more),
  includes: { users: [userObject(source), userObject(target)] },
  text,
})

/** An example that refers to a post of the target. */
const referring = (type: string, textOf: (target: Person) => string, more: (target: Person) => object = () => ({})) => {
  return (cast: Cast): EventExample => {
    const { target, atMs } = cast
    const { includes, ...event } = exampleOf(textOf(target), cast, { referenced_posts: [{ type, id: REFERRED_ID }], ...more(target) })
    return { ...event, includes: { ...includes, posts: [postOf(REFERRED_ID, target, 'Ahoy', atMs)] } }
  }
}

const mentions = (text: string, { username, id }: Person) => {
  const start = text.indexOf(`@${username}`)
  return { mentions: [{ start, end: start + username.length + 1, username, id }] }
}

/** A post of somebody that is for the attention of the subject. */
const forTarget = (targetAt: string, example: EventPayload['example']): EventPayload => ({
  payload: Post.schema,
  includes,
  example,
  targetAt,
  sourceAt: 'payload.author_id',
  subject: 'target',
  byAnalogy: 'No sample is published: it is that of `post.create`.',
})

const mentionOf = ({ username }: Person) => `Ahoy, @${username}!`
const replyTo = ({ username }: Person) => `@${username} Ahoy!`
const repostOf = ({ username }: Person) => `RT @${username}: Ahoy`

/** Posts (§6.8). */
export const postPayloads = payloadsOf({
  'post.create': {
    payload: Post.schema,
    includes,
    subject: 'source',
    sourceAt: 'payload.author_id',
    example: ({ source, id, atMs }) => ({
      payload: postOf(id, source, 'High tide at noon.', atMs),
      includes: { users: [userObject(source)] },
      text: 'High tide at noon.',
    }),
  },
  'post.delete': {
    payload: object({ id: objectId(), author_id: objectId({ example: '101' }) }),
    includes: object({ users: optional(listOf(wrappedUser)) }),
    subject: 'source',
    sourceAt: 'payload.author_id',
    example: ({ source, id }) => ({ payload: { id, author_id: source.id }, includes: { users: [wrapped(source)] } }),
  },
  'post.mention.create': forTarget('payload.entities.mentions.*.id', (cast) => {
    const text = mentionOf(cast.target)
    return exampleOf(text, cast, { entities: mentions(text, cast.target) })
  }),
  'post.reply.create': forTarget(
    'payload.in_reply_to_user_id',
    referring('replied_to', replyTo, (target) => ({
      in_reply_to_user_id: target.id,
      conversation_id: REFERRED_ID,
      entities: mentions(replyTo(target), target),
    })),
  ),
  'post.quote.create': forTarget(
    'includes.posts.*.author_id',
    referring('quoted', () => 'As I said.'),
  ),
  'post.repost.create': forTarget('includes.posts.*.author_id', referring('reposted', repostOf)),
})
