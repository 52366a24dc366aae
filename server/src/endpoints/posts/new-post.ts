import { type Entities, entitiesOf } from '../../lib/post-text/entities.ts'
import { displayTextRange } from '../../lib/post-text/post-length.ts'
import type { SearchablePost } from '../../lib/post-text/searchable-post.ts'
import { termHash, termsOf } from '../../lib/post-text/terms.ts'
import type { ContentTransaction, NewRelation } from '../../storage/content.ts'
import { polls, posts, users } from '../../storage/content-tables.ts'

/** The counters of a post, and of those who see it. */
export type PostCounts = Partial<
  Record<
    | 'repost_count'
    | 'reply_count'
    | 'like_count'
    | 'quote_count'
    | 'bookmark_count'
    | 'impression_count'
    | 'url_link_clicks'
    | 'user_profile_clicks',
    number
  >
>

/** A post that is to be stored. */
export interface NewPost {
  id: string
  authorId: string
  text: string
  createdAtMs: number
  lang?: string
  source?: string
  replySettings?: string
  possiblySensitive?: boolean
  nullcast?: boolean
  hidden?: boolean
  restriction?: string
  repliedToId?: string
  quotedId?: string
  repostedId?: string
  mediaKeys?: readonly string[]
  pollId?: string
  placeId?: string
  /** Rare fields as answers show them. */
  more?: Readonly<Record<string, unknown>>
  /** The counters that it begins with; zero without. */
  counts?: PostCounts
}

/** What of other objects a post is stored with. */
export interface Surroundings {
  /** The entities of its text, where they are known already. */
  entities?: Entities
  repliedTo?: { authorId: string; conversationId: string }
  /** Who wrote the post that it reposts. */
  repostedAuthorId?: string
  /** Who wrote the post that it quotes, for its events. */
  quotedAuthorId?: string
  /** Ids by username in lower case. */
  mentioned: ReadonlyMap<string, string>
  isAuthorVerified: boolean
  mediaKinds: NonNullable<SearchablePost['mediaKinds']>
}

const COUNTERS = ['repost_count', 'reply_count', 'like_count', 'quote_count', 'bookmark_count', 'impression_count'] as const
const PRIVATE_COUNTERS = ['url_link_clicks', 'user_profile_clicks'] as const

/** The entities of a text as answers show them: mentions with the ids of users who exist, and no empty lists. */
export function entitiesJson(text: string, mentioned: ReadonlyMap<string, string>, entities: Entities = entitiesOf(text)): string | null {
  const { mentions, ...others } = entities
  const withIds = mentions.map((mention) => {
    const id = mentioned.get(mention.username.toLowerCase())
    return { ...mention, ...(id !== undefined && { id }) }
  })
  const found = Object.entries({ mentions: withIds, ...others }).filter(([, list]) => list.length > 0)
  return found.length > 0 ? JSON.stringify(Object.fromEntries(found)) : null
}

/** The usernames that a text mentions, in lower case. */
export const mentionsIn = (text: string, { mentions }: Entities = entitiesOf(text)): string[] => [
  ...new Set(mentions.map(({ username }) => username.toLowerCase())),
]

/** What searches find a post by. */
function searchable(
  post: NewPost,
  { entities = entitiesOf(post.text), repliedTo, mentioned, isAuthorVerified, mediaKinds }: Surroundings,
): SearchablePost {
  return {
    text: post.text,
    entities,
    authorId: post.authorId,
    isAuthorVerified,
    lang: post.lang,
    mediaKinds,
    mentionedIds: [...mentioned.values()],
    conversationId: repliedTo?.conversationId ?? post.id,
    inReplyToUserId: repliedTo?.authorId,
    isReply: post.repliedToId !== undefined,
    isQuote: post.quotedId !== undefined,
    isRepost: post.repostedId !== undefined,
    isNullcast: post.nullcast ?? false,
    hasGeo: post.placeId !== undefined,
  }
}

/** The row of a post. */
export function rowOf(post: NewPost, { repliedTo, repostedAuthorId, mentioned, entities }: Surroundings) {
  const { counts = {}, more } = post
  const [start, end] = displayTextRange(post.text, { isReply: post.repliedToId !== undefined })
  return {
    id: post.id,
    author_id: post.authorId,
    text: post.text,
    created_at_ms: post.createdAtMs,
    text_hash: post.text === '' || post.repostedId !== undefined ? null : String(termHash(post.text)),
    conversation_id: repliedTo?.conversationId ?? post.id,
    lang: post.lang ?? 'und',
    source: post.source ?? '',
    reply_settings: post.replySettings ?? 'everyone',
    possibly_sensitive: post.possiblySensitive ?? false,
    hidden: post.hidden ?? false,
    nullcast: post.nullcast ?? false,
    restriction: post.restriction ?? null,
    in_reply_to_user_id: repliedTo?.authorId ?? null,
    replied_to_id: post.repliedToId ?? null,
    quoted_id: post.quotedId ?? null,
    reposted_id: post.repostedId ?? null,
    reposted_author_id: repostedAuthorId ?? null,
    entities: entitiesJson(post.text, mentioned, entities),
    media_keys: post.mediaKeys?.length ? JSON.stringify(post.mediaKeys) : null,
    poll_id: post.pollId ?? null,
    place_id: post.placeId ?? null,
    more: JSON.stringify({ display_text_range: [start, end], ...more }),
    ...Object.fromEntries([...COUNTERS, ...PRIVATE_COUNTERS].map((name) => [name, counts[name] ?? 0])),
  }
}

/** The terms by which a post is found, each once. */
export const termsOfPost = (post: NewPost, surroundings: Surroundings): string[] => termsOf(searchable(post, surroundings))

/** The hashes of the terms by which a post is found, each once. */
const hashesOf = (post: SearchablePost): string[] => [...new Set(termsOf(post).map((term) => String(termHash(term))))]

/**
 * The counters of other objects that a post changes when it comes, and when it goes. One for promotion only is not counted in the public
 * profile of its author.
 */
export function countPost(
  transaction: Pick<ContentTransaction, 'count'>,
  post: Pick<NewPost, 'authorId' | 'nullcast' | 'repliedToId' | 'quotedId' | 'repostedId' | 'mediaKeys'>,
  by: 1 | -1,
) {
  if (!post.nullcast) transaction.count(users, post.authorId, 'post_count', by)
  if (!post.nullcast && post.mediaKeys?.length) transaction.count(users, post.authorId, 'media_count', by)
  if (post.repliedToId) transaction.count(posts, post.repliedToId, 'reply_count', by)
  if (post.quotedId) transaction.count(posts, post.quotedId, 'quote_count', by)
  if (post.repostedId) transaction.count(posts, post.repostedId, 'repost_count', by)
}

/** The relations by which media are seen by who sees the post that carries them. The id of the post is their position. */
export const mediaOf = ({ id, mediaKeys = [] }: Pick<NewPost, 'id' | 'mediaKeys'>): NewRelation[] =>
  mediaKeys.map((source) => ({ relation: 'media_post', source, target: id, position: id }))

/** Stores a post with the terms by which searches find it, and counts it. False if the id is taken. */
export async function insertPost(transaction: ContentTransaction, post: NewPost, surroundings: Surroundings): Promise<boolean> {
  if (!(await transaction.insert(posts, rowOf(post, surroundings)))) return false
  await transaction.addTerms(post.id, hashesOf(searchable(post, surroundings)))
  await transaction.relateAll(mediaOf(post))
  countPost(transaction, post, 1)
  return true
}

/** Deletes a post, with its terms and what it counted for. False if it is gone already. */
export async function removePost(transaction: ContentTransaction, post: NewPost, surroundings: Surroundings): Promise<boolean> {
  if (!(await transaction.remove(posts, post.id))) return false
  await transaction.removeTerms(post.id, hashesOf(searchable(post, surroundings)))
  if (post.pollId !== undefined) await transaction.remove(polls, post.pollId)
  if (post.mediaKeys?.length) await transaction.unrelateAll('media_post', 'target', post.id)
  countPost(transaction, post, -1)
  return true
}

/** How long the text of a repost is at most, in code points (public practice). */
const MAX_LENGTH = 140

/** The text of a repost: who wrote the post, and its beginning. */
export function repostText(username: string, text: string): string {
  const characters = [...`RT @${username}: ${text}`]
  return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH - 1).join('')}…` : characters.join('')
}
