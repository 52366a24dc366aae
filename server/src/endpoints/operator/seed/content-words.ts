import {
  boolean,
  integer,
  listOf,
  matching,
  object,
  objectId,
  oneOf,
  optional,
  optionals,
  type Params,
  type Static,
  type TSchema,
  text,
  timestamp,
} from '../../../api/declare/words.ts'
import type { DataObject } from '../../../api/objects/data-object.ts'
import { DirectMessage } from '../../objects/direct-message.ts'
import { List } from '../../objects/list.ts'
import { Media } from '../../objects/media.ts'
import { Place } from '../../objects/place.ts'
import { Poll } from '../../objects/poll.ts'
import { Post } from '../../objects/post.ts'
import { Space } from '../../objects/space.ts'
import { Topic } from '../../objects/topic.ts'
import { User } from '../../objects/user.ts'

/** A field that is an object, such as counters: a seed need not say all of it. */
function inPart(word: TSchema): TSchema {
  const { properties } = word as { properties?: Params }
  return properties ? object(optionals(properties)) : word
}

/** The fields of an object's answers, each of them optional. */
export const answerMembers = ({ fields }: DataObject): Params =>
  optionals(Object.fromEntries(Object.entries(fields).map(([name, { word }]) => [name, inPart(word)])))

const userId = (description?: string) => objectId({ example: '101', description })
const userIds = (description: string) => optional(listOf(userId(), { description }))

const option = object({ position: optional(integer({ min: 1 })), label: text({ max: 25 }), votes: optional(integer({ min: 0 })) })
const poll = { ...answerMembers(Poll), options: listOf(option, { min: 2, max: 4 }) }

const post = object({
  ...answerMembers(Post),
  author_id: userId(),
  text: Post.fields.text!.word,
  poll: optional(object(poll, { description: 'The poll of the post, instead of one in `attachments`.' })),
  nullcast: optional(boolean()),
  hidden: optional(boolean({ description: 'True for a reply that the author of the conversation has hidden.' })),
  restriction: optional(oneOf(['unavailable', 'disallowed'], { description: 'Why the post is shown to nobody.' })),
})

const media = object({
  ...answerMembers(Media),
  media_key: optional(
    matching('^[0-9]{1,19}_[0-9]{1,19}$', { example: '3_1136048014974423040', mustBe: 'a key such as 3_1136048014974423040' }),
  ),
  type: Media.fields.type!.word,
  owner_user_id: optional(userId()),
})

const place = object({ ...answerMembers(Place), full_name: Place.fields.full_name!.word })

const list = object({
  ...answerMembers(List),
  name: List.fields.name!.word,
  owner_id: userId(),
  members: userIds('The ids of its members.'),
  followers: userIds('The ids of users who follow it.'),
  pinned_by: userIds('The ids of users who have pinned it.'),
})

const space = object({
  ...answerMembers(Space),
  id: optional(matching('^[a-zA-Z0-9]{1,13}$', { example: '1zqKVXPQhvZJB', mustBe: 'up to 13 letters and digits' })),
  state: Space.fields.state!.word,
  creator_id: userId(),
  buyers: userIds('The ids of users who bought a ticket.'),
})

const topic = object({ ...answerMembers(Topic), name: Topic.fields.name!.word })

const CONVERSATION = '^([0-9]{1,19}-[0-9]{1,19}|[0-9]{15,19})$'

const message = object({
  ...answerMembers(DirectMessage),
  sender_id: userId(),
  dm_conversation_id: matching(CONVERSATION, { example: '101-102', mustBe: 'two user ids joined by a hyphen, or the id of a group' }),
})

const between = object({ user_id: userId(), target_user_id: objectId({ example: '102' }) })
const ofPost = object({ user_id: userId(), post_id: objectId() })
const repost = object({ id: optional(objectId()), user_id: userId(), post_id: objectId(), created_at: optional(timestamp()) })

/** The members of a seed that hold data objects (§2.9): the fields of their answers, and what of them no answer shows. */
export const objectKinds = {
  topics: optional(listOf(topic)),
  places: optional(listOf(place)),
  media: optional(listOf(media)),
  polls: optional(listOf(object(poll))),
  posts: optional(listOf(post)),
  lists: optional(listOf(list)),
  spaces: optional(listOf(space)),
  direct_messages: optional(listOf(message)),
}
export type ObjectKind = keyof typeof objectKinds

/** The members of a seed that hold relations between users, and between users and posts. */
export const relationKinds = {
  follows: optional(listOf(between)),
  mutes: optional(listOf(between)),
  blocks: optional(listOf(between)),
  likes: optional(listOf(ofPost)),
  bookmarks: optional(listOf(ofPost)),
}
export type RelationKind = keyof typeof relationKinds

export const repostWord = repost
export type RepostSeed = Static<typeof repost>

/** The profile of a user, as answers show it. */
export const profileMembers: Params = answerMembers(User)

/** A data object of a seed: fields as answers have them. */
export type ContentSeed = Readonly<Record<string, unknown>>
