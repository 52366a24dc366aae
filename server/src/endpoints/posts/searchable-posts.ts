import { entitiesOf } from '../../lib/post-text/entities.ts'
import type { SearchablePost } from '../../lib/post-text/searchable-post.ts'
import type { Content } from '../../storage/content.ts'
import { media, posts, users } from '../../storage/content-tables.ts'

const COLUMNS = [
  ...(['id', 'text', 'author_id', 'lang', 'conversation_id', 'in_reply_to_user_id', 'replied_to_id', 'quoted_id', 'reposted_id'] as const),
  ...(['entities', 'media_keys', 'place_id', 'nullcast', 'like_count', 'reply_count', 'repost_count'] as const),
]

type Column = (typeof COLUMNS)[number]

const PLACES = Object.fromEntries(COLUMNS.map((column, place) => [column, place])) as Record<Column, number>

const keysIn = (value: unknown): string[] => (typeof value === 'string' ? JSON.parse(value) : [])

/** Ids of mentioned users that an entities column names. */
const mentionedIn = (value: unknown): string[] =>
  typeof value === 'string' && value.includes('"mentions"')
    ? (JSON.parse(value) as { mentions: { id?: string }[] }).mentions.flatMap(({ id }) => id ?? [])
    : []

/** Posts as a search sees them, by id; those that do not exist are missing. */
export async function searchablePosts(content: Pick<Content, 'rows'>, ids: readonly string[]): Promise<Map<string, SearchablePost>> {
  const rows = await content.rows(posts, COLUMNS, ids)
  const keys = rows.flatMap((row) => keysIn(row[PLACES.media_keys]))
  const [authors, found] = await Promise.all([
    content.rows(users, ['id', 'verified'], [...new Set(rows.map((row) => row[PLACES.author_id] as string))]),
    content.rows(media, ['media_key', 'type'], [...new Set(keys)]),
  ])
  const verified = new Map(authors.map(([id, isVerified]) => [id, Boolean(isVerified)]))
  const kinds = new Map(found.map(([key, type]) => [key, type as 'photo']))
  return new Map(rows.map((row) => [row[PLACES.id] as string, searchable(row)]))

  function searchable(row: readonly unknown[]): SearchablePost {
    const value = <T>(column: Column) => row[PLACES[column]] as T
    const text = value<string>('text')
    return {
      text,
      entities: entitiesOf(text),
      authorId: value('author_id'),
      lang: value('lang'),
      conversationId: value('conversation_id'),
      isAuthorVerified: verified.get(value('author_id')),
      mentionedIds: mentionedIn(value('entities')),
      inReplyToUserId: value<string | null>('in_reply_to_user_id') ?? undefined,
      isReply: value('replied_to_id') !== null,
      isQuote: value('quoted_id') !== null,
      isRepost: value('reposted_id') !== null,
      isNullcast: Boolean(value('nullcast')),
      mediaKinds: keysIn(value('media_keys')).flatMap((key) => kinds.get(key) ?? []),
      hasGeo: value('place_id') !== null,
      likes: value('like_count'),
      replies: value('reply_count'),
      reposts: value('repost_count'),
    }
  }
}
